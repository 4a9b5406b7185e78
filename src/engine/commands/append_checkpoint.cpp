#include "engine/commands/append_checkpoint.hpp"

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/json/json_writer.hpp"
#include "engine/commands/shared.hpp"

namespace pawl::engine {

namespace {

// Appends an event for the checkpoint to the log of the run that owns it.
core::Status note_in_run(const core::AppendCheckpoint& command, std::int64_t sequence, GroupContext& group) {
  const core::RunId& id = std::get<core::RunId>(command.owner);
  core::WorkingRun* run = group.runs.find(command.ns, id);
  if (run == nullptr) return no_such_run(id);
  core::Writer detail;
  detail.begin_object()
      .field("checkpoint_id", core::checkpoint_id(command.owner, sequence, group.now()))
      .field("type", command.type)
      .field("sequence", sequence)
      .end_object();
  group.effects.apply(id, core::note_evidence(*run, core::RunEventType::checkpoint_written, {detail.take()},
                                              group.effects.context(run->run().facts, actor_of(command.by))));
  return core::Done{};
}

}  // namespace

void needs(const core::AppendCheckpoint& command, Needs& rows) {
  rows.checkpoints.push_back(core::id_of(command.owner));
  if (const auto* task = std::get_if<core::TaskId>(&command.owner))
    rows.tasks.push_back({.task = {.id = *task}});
  if (const auto* run = std::get_if<core::RunId>(&command.owner)) rows.runs.push_back(*run);
}

core::Result<core::Answer> execute(const core::AppendCheckpoint& command, GroupContext& group) {
  const auto* task = std::get_if<core::TaskId>(&command.owner);
  if (task != nullptr && group.tasks.find(command.ns, *task) == nullptr) return no_such_task(*task);
  const core::Uuid owner = core::id_of(command.owner);
  const std::int64_t next = group.records.next_checkpoint(owner);
  if (command.sequence && *command.sequence != next &&
      !core::planted(core::Canary::checkpoint_sequence_not_compared)) {
    return core::Problem{
        .code = core::ProblemCode::precondition_failed,
        .detail = fmt::format("the next checkpoint of {} has sequence {}, the request carried {}",
                              to_string(owner), next, *command.sequence)};
  }
  if (task == nullptr) {
    if (const core::Status noted = note_in_run(command, next, group); !noted) return noted.problem();
  }
  group.records.append(command);
  return core::Answer{core::CheckpointAppended{
      .checkpoint_id = core::checkpoint_id(command.owner, next, group.now()), .sequence = next}};
}

}  // namespace pawl::engine
