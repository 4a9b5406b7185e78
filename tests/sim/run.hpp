#pragma once
// Runs one seed: work under faults, then the heal, after which all work must end.

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
  std::uint64_t hash = 0;  // of the whole history
  std::optional<Violation> violation = {};
  std::string excerpt = {};  // the history of the watched task
};

[[nodiscard]] RunResult run(const Options& options, const MakeStores& make_stores,
                            std::optional<core::TaskId> watched = {});

}  // namespace pawl::sim
