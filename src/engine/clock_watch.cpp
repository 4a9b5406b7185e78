#include "engine/clock_watch.hpp"

#include <utility>

namespace pawl::engine {

void ClockWatch::listen(Listener listener) {
  const std::lock_guard lock{mutex_};
  listener_ = std::move(listener);
}

void ClockWatch::note(const core::ClockState& clock) {
  const std::lock_guard lock{mutex_};
  if (!steps_seen_) steps_seen_ = clock.steps;
  for (const core::ClockStep& step : clock.recent) {
    if (step.number <= *steps_seen_) continue;
    ++(step.by < core::Duration{0} ? stats_.clock_steps_back : stats_.clock_steps_forward);
    if (listener_) listener_(step);
  }
  steps_seen_ = clock.steps;
}

}  // namespace pawl::engine
