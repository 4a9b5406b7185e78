#include "engine/commands/promote_due.hpp"

namespace pawl::engine {

void needs(const core::PromoteDue& command, Needs& rows) {
  for (const core::TaskId& id : command.ids) rows.tasks.push_back({.task = {.id = id}});
}

core::Result<core::Answer> execute(const core::PromoteDue& command, GroupContext& group) {
  core::Swept swept;
  for (const core::TaskId& id : command.ids) {
    WorkingTask* task = group.tasks.find(id);
    if (task == nullptr) continue;
    const auto change = core::decide_promote(task->record, group.now());
    if (!change) continue;
    group.tasks.change(*task, *change);
    ++swept.changed;
  }
  return core::Answer{swept};
}

}  // namespace pawl::engine
