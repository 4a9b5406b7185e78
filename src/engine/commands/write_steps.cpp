#include "engine/commands/write_steps.hpp"

#include <utility>

#include "core/base/canary.hpp"
#include "core/records/token.hpp"
#include "engine/commands/shared.hpp"

namespace pawl::engine {

using core::Answer;
using core::Result;

namespace {

// Checks the queues of the token. The queue of a body is known only under lock.
core::Status check_body_queue(const core::WriteSteps& command, const WorkingTask& body, GroupContext& group) {
  if (command.bound_to.empty() || core::planted(core::Canary::token_queue_not_compared)) return core::Done{};
  core::Status allowed = core::check_queue(command.bound_to, body.record.lane->queue);
  for (const core::StepWrite& step : command.steps) {
    if (!allowed || !step.child) continue;
    const bool is_defined = group.runs.latest_plan(command.ns, step.child->workflow) != nullptr;
    if (is_defined) allowed = forbidden_definition(step.child->workflow);
  }
  if (!allowed)
    group.records.note_denial(command.by, command.ns, to_string(command.run_id), allowed.problem());
  return allowed;
}

bool is_body_of(const WorkingTask& task, const core::RunId& run) {
  const auto& its_run = task.record.facts.run;
  return its_run && its_run->run_id == run && its_run->node == core::kBodyKey;
}

Result<core::StepsWritten> write(const core::WriteSteps& command, GroupContext& group) {
  core::WorkingRun* run = group.runs.find(command.ns, command.run_id);
  if (run == nullptr) return no_such_run(command.run_id);
  WorkingTask* body = group.tasks.find(command.body);
  if (body == nullptr || !is_body_of(*body, command.run_id))
    return core::invalid_field("task_id", "is not the body of the run");
  if (const core::Status allowed = check_body_queue(command, *body, group); !allowed)
    return allowed.problem();
  group.tasks.compare_leases();
  const core::Status held = core::check_fence(body->record, command.fence, group.moment_without_chance());
  if (!held) return held.problem();
  const core::EventActor actor{.type = "worker", .id = body->record.lease->worker_id};
  auto decided = core::write_steps(*run, command, group.effects.context(run->run().facts, actor));
  if (!decided && decided.problem().code == core::ProblemCode::forbidden)
    group.records.note_denial(command.by, command.ns, to_string(command.run_id), decided.problem());
  if (!decided) return decided.problem();
  const bool is_parked = command.park && !core::is_closed(run->run().state);
  if (decided->written.is_suspended || is_parked) group.effects.suspend_body(*body);
  group.effects.apply(command.run_id, std::move(decided->run));
  return std::move(decided->written);
}

}  // namespace

void needs(const core::WriteSteps& command, Needs& rows) {
  store::LoadTask body{.id = command.body, .facts = command.suspend || command.park};
  if (!body.facts) body.hints.expected_fence = command.fence;
  rows.tasks.push_back({.task = body});
  rows.runs_of_bodies.push_back(command.run_id);
  rows.nodes.push_back({.run = command.run_id, .key = core::kBodyKey});
  for (const core::StepWrite& step : command.steps)
    rows.nodes.push_back({.run = command.run_id, .key = core::step_key(step.step_id, 0)});
  if (!command.suspend) return;
  for (const std::string& step : command.suspend->steps)
    rows.nodes.push_back({.run = command.run_id, .key = core::step_key(step, 0)});
}

void needs(const core::WriteStepsOfMany& command, Needs& rows) {
  for (const core::WriteSteps& write : command.writes) needs(write, rows);
}

Result<Answer> execute(const core::WriteSteps& command, GroupContext& group) {
  auto written = write(command, group);
  if (!written) return written.problem();
  return Answer{std::move(*written)};
}

Result<Answer> execute(const core::WriteStepsOfMany& command, GroupContext& group) {
  std::vector<Result<core::StepsWritten>> results;
  results.reserve(command.writes.size());
  for (const core::WriteSteps& one : command.writes) {
    const core::Status valid = core::check(one);
    results.push_back(valid ? write(one, group) : valid.problem());
  }
  return Answer{std::move(results)};
}

}  // namespace pawl::engine
