// BatchRuns' part for tokens that are bound to queues. The queue of a run or a body is known only under lock.

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/records/token.hpp"
#include "engine/batch_runs.hpp"

namespace pawl::engine {

namespace {

// The tasks of a definition, and those of its children, may be in any queue.
core::Problem is_a_definition(const std::string& workflow) {
  return {
      .code = core::ProblemCode::forbidden,
      .detail = fmt::format("workflow {} is a definition, whose tasks may be in any queue: a token that is "
                            "bound to queues starts workflows in code only",
                            workflow)};
}

core::Status check_run(const core::StartRun& command, const core::RunFacts& facts) {
  if (facts.kind != core::RunKind::code) return is_a_definition(facts.workflow);
  return core::check_queue(command.bound_to, facts.queue);
}

}  // namespace

core::Status BatchRuns::check_reach(const core::StartRun& command, const core::RunFacts& facts) {
  if (command.bound_to.empty() || core::planted(core::Canary::token_queue_not_compared)) return core::Done{};
  core::Status allowed = check_run(command, facts);
  if (!allowed) around_.records.note_denial(command.by, command.ns, command.workflow, allowed.problem());
  return allowed;
}

core::Status BatchRuns::check_reach(const core::WriteSteps& command, const WorkingTask& body) {
  if (command.bound_to.empty() || core::planted(core::Canary::token_queue_not_compared)) return core::Done{};
  core::Status allowed = core::check_queue(command.bound_to, body.record.lane->queue);
  for (const core::StepWrite& step : command.steps) {
    if (!allowed || !step.child) continue;
    const bool is_defined = runs_.latest_plan(command.ns, step.child->workflow) != nullptr;
    if (is_defined) allowed = is_a_definition(step.child->workflow);
  }
  if (!allowed)
    around_.records.note_denial(command.by, command.ns, to_string(command.run_id), allowed.problem());
  return allowed;
}

}  // namespace pawl::engine
