// BatchRuns' part for single tasks of open runs: adding them one by one, and retrying them.
#include <utility>

#include <fmt/format.h>

#include "core/base/ensure.hpp"
#include "core/records/inbox.hpp"
#include "engine/batch_runs.hpp"

namespace pawl::engine {

core::Status BatchRuns::no_open_run(const std::string& ns, const core::RunId& id) {
  const auto& record = runs_.peek(core::inbox_ref(to_string(id)));
  if (record && record->expires_at) {  // otherwise the call was refused
    const core::InboxCall call = core::inbox_call_from(*record);
    const auto* start = std::get_if<core::StartRun>(&call.command);
    if (start != nullptr && start->ns == ns)
      return core::invalid_field("run_id",
                                 "is not an open run: its tasks are those of its definition or its code");
  }
  return core::invalid_field("run_id", "there is no run " + to_string(id));
}

core::Status BatchRuns::check_added(const core::EnqueueTasks& command) {
  for (std::size_t i = 0; i < command.tasks.size(); ++i) {
    const core::TaskSpec& spec = command.tasks[i];
    if (!spec.run_id) continue;
    core::WorkingRun* working = runs_.find(command.ns, *spec.run_id);
    core::Status allowed =
        working == nullptr ? no_open_run(command.ns, *spec.run_id) : core::check_added(*working, spec.after);
    if (allowed) continue;
    core::Problem problem = allowed.problem();
    if (command.tasks.size() == 1) return problem;
    for (core::FieldError& error : problem.errors) error.field = fmt::format("tasks[{}].{}", i, error.field);
    problem.detail = fmt::format("tasks[{}]: {}", i, problem.detail);
    return problem;
  }
  return core::Done{};
}

BatchRuns::Added BatchRuns::add_task(const core::TaskSpec& spec, const core::TaskId& id,
                                     const core::EventActor& actor) {
  core::WorkingRun* working = runs_.find(*spec.run_id);
  const core::RunFacts& facts = working->run().facts;
  auto added = core::add_task(*working, {.task_id = id, .after = spec.after}, context(facts, actor));
  PAWL_ENSURE(added.ok(), "it was checked that the run takes the task");
  const Added result{
      .run = {.run_id = *spec.run_id,
              .node = added->node,
              .node_id = to_string(id),
              .traceparent = core::traceparent_of(facts.trace_id, facts.span_id, facts.trace_flags)},
      .trace = core::task_trace_of(facts),
      .is_held = added->state != core::NodeState::pending};
  take(*spec.run_id, std::move(added->decision));
  return result;
}

core::Status BatchRuns::retry_task(const core::TaskRun& task, const core::EventActor& actor) {
  core::WorkingRun* working = runs_.find(task.run_id);
  PAWL_ENSURE(working != nullptr, "a task is erased with its run");
  auto decision = revive(
      *working, [&] { return core::retry_task(*working, task.node, context(working->run().facts, actor)); });
  if (!decision) return decision.problem();
  take(task.run_id, std::move(*decision));
  return core::Done{};
}

}  // namespace pawl::engine
