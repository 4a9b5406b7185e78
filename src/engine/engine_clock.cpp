// Engine's part that reports steps of the store's clock.

#include "core/base/store_clock.hpp"
#include "engine/engine.hpp"

namespace pawl::engine {

void Engine::on_clock_step(ClockListener listener) {
  const std::lock_guard lock{clock_mutex_};
  on_clock_step_ = std::move(listener);
}

void Engine::note_clock() {
  const core::ClockState clock = store_.clock_state();
  const std::lock_guard lock{clock_mutex_};
  if (!clock_steps_seen_) clock_steps_seen_ = clock.steps;  // earlier steps are not reported
  for (const core::ClockStep& step : clock.recent) {
    if (step.number <= *clock_steps_seen_) continue;
    ++(step.by < core::Duration{0} ? stats_.clock_steps_back : stats_.clock_steps_forward);
    if (on_clock_step_) on_clock_step_(step);
  }
  clock_steps_seen_ = clock.steps;
}

}  // namespace pawl::engine
