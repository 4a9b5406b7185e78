#include "store/bridged_clock.hpp"

#include <utility>

namespace pawl::store {

core::ClockReading BridgedClock::read() {
  core::ClockReading reading{.sent = clock_.elapsed()};
  reading.clock = clock_.now();
  reading.received = clock_.elapsed();
  return reading;
}

core::TimePoint BridgedClock::now() {
  const std::lock_guard lock{mutex_};
  core::ClockReading reading = read();
  if (detector_.observe(reading, *state_)) {
    reading = read();  // a single deviating reading is not a step
    if (const auto step = detector_.observe(reading, *state_)) {
      state_ = std::make_shared<const core::ClockState>(core::with_step(*state_, reading.clock, *step));
      (void)detector_.observe(reading, *state_);
    }
  }
  return core::store_time(*state_, reading.clock);
}

std::shared_ptr<const core::ClockState> BridgedClock::state() {
  const std::lock_guard lock{mutex_};
  return state_;
}

void BridgedClock::adopt(core::ClockState state) {
  const std::lock_guard lock{mutex_};
  if (state.steps > state_->steps) state_ = std::make_shared<const core::ClockState>(std::move(state));
}

}  // namespace pawl::store
