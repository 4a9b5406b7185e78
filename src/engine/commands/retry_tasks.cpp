#include "engine/commands/retry_tasks.hpp"

#include "core/base/ensure.hpp"
#include "engine/commands/shared.hpp"

namespace pawl::engine {

using core::Result;

namespace {

core::Status retry_in_run(const core::TaskRun& task, const core::EventActor& actor, GroupContext& group) {
  core::WorkingRun* run = group.runs.find(task.run_id);
  PAWL_ENSURE(run != nullptr, "a task is erased with its run");
  const auto decide = [&] {
    return core::retry_task(*run, task.node, group.effects.context(run->run().facts, actor));
  };
  auto decision = revive_run(*run, decide, group.runs);
  if (!decision) return decision.problem();
  group.effects.apply(task.run_id, std::move(*decision));
  return core::Done{};
}

Result<core::TaskMoved> retry_one(const core::RetryTasks& command, const core::TaskId& id,
                                  GroupContext& group) {
  WorkingTask* task = group.tasks.find(command.ns, id);
  if (task == nullptr) return no_such_task(id);
  // Decide before the task joins its line: a task that cannot be retried must not join.
  auto change = core::decide_revive(task->record, true, group.now());
  if (!change) return change.problem();
  if (task->record.facts.run) {
    const core::Status retried = retry_in_run(*task->record.facts.run, actor_of(command.by), group);
    if (!retried) return retried.problem();
    return core::TaskMoved{.task_id = id, .status = task->record.status};
  }
  if (task->record.facts.key) {
    const store::LineRef line = line_ref(task->record);
    if (!group.tasks.join_line(line, id)) {
      change = core::decide_revive(task->record, false, group.now());
      group.tasks.note_waiting(line, *task);
    }
  }
  group.tasks.change(*task, *change);
  return core::TaskMoved{.task_id = id, .status = task->record.status};
}

}  // namespace

void needs(const core::RetryTasks& command, Needs& rows) { need_to_move(command.ids, rows); }

Result<core::Answer> execute(const core::RetryTasks& command, GroupContext& group) {
  std::vector<Result<core::TaskMoved>> results;
  results.reserve(command.ids.size());
  for (const core::TaskId& id : command.ids) results.push_back(retry_one(command, id, group));
  note_moves({.action = "task.retry", .by = command.by, .ns = command.ns}, command.ids, results,
             group.records);
  return core::Answer{std::move(results)};
}

}  // namespace pawl::engine
