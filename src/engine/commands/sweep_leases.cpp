#include "engine/commands/sweep_leases.hpp"

namespace pawl::engine {

void needs(const core::SweepLeases& command, Needs& rows) {
  for (const core::LeaseRef& ref : command.leases)
    rows.tasks.push_back({.task = {.id = ref.task_id, .facts = true}, .line = true, .run = true});
}

core::Result<core::Answer> execute(const core::SweepLeases& command, GroupContext& group) {
  core::Swept swept;
  for (const core::LeaseRef& ref : command.leases) {
    WorkingTask* task = group.tasks.find(ref.task_id);
    if (task == nullptr) continue;
    const auto change = core::decide_sweep(task->record, ref.fence, group.moment());
    if (!change) continue;
    group.effects.change_task(*task, *change, {.type = "recovery"});
    ++swept.changed;
  }
  return core::Answer{swept};
}

}  // namespace pawl::engine
