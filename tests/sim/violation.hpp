#pragma once
// A broken promise. The checker throws it, through the engine and out of the run.

#include <optional>
#include <string>

#include "core/base/ids.hpp"
#include "tests/sim/tally.hpp"

namespace pawl::sim {

struct Violation {
  Invariant invariant;
  std::string what;
  std::optional<core::TaskId> task = {};
};

}  // namespace pawl::sim
