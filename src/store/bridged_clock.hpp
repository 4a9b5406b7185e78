#pragma once
// Store time from this machine's clock, bridged over its steps (core/base/store_clock.hpp). Thread-safe.

#include <memory>
#include <mutex>

#include "core/base/env.hpp"
#include "core/base/store_clock.hpp"

namespace pawl::store {

class BridgedClock final : public core::Clock {
 public:
  explicit BridgedClock(core::Clock& clock) : clock_(clock) {}

  [[nodiscard]] core::TimePoint now() override;  // store time
  [[nodiscard]] core::MonotonicTime monotonic() override { return clock_.monotonic(); }
  [[nodiscard]] core::MonotonicTime elapsed() override { return clock_.elapsed(); }

  [[nodiscard]] std::shared_ptr<const core::ClockState> state();
  // Takes over the state that another process recorded, if it has more steps than this one.
  void adopt(core::ClockState state);

 private:
  [[nodiscard]] core::ClockReading read();

  core::Clock& clock_;
  std::mutex mutex_;
  core::StepDetector detector_;
  // Shared with the transactions that began with it.
  std::shared_ptr<const core::ClockState> state_ = std::make_shared<const core::ClockState>();
};

}  // namespace pawl::store
