#pragma once
// Simulated time: events in order of their time, and the clocks derived from it. Not thread-safe.

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "core/base/env.hpp"
#include "core/base/store_clock.hpp"
#include "core/base/time.hpp"

namespace pawl::sim {

using core::Duration;
using core::TimePoint;

class Scheduler {
 public:
  using Action = std::function<void()>;

  // Since the start of the run.
  [[nodiscard]] Duration now() const { return now_; }

  void after(Duration delay, Action action) {
    events_.push({.time = now_ + delay, .number = ++last_number_, .action = std::move(action)});
  }

  // Runs the next event. Returns false if there is none.
  bool step() {
    if (events_.empty()) return false;
    Event next = std::move(const_cast<Event&>(events_.top()));  // popped before the next comparison
    events_.pop();
    now_ = next.time;
    next.action();
    return true;
  }

 private:
  struct Event {
    Duration time;
    std::uint64_t number;  // events of the same time run in the order of creation
    Action action;

    bool operator<(const Event& other) const {  // the queue returns the largest first
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  Duration now_{0};
  std::uint64_t last_number_ = 0;
  std::priority_queue<Event> events_;
};

// A clock that runs with the simulation at an offset. The store has one, which is stepped; each node has one
// of its own, which must not matter.
class SimClock final : public core::Clock {
 public:
  SimClock(const Scheduler& scheduler, Duration wall_offset, Duration monotonic_offset)
      : scheduler_(scheduler), wall_offset_(wall_offset), monotonic_offset_(monotonic_offset) {}

  [[nodiscard]] TimePoint now() override { return kStart + scheduler_.now() + wall_offset_; }
  [[nodiscard]] core::MonotonicTime monotonic() override {
    return core::MonotonicTime{scheduler_.now() + monotonic_offset_};
  }

  void step(Duration by) {
    wall_offset_ += by;
    const Duration size = by < Duration{0} ? -by : by;
    if (size < core::kClockStepMin + std::chrono::milliseconds{50}) small_steps_ += size;
  }
  // The sum of the steps that are too small for a store to detect.
  [[nodiscard]] Duration small_steps() const { return small_steps_; }
  // The simulated time at which this clock shows `time`, unless it is stepped again.
  [[nodiscard]] Duration moment_of(TimePoint time) const { return time - kStart - wall_offset_; }

 private:
  static constexpr TimePoint kStart{Duration{1'767'225'600'000'000}};  // 2026-01-01T00:00:00Z

  const Scheduler& scheduler_;
  Duration wall_offset_;
  Duration monotonic_offset_;
  Duration small_steps_{0};
};

}  // namespace pawl::sim
