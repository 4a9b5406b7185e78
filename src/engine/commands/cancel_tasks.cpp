#include "engine/commands/cancel_tasks.hpp"

#include "engine/commands/shared.hpp"

namespace pawl::engine {

using core::Result;

namespace {

Result<core::TaskMoved> cancel_one(const core::CancelTasks& command, const core::TaskId& id,
                                   GroupContext& group) {
  WorkingTask* task = group.tasks.find(command.ns, id);
  if (task == nullptr) return no_such_task(id);
  auto change = core::decide_cancel(task->record, group.now());
  if (!change) return change.problem();
  group.effects.change_task(*task, *change, actor_of(command.by));
  const bool is_requested = task->record.lease && task->record.lease->cancel_requested;
  return core::TaskMoved{.task_id = id, .status = task->record.status, .cancel_requested = is_requested};
}

}  // namespace

void needs(const core::CancelTasks& command, Needs& rows) { need_to_move(command.ids, rows); }

Result<core::Answer> execute(const core::CancelTasks& command, GroupContext& group) {
  std::vector<Result<core::TaskMoved>> results;
  results.reserve(command.ids.size());
  for (const core::TaskId& id : command.ids) results.push_back(cancel_one(command, id, group));
  note_moves({.action = "task.cancel", .by = command.by, .ns = command.ns}, command.ids, results,
             group.records);
  return core::Answer{std::move(results)};
}

}  // namespace pawl::engine
