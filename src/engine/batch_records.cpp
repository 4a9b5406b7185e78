// Batch's part for records and checkpoints, and for evicting tasks when a record ends.

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "engine/batch.hpp"

namespace pawl::engine {

using core::Answer;
using core::Result;

void Batch::load_records(const std::vector<const core::Command*>& commands) {
  std::vector<core::RecordRef> refs;
  std::vector<core::Uuid> owners;
  for (const core::Command* command : commands) {
    if (const auto* change = std::get_if<core::ChangeRecords>(command)) {
      refs.insert(refs.end(), change->refs.begin(), change->refs.end());
    } else if (const auto* append = std::get_if<core::AppendCheckpoint>(command)) {
      owners.push_back(core::id_of(append->owner));
    }
  }
  records_.lock(std::move(refs));
  records_.load_checkpoints(std::move(owners));
}

Result<Answer> Batch::run(const core::ChangeRecords& command) {
  auto decision = command.decide(records_.find(command.refs), tx_.now());
  if (!decision) return decision.problem();
  for (const core::RecordChange& change : decision->changes) records_.change(change);
  const bool has_changed = !decision->changes.empty();
  for (core::AuditEntry& entry : decision->audit) records_.note(std::move(entry));
  const int evicted = evict(command.held, {.worker_id = command.held.worker_id,
                                           .eviction = decision->eviction,
                                           .spared_after = decision->spared_after});
  return Answer{core::RecordAnswer{
      .body = std::move(decision->answer), .evicted = evicted, .has_changed = has_changed}};
}

int Batch::evict(const core::HeldTasks& held, const core::EvictFrom& from) {
  int evicted = 0;
  for (const core::TaskId& id : held.ids) {
    WorkingTask* task = find(held.ns, id);
    if (task == nullptr) continue;
    const auto taken = core::decide_evict(task->record, from, moment());
    if (!taken) continue;
    change(*task, *taken, {.type = "recovery"});
    ++evicted;
  }
  return evicted;
}

Result<Answer> Batch::run(const core::AppendCheckpoint& command) {
  const auto* task = std::get_if<core::TaskId>(&command.owner);
  if (task != nullptr && find(command.ns, *task) == nullptr) return no_such_task(*task);
  const core::Uuid owner = core::id_of(command.owner);
  const std::int64_t next = records_.next_checkpoint(owner);
  if (command.sequence && *command.sequence != next &&
      !core::planted(core::Canary::checkpoint_sequence_not_compared)) {
    return core::Problem{
        .code = core::ProblemCode::precondition_failed,
        .detail = fmt::format("the next checkpoint of {} has sequence {}, the request carried {}",
                              to_string(owner), next, *command.sequence)};
  }
  if (task == nullptr) {
    if (const core::Status noted = runs_.note_checkpoint(command, next); !noted) return noted.problem();
  }
  records_.append(command);
  return Answer{core::CheckpointAppended{.checkpoint_id = core::checkpoint_id(command.owner, next, tx_.now()),
                                         .sequence = next}};
}

}  // namespace pawl::engine
