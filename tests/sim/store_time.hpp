#pragma once
// The time of one transaction, as the store tells it and as it really is.

#include "core/store_clock.hpp"
#include "core/time.hpp"

namespace pawl::sim {

struct StoreTime {
  core::TimePoint now = {};
  core::ClockState clock = {};  // the steps that the transaction knew of
};

// By the simulation's own time, which never steps.
struct TrueTime {
  core::Duration now{0};
  core::Duration small_steps{0};  // the sum of the clock's steps until now that are too small to be bridged
};

}  // namespace pawl::sim
