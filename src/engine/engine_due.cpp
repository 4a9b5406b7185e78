// The commands of a tick: for expired leases, due tasks, timers and deadlines.

#include <algorithm>

#include "engine/due.hpp"
#include "engine/engine.hpp"

namespace pawl::engine {

std::vector<core::Command> Engine::find_due(std::size_t page, std::optional<core::TimePoint>& next_due) {
  std::vector<core::Command> commands;
  for (DueWork& work : engine::find_due(store_, core::RecoveryCheck::leases, {.page = page}))
    commands.push_back(std::move(work.command));
  store::DueTasks due = store_.due_tasks(page);
  next_due = due.next;
  if (!due.ids.empty()) commands.emplace_back(core::PromoteDue{std::move(due.ids)});
  store::DueRuns runs = store_.due_runs(page);
  if (runs.next) next_due = std::min(next_due.value_or(*runs.next), *runs.next);
  if (!runs.timers.empty() || !runs.deadlines.empty()) {
    commands.emplace_back(
        core::WakeRuns{.timers = std::move(runs.timers), .deadlines = std::move(runs.deadlines)});
  }
  return commands;
}

}  // namespace pawl::engine
