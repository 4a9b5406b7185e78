#include "engine/commands/change_records.hpp"

#include <utility>

namespace pawl::engine {

namespace {

int evict(const core::HeldTasks& held, const core::EvictFrom& from, GroupContext& group) {
  int evicted = 0;
  for (const core::TaskId& id : held.ids) {
    WorkingTask* task = group.tasks.find(held.ns, id);
    if (task == nullptr) continue;
    const auto change = core::decide_evict(task->record, from, group.moment());
    if (!change) continue;
    group.effects.change_task(*task, *change, {.type = "recovery"});
    ++evicted;
  }
  return evicted;
}

}  // namespace

void needs(const core::ChangeRecords& command, Needs& rows) {
  rows.records.insert(rows.records.end(), command.refs.begin(), command.refs.end());
  for (const core::TaskId& id : command.held.ids)
    rows.tasks.push_back({.task = {.id = id, .facts = true}, .line = true, .run = true});
}

core::Result<core::Answer> execute(const core::ChangeRecords& command, GroupContext& group) {
  auto decision = command.decide(group.records.find(command.refs), group.now());
  if (!decision) return decision.problem();
  for (const core::RecordChange& change : decision->changes) group.records.change(change);
  const bool has_changed = !decision->changes.empty();
  for (core::AuditEntry& entry : decision->audit) group.records.note(std::move(entry));
  const int evicted = evict(command.held,
                            {.worker_id = command.held.worker_id,
                             .eviction = decision->eviction,
                             .spared_after = decision->spared_after},
                            group);
  return core::Answer{core::RecordAnswer{
      .body = std::move(decision->answer), .evicted = evicted, .has_changed = has_changed}};
}

}  // namespace pawl::engine
