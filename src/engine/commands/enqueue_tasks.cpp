#include "engine/commands/enqueue_tasks.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/ensure.hpp"
#include "core/records/inbox.hpp"
#include "engine/commands/shared.hpp"

namespace pawl::engine {

namespace {

bool is_of_run(const core::TaskSpec& spec) { return spec.run_id.has_value(); }

// Why no task can be added to a run that is not stored: it does not exist, or a SQL function has returned its
// id, and those start no open runs.
core::Status no_open_run(const std::string& ns, const core::RunId& id, WorkingRuns& runs) {
  const auto& record = runs.peek(core::inbox_ref(to_string(id)));
  if (record && record->expires_at) {  // otherwise the call was refused
    const core::InboxCall call = core::inbox_call_from(*record);
    const auto* start = std::get_if<core::StartRun>(&call.command);
    if (start != nullptr && start->ns == ns)
      return core::invalid_field("run_id",
                                 "is not an open run: its tasks are those of its definition or its code");
  }
  return core::invalid_field("run_id", "there is no run " + to_string(id));
}

// Checks that the open runs accept the tasks.
core::Status check_runs(const core::EnqueueTasks& command, WorkingRuns& runs) {
  for (std::size_t i = 0; i < command.tasks.size(); ++i) {
    const core::TaskSpec& spec = command.tasks[i];
    if (!spec.run_id) continue;
    core::WorkingRun* run = runs.find(command.ns, *spec.run_id);
    core::Status allowed =
        run == nullptr ? no_open_run(command.ns, *spec.run_id, runs) : core::check_added(*run, spec.after);
    if (allowed) continue;
    core::Problem problem = allowed.problem();
    if (command.tasks.size() == 1) return problem;
    for (core::FieldError& error : problem.errors) error.field = fmt::format("tasks[{}].{}", i, error.field);
    problem.detail = fmt::format("tasks[{}]: {}", i, problem.detail);
    return problem;
  }
  return core::Done{};
}

WorkingTask& add_task(const core::EnqueueTasks& command, core::TaskRecord record, GroupContext& group) {
  if (command.trace) record.facts.trace = command.trace;
  return group.tasks.add_new(std::move(record));
}

// Adds the task as a node of its run. The run holds it until the tasks before it have ended.
void create_in_run(const core::EnqueueTasks& command, const core::TaskSpec& spec, const core::TaskId& id,
                   GroupContext& group) {
  core::WorkingRun* run = group.runs.find(*spec.run_id);
  const core::RunFacts& facts = run->run().facts;
  auto added = core::add_task(*run, {.task_id = id, .after = spec.after},
                              group.effects.context(facts, actor_of(command.by)));
  PAWL_ENSURE(added.ok(), "it was checked that the run takes the task");
  const core::Lane* lane = group.lanes.find(command.ns, spec);
  core::TaskRecord record = core::new_task(id, *lane, spec, group.now(), false);
  record.facts.run =
      core::TaskRun{.run_id = *spec.run_id,
                    .node = added->node,
                    .node_id = to_string(id),
                    .traceparent = core::traceparent_of(facts.trace_id, facts.span_id, facts.trace_flags)};
  record.facts.trace = core::task_trace_of(facts);
  const bool is_held = added->state != core::NodeState::pending;
  group.effects.apply(*spec.run_id, std::move(added->decision));
  WorkingTask& task = add_task(command, std::move(record), group);
  if (!is_held) group.tasks.release(task);
}

void create_in_line(const core::EnqueueTasks& command, const core::TaskSpec& spec, const core::TaskId& id,
                    GroupContext& group) {
  const store::LineRef line{.ns = command.ns, .queue = spec.queue, .key = *spec.key};
  const bool is_first = group.tasks.join_line(line, id);
  const core::Lane* lane = group.lanes.find(command.ns, spec);
  WorkingTask& task = add_task(command, core::new_task(id, *lane, spec, group.now(), is_first), group);
  if (!is_first) group.tasks.note_waiting(line, task);
}

core::Enqueued create(const core::EnqueueTasks& command, const core::TaskSpec& spec, const core::TaskId& id,
                      GroupContext& group) {
  if (spec.run_id) {
    create_in_run(command, spec, id, group);
  } else if (spec.key) {
    create_in_line(command, spec, id, group);
  } else {
    const core::Lane* lane = group.lanes.find(command.ns, spec);
    add_task(command, core::new_task(id, *lane, spec, group.now(), true), group);
  }
  return {.created = true, .id = id};
}

core::Enqueued enqueue(const core::EnqueueTasks& command, const core::TaskSpec& spec, GroupContext& group) {
  const core::TaskId id = spec.id.value_or(group.ids.next_task(group.now()));
  if (!spec.idempotency_key) return create(command, spec, id, group);
  const auto owner =
      group.tasks.give_key({.ns = command.ns, .type = spec.type, .key = *spec.idempotency_key}, id);
  const bool is_promised = !owner.is_new && owner.id == id;  // the SQL function of this call stored it
  const bool is_duplicate =
      !owner.is_new && !is_promised && !core::planted(core::Canary::idempotency_forgotten);
  if (is_duplicate) return {.created = false, .id = owner.id};
  core::Enqueued created = create(command, spec, id, group);
  group.tasks.newest().has_key = is_promised;
  return created;
}

// Writes one entry for the whole batch. A single enqueue gets none: docs/adr/0010-the-audit-is-a-chain.md.
void note_batch(const core::EnqueueTasks& command, const std::vector<core::Enqueued>& results,
                WorkingRecords& records) {
  const auto count =
      std::count_if(results.begin(), results.end(), [](const core::Enqueued& one) { return one.created; });
  core::AuditEntry entry =
      core::audit_of(command.by, command.ns, "task.enqueue", to_string(results.front().id));
  entry.detail = {fmt::format(R"({{"count":{}}})", count)};
  records.note(std::move(entry));
}

}  // namespace

void needs(const core::EnqueueTasks& command, Needs& rows) {
  for (const core::TaskSpec& spec : command.tasks) {
    if (spec.idempotency_key)
      rows.idempotency.push_back({.ns = command.ns, .type = spec.type, .key = *spec.idempotency_key});
    if (spec.key) rows.lines.push_back({.ns = command.ns, .queue = spec.queue, .key = *spec.key});
    if (spec.run_id) rows.runs.push_back(*spec.run_id);
  }
}

core::Result<core::Answer> execute(const core::EnqueueTasks& command, GroupContext& group) {
  if (std::any_of(command.tasks.begin(), command.tasks.end(), is_of_run)) {
    if (const core::Status allowed = check_runs(command, group.runs); !allowed) return allowed.problem();
  }
  std::vector<core::Enqueued> results;
  results.reserve(command.tasks.size());
  for (const core::TaskSpec& spec : command.tasks) {
    core::Enqueued& result = results.emplace_back(enqueue(command, spec, group));
    if (command.wants_tasks && result.created) {
      auto shown = std::make_shared<core::Task>();
      result.task = shown;
      group.tasks.show_at_end(group.tasks.newest(), std::move(shown));
    }
  }
  if (!command.by.id.empty() && command.tasks.size() > 1) note_batch(command, results, group.records);
  return core::Answer{std::move(results)};
}

}  // namespace pawl::engine
