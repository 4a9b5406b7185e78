#pragma once
// The clock of a store on this machine, bridged over its steps (core/store_clock.hpp). Any thread.

#include <memory>
#include <mutex>

#include "core/env.hpp"
#include "core/store_clock.hpp"

namespace pawl::store {

class BridgedClock final : public core::Clock {
 public:
  explicit BridgedClock(core::Clock& clock) : clock_(clock) {}

  [[nodiscard]] core::TimePoint now() override;  // store time
  [[nodiscard]] core::MonotonicTime monotonic() override { return clock_.monotonic(); }
  [[nodiscard]] core::MonotonicTime elapsed() override { return clock_.elapsed(); }

  [[nodiscard]] std::shared_ptr<const core::ClockState> state();
  // What another process recorded, if that is more than this one has observed.
  void adopt(core::ClockState state);

 private:
  [[nodiscard]] core::ClockReading read();

  core::Clock& clock_;
  std::mutex mutex_;
  core::StepDetector detector_;
  // Shared with the transactions that began under it.
  std::shared_ptr<const core::ClockState> state_ = std::make_shared<const core::ClockState>();
};

}  // namespace pawl::store
