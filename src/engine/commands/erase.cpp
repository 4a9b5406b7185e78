#include "engine/commands/erase.hpp"

#include <map>
#include <utility>

#include "core/base/canary.hpp"

namespace pawl::engine {

namespace {

// A run is kept while one of its tasks has not ended: a canceled run ends before its last task.
bool erase_run(const core::EraseRuns::Ref& ref, const core::Run& run, GroupContext& group) {
  if (!core::is_closed(run.state) || run.sequence != ref.sequence) return false;
  std::vector<core::TaskId> ids;
  for (const store::RunTask& task : group.tx.list_run_tasks(ref.id, nullptr)) ids.push_back(task.id);
  const auto tasks = group.erased.lock_tasks(ids);
  if (tasks.size() != ids.size() && !core::planted(core::Canary::open_run_erased)) return false;
  group.erased.erase(tasks);
  store::RunErase erased{.id = ref.id, .sequence = ref.sequence};
  if (run.facts.run_key)
    erased.key = {.ns = run.facts.ns, .workflow = run.facts.workflow, .key = *run.facts.run_key};
  group.erased.erase(std::move(erased));
  return true;
}

void count_erased(const core::Answer& answer, EngineStats& stats) {
  stats.erased += std::get<core::Swept>(answer).changed;
}

}  // namespace

// Erased rows are locked one command at a time, after the rows that other commands of the group need.
void needs(const core::EraseTasks& /*command*/, Needs& /*rows*/) {}
void needs(const core::EraseRuns& /*command*/, Needs& /*rows*/) {}
void needs(const core::EraseAudit& /*command*/, Needs& /*rows*/) {}

core::Result<core::Answer> execute(const core::EraseTasks& command, GroupContext& group) {
  std::map<core::TaskId, core::TimePoint> seen;
  std::vector<core::TaskId> ids;
  for (const core::EraseTasks::Ref& ref : command.tasks) {
    if (seen.emplace(ref.id, ref.finished_at).second) ids.push_back(ref.id);
  }
  auto tasks = group.erased.lock_tasks(std::move(ids));
  std::erase_if(tasks, [&seen](const core::FinishedTask& task) {
    return task.lane->of_runs ||
           (task.finished_at != seen.at(task.id) && !core::planted(core::Canary::erased_without_comparing));
  });
  group.erased.erase(tasks);
  return core::Answer{core::Swept{.changed = static_cast<int>(tasks.size())}};
}

core::Result<core::Answer> execute(const core::EraseRuns& command, GroupContext& group) {
  std::map<core::RunId, core::EraseRuns::Ref> wanted;
  for (const core::EraseRuns::Ref& ref : command.runs) {
    const bool is_in_use = group.runs.here(ref.id) != nullptr || group.erased.has(ref.id);
    if (!is_in_use) wanted.emplace(ref.id, ref);
  }
  std::vector<core::RunId> ids;
  for (const auto& [id, ref] : wanted) ids.push_back(id);
  core::Swept swept;
  for (const std::optional<store::StoredRun>& stored : group.tx.lock_runs(ids)) {
    if (stored && erase_run(wanted.at(stored->run.facts.id), stored->run, group)) ++swept.changed;
  }
  return core::Answer{swept};
}

core::Result<core::Answer> execute(const core::EraseAudit& command, GroupContext& group) {
  group.erased.erase_audit(command.up_to);
  return core::Answer{core::Swept{.changed = command.count}};
}

void count_effects(const core::EraseTasks& /*command*/, const core::Answer& answer, EngineStats& stats) {
  count_erased(answer, stats);
}
void count_effects(const core::EraseRuns& /*command*/, const core::Answer& answer, EngineStats& stats) {
  count_erased(answer, stats);
}
void count_effects(const core::EraseAudit& /*command*/, const core::Answer& answer, EngineStats& stats) {
  count_erased(answer, stats);
}

}  // namespace pawl::engine
