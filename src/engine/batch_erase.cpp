// Batch's part for retention. A retention walk (engine/retention.hpp) selected the rows; this code compares
// them again under lock. Rows that another command of the group touches are left for the next walk.

#include <algorithm>

#include "core/base/canary.hpp"
#include "engine/batch.hpp"

namespace pawl::engine {

using core::Answer;

std::vector<core::FinishedTask> Batch::lock_to_erase(std::vector<core::TaskId> ids) {
  std::erase_if(
      ids, [this](const core::TaskId& id) { return set_.find(id) != nullptr || erased_tasks_.contains(id); });
  std::sort(ids.begin(), ids.end());
  return tx_.lock_finished(ids);
}

void Batch::erase(const std::vector<core::FinishedTask>& tasks) {
  for (const core::FinishedTask& task : tasks) erased_tasks_.emplace(task.id, task);
}

Answer Batch::run(const core::EraseTasks& command) {
  std::map<core::TaskId, core::TimePoint> seen;
  std::vector<core::TaskId> ids;
  for (const core::EraseTasks::Ref& ref : command.tasks) {
    if (seen.emplace(ref.id, ref.finished_at).second) ids.push_back(ref.id);
  }
  auto tasks = lock_to_erase(std::move(ids));
  std::erase_if(tasks, [&seen](const core::FinishedTask& task) {
    return task.lane->of_runs ||
           (task.finished_at != seen.at(task.id) && !core::planted(core::Canary::erased_without_comparing));
  });
  erase(tasks);
  return core::Swept{.changed = static_cast<int>(tasks.size())};
}

Answer Batch::run(const core::EraseRuns& command) {
  std::map<core::RunId, core::EraseRuns::Ref> wanted;
  for (const core::EraseRuns::Ref& ref : command.runs) {
    if (!runs_.is_here(ref.id) && !erased_runs_.contains(ref.id)) wanted.emplace(ref.id, ref);
  }
  std::vector<core::RunId> ids;
  for (const auto& [id, ref] : wanted) ids.push_back(id);
  core::Swept swept;
  for (const std::optional<store::StoredRun>& stored : tx_.lock_runs(ids)) {
    if (stored && erase_run(wanted.at(stored->run.facts.id), stored->run)) ++swept.changed;
  }
  return swept;
}

// A run is kept while one of its tasks has not ended: a canceled run ends before its last task.
bool Batch::erase_run(const core::EraseRuns::Ref& ref, const core::Run& run) {
  if (!core::is_closed(run.state) || run.sequence != ref.sequence) return false;
  std::vector<core::TaskId> ids;
  for (const store::RunTask& task : tx_.list_run_tasks(ref.id, nullptr)) ids.push_back(task.id);
  const auto tasks = lock_to_erase(ids);
  if (tasks.size() != ids.size() && !core::planted(core::Canary::open_run_erased)) return false;
  erase(tasks);
  store::RunErase gone{.id = ref.id, .sequence = ref.sequence};
  if (run.facts.run_key)
    gone.key = {.ns = run.facts.ns, .workflow = run.facts.workflow, .key = *run.facts.run_key};
  erased_runs_.emplace(ref.id, std::move(gone));
  return true;
}

Answer Batch::run(const core::EraseAudit& command) {
  audit_erased_to_ = std::max(audit_erased_to_.value_or(0), command.up_to);
  return core::Swept{.changed = command.count};
}

void Batch::add_erased_to(store::WriteSet& writes) const {
  std::map<const core::Lane*, std::int64_t> dead;
  for (const auto& [id, task] : erased_tasks_) {
    writes.erased_tasks.push_back(task);
    if (task.status == core::TaskStatus::dead_letter &&
        !core::planted(core::Canary::erased_dead_letter_counted))
      ++dead[task.lane];
  }
  for (const auto& [lane, count] : dead)
    writes.counts.push_back({.lane = lane, .delta = {.dead_letter = -count}});
  for (const auto& [id, gone] : erased_runs_) writes.erased_runs.push_back(gone);
  writes.audit_erased_to = audit_erased_to_;
}

}  // namespace pawl::engine
