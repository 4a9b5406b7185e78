// Engine's part that builds the commands of a tick: for expired leases, due tasks, timers and deadlines.

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
  core::WakeRuns wake{.timers = std::move(runs.timers), .deadlines = std::move(runs.deadlines)};
  leave_out_unmoved(wake);
  if (!wake.timers.empty() || !wake.deadlines.empty()) commands.emplace_back(std::move(wake));
  return commands;
}

// --- runs that a tick could not advance ---

std::optional<core::ParkRun> Engine::only_run_of(const core::Command& command) {
  const auto* wake = std::get_if<core::WakeRuns>(&command);
  if (wake == nullptr || wake->timers.size() + wake->deadlines.size() != 1) return std::nullopt;
  if (wake->timers.empty()) return core::ParkRun{.run = wake->deadlines.front()};
  return core::ParkRun{.run = wake->timers.front().run_id, .timer = wake->timers.front().node};
}

bool Engine::is_unmoved(const core::RunId& run) {
  const auto found = unmoved_.find(run);
  return found != unmoved_.end() && found->second.until > clock_.monotonic();
}

void Engine::leave_out_unmoved(core::WakeRuns& wake) {
  const std::lock_guard lock{unmoved_mutex_};
  if (unmoved_.empty()) return;
  std::erase_if(wake.timers, [this](const core::TimerRef& timer) { return is_unmoved(timer.run_id); });
  std::erase_if(wake.deadlines, [this](const core::RunId& run) { return is_unmoved(run); });
}

Engine::UnmovedRun& Engine::unmoved(const core::RunId& run) {
  if (unmoved_.size() >= core::kUnmovedRunsMax && !unmoved_.contains(run)) unmoved_.clear();
  return unmoved_[run];
}

// A run that lacked memory may succeed on a later tick. If a run cannot be parked because of its rows, or its
// deadline cannot be handled, this node skips the run for a while.
void Engine::park(core::ParkRun run, core::ProblemCode code) {
  const bool lacks_memory = code == core::ProblemCode::resource_exhausted;
  if (code != core::ProblemCode::internal && !lacks_memory) return;
  const core::RunId id = run.run;
  if (lacks_memory) {
    const std::lock_guard lock{unmoved_mutex_};
    if (++unmoved(id).failures < core::kMemoryFailuresMax) return;
  }
  ++stats_.runs_parked;
  tell_damage("run " + to_string(id), run.why + "; it is parked");
  bool is_parked = run.timer.has_value();
  std::vector<Request> requests;
  core::WakeRuns command;
  command.parked.push_back(std::move(run));
  requests.push_back({.command = std::move(command), .reply = [&](const core::Result<core::Answer>& answer) {
                        is_parked = is_parked && answer && std::get<core::Swept>(*answer).changed > 0;
                      }});
  execute(std::move(requests));
  if (is_parked) return;
  const std::lock_guard lock{unmoved_mutex_};
  unmoved(id).until = clock_.monotonic() + core::kParkedFor;
}

}  // namespace pawl::engine
