// Engine's part that reports damaged rows.

#include "engine/engine.hpp"

namespace pawl::engine {

void Engine::on_damage(DamageListener listener) {
  const std::lock_guard lock{damage_mutex_};
  on_damage_ = std::move(listener);
}

void Engine::tell_damage(const std::string& object, const std::string& why) {
  const std::lock_guard lock{damage_mutex_};
  if (on_damage_) on_damage_(object, why);
}

void Engine::note_damaged(const WorkingSet& set) {
  for (const DamagedTask& task : set.damaged()) {
    ++stats_.tasks_set_aside;
    tell_damage("task " + core::to_string(task.id),
                task.what + " cannot be read; the task is skipped by claims");
  }
}

}  // namespace pawl::engine
