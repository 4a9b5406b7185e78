#include "engine/commands/set_queue.hpp"

#include <utility>

#include "core/records/audit.hpp"

namespace pawl::engine {

void needs(const core::SetQueue& command, Needs& rows) {
  rows.queues.push_back({.ns = command.ns, .name = command.name});
}

core::Result<core::Answer> execute(const core::SetQueue& command, GroupContext& group) {
  WorkingQueue& queue = group.tasks.queues()[{.ns = command.ns, .name = command.name}];
  queue.settings = core::patched(std::move(queue.settings), command.patch);
  queue.is_changed = true;
  group.records.note(core::audit_of(command.by, command.ns, "queue.set", command.name));
  return core::Answer{core::Done{}};
}

}  // namespace pawl::engine
