#include "engine/needs.hpp"

#include <algorithm>
#include <utility>

#include "core/run/step.hpp"
#include "engine/group_context.hpp"

namespace pawl::engine {

namespace {

// Two commands that need the same task may rest on different leases: then the stored row is needed.
void merge(store::LoadTask& into, const store::LoadTask& other) {
  into.facts = into.facts || other.facts;
  if (into.hints.ended_lease != other.hints.ended_lease) into.hints.ended_lease = std::nullopt;
  if (into.hints.expected_fence != other.hints.expected_fence) into.hints.expected_fence = std::nullopt;
}

// `needs` is sorted by task.
std::vector<store::LoadTask> tasks_to_load(const std::vector<TaskNeed>& needs) {
  std::vector<store::LoadTask> tasks;
  tasks.reserve(needs.size());
  for (const TaskNeed& need : needs) {
    if (!tasks.empty() && tasks.back().id == need.task.id) {
      merge(tasks.back(), need.task);
    } else {
      tasks.push_back(need.task);
    }
  }
  return tasks;
}

// Adds what is known only once the task is loaded: its line, its run, and whether the attempt is over.
void add_needs_of_task(const TaskNeed& need, GroupContext& group, std::vector<core::LeaseRef>& attempts,
                       Needs& needs) {
  const WorkingTask* task = group.tasks.find(need.task.id);
  if (task == nullptr) return;
  const core::TaskRecord& record = task->record;
  const bool is_over = need.attempt && !(record.lease && record.progress.fence == *need.attempt);
  if (is_over) attempts.push_back({.task_id = record.id, .fence = *need.attempt});
  if (need.line && record.facts.key) needs.lines.push_back(line_ref(record));
  if (need.run && record.facts.run) {
    const core::TaskRun& run = *record.facts.run;
    (core::is_body_type(record.lane->type) ? needs.runs_of_bodies : needs.runs).push_back(run.run_id);
    needs.nodes.push_back({.run = run.run_id, .key = run.node});
  }
}

}  // namespace

void load_rows(Needs needs, GroupContext& group) {
  std::sort(needs.tasks.begin(), needs.tasks.end(),
            [](const TaskNeed& a, const TaskNeed& b) { return a.task.id < b.task.id; });
  group.tasks.load(tasks_to_load(needs.tasks));
  std::vector<core::LeaseRef> attempts;
  for (const TaskNeed& need : needs.tasks) add_needs_of_task(need, group, attempts, needs);
  group.tasks.load_attempts(attempts);
  group.tasks.load_idempotency(std::move(needs.idempotency));
  group.records.lock(std::move(needs.records));
  group.records.load_checkpoints(std::move(needs.checkpoints));
  group.tasks.lock_queues(std::move(needs.queues));
  group.tasks.lock_lines(std::move(needs.lines));
  group.runs.lock(std::move(needs.runs));
  group.runs.lock_of_bodies(needs.runs_of_bodies);
  group.runs.prefetch(needs.nodes);
  group.runs.load_keys(std::move(needs.run_keys));
}

}  // namespace pawl::engine
