// The calls on steps of code runs.

#include <algorithm>
#include <utility>

#include "runtime/guarded.hpp"
#include "runtime/local_api.hpp"

namespace pawl::runtime {

using core::Result;

// The body's task, for callers who know the run and the fence only.
Result<core::TaskId> LocalApi::body_of(const core::RunRef& ref) {
  const auto stored = read_run(ref, {.nodes = true});
  if (!stored) return stored.problem();
  for (const core::Node& node : stored->nodes) {
    if (node.key == core::kBodyKey && node.task_id && stored->run.facts.kind == core::RunKind::code)
      return *node.task_id;
  }
  return core::Problem{.code = core::ProblemCode::invalid_state, .detail = "only a run of code has steps"};
}

core::Status LocalApi::admit(core::WriteSteps& command) {
  for (const core::StepWrite& step : command.steps) {
    if (core::Status fits = admit_json(command.ns, "output", step.output); !fits) return fits;
  }
  if (command.body != core::TaskId{}) return core::Done{};
  const auto body = body_of({.ns = command.ns, .id = command.run_id});
  if (!body) return body.problem();
  command.body = *body;
  return core::Done{};
}

bool LocalApi::is_at_hand(const core::WriteSteps& command) {
  if (command.body == core::TaskId{}) return false;
  return !core::check_namespace(command.ns) ||
         shared_->records.find_at_hand(core::namespace_ref(command.ns)).has_value();
}

Result<core::StepsWritten> LocalApi::write_steps(core::WriteSteps command) {
  if (const core::Status admitted = admit(command); !admitted) return admitted.problem();
  return call_for<core::StepsWritten>(std::move(command));
}

std::vector<core::Status> LocalApi::admit(core::WriteStepsOfMany& command) {
  std::vector<core::Status> admitted;
  std::vector<core::WriteSteps> writes;
  for (core::WriteSteps& one : command.writes) {
    if (admitted.emplace_back(admit(one))) writes.push_back(std::move(one));
  }
  command.writes = std::move(writes);
  return admitted;
}

bool LocalApi::is_at_hand(const core::WriteStepsOfMany& command) {
  return std::all_of(command.writes.begin(), command.writes.end(),
                     [this](const core::WriteSteps& one) { return is_at_hand(one); });
}

Result<std::vector<Result<core::StepsWritten>>> LocalApi::write_steps_of_many(
    core::WriteStepsOfMany command) {
  if (const core::Status valid = core::check(command); !valid) return valid.problem();
  const std::vector<core::Status> admitted = admit(command);
  std::vector<Result<core::StepsWritten>> results;
  if (!command.writes.empty()) {
    auto written = call_for<std::vector<Result<core::StepsWritten>>>(std::move(command));
    if (!written) return written.problem();
    results = std::move(*written);
  }
  return core::with_refused(admitted, std::move(results));
}

Result<std::vector<core::StepAttempt>> LocalApi::list_steps(const core::RunRef& ref) {
  const auto run = get_run(ref);
  if (!run) return run.problem();
  return guarded([&]() -> Result<std::vector<core::StepAttempt>> {
    std::vector<core::RunEvent> events;
    for (store::StoredEvent& stored :
         store_.list_run_events(ref.id, 0, static_cast<std::size_t>(run->sequence)))
      events.push_back(std::move(stored.event));
    return run->facts.kind == core::RunKind::code ? core::step_attempts(events)
                                                  : std::vector<core::StepAttempt>{};
  });
}

}  // namespace pawl::runtime
