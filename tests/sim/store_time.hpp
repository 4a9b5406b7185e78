#pragma once
// The time of one transaction, in store time and in true time.

#include "core/base/store_clock.hpp"
#include "core/base/time.hpp"

namespace pawl::sim {

struct StoreTime {
  core::TimePoint now = {};
  core::ClockState clock = {};  // the steps known to the transaction
};

// The simulation's own time, which never steps.
struct TrueTime {
  core::Duration now{0};
  core::Duration small_steps{0};  // the sum of the clock steps until now that are too small to be bridged
};

}  // namespace pawl::sim
