#pragma once
// One run of one seed: work under fire, then heal, then everything must come to its end.

#include <cstdint>
#include <optional>
#include <string>

#include "tests/sim/options.hpp"
#include "tests/sim/stores.hpp"
#include "tests/sim/tally.hpp"
#include "tests/sim/violation.hpp"

namespace pawl::sim {

struct RunResult {
  Tally tally = {};
  std::uint64_t hash = 0;  // of all that happened
  std::optional<Violation> violation = {};
  std::string excerpt = {};  // what happened to the watched task
};

[[nodiscard]] RunResult run(const Options& options, const MakeStores& make_stores,
                            std::optional<core::TaskId> watched = {});

}  // namespace pawl::sim
