#include "engine/erased_rows.hpp"

#include <algorithm>
#include <utility>

#include "core/base/canary.hpp"

namespace pawl::engine {

std::vector<core::FinishedTask> ErasedRows::lock_tasks(std::vector<core::TaskId> ids) {
  std::erase_if(ids, [this](const core::TaskId& id) {
    return tasks_.find(id) != nullptr || erased_tasks_.contains(id);
  });
  std::sort(ids.begin(), ids.end());
  return tx_.lock_finished(ids);
}

void ErasedRows::erase(const std::vector<core::FinishedTask>& tasks) {
  for (const core::FinishedTask& task : tasks) erased_tasks_.emplace(task.id, task);
}

void ErasedRows::erase(store::RunErase run) { runs_.emplace(run.id, std::move(run)); }

void ErasedRows::erase_audit(std::int64_t up_to) { audit_up_to_ = std::max(audit_up_to_.value_or(0), up_to); }

void ErasedRows::add_to(store::WriteSet& writes) const {
  std::map<const core::Lane*, std::int64_t> dead;
  for (const auto& [id, task] : erased_tasks_) {
    writes.erased_tasks.push_back(task);
    if (task.status == core::TaskStatus::dead_letter &&
        !core::planted(core::Canary::erased_dead_letter_counted))
      ++dead[task.lane];
  }
  for (const auto& [lane, count] : dead)
    writes.counts.push_back({.lane = lane, .delta = {.dead_letter = -count}});
  for (const auto& [id, run] : runs_) writes.erased_runs.push_back(run);
  writes.audit_erased_to = audit_up_to_;
}

}  // namespace pawl::engine
