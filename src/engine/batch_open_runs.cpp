// The tasks of open runs: added one by one, and taken back when they are retried.
#include <utility>

#include <fmt/format.h>

#include "core/ensure.hpp"
#include "engine/batch_runs.hpp"

namespace pawl::engine {

core::Status BatchRuns::check_added(const core::EnqueueTasks& command) {
  for (std::size_t i = 0; i < command.tasks.size(); ++i) {
    const core::TaskSpec& spec = command.tasks[i];
    if (!spec.run_id) continue;
    core::WorkingRun* working = runs_.find(command.ns, *spec.run_id);
    core::Status allowed = working == nullptr
                               ? core::invalid_field("run_id", "there is no run " + to_string(*spec.run_id))
                               : core::check_added(*working, spec.after);
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
  const Added result{.run = {.run_id = *spec.run_id,
                             .node = added->node,
                             .node_id = to_string(id),
                             .traceparent = core::traceparent_of(facts.trace_id, facts.span_id)},
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
