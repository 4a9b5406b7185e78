// LocalApi's calls on steps of code runs.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/guarded.hpp"
#include "runtime/local_api.hpp"

namespace pawl::runtime {

using core::Result;

// Reads a page of the nodes of a code run.
Result<store::StoredRun> LocalApi::read_nodes(const core::RunRef& ref, const core::NodePage& page) {
  auto stored = read_run(ref, {.page = page});
  if (!stored || stored->run.facts.kind == core::RunKind::code) return stored;
  return core::Problem{.code = core::ProblemCode::invalid_state, .detail = "only a run of code has steps"};
}

// Finds the body's task, for callers that know only the run and the fence.
Result<core::TaskId> LocalApi::body_of(const core::RunRef& ref) {
  const auto stored = read_nodes(ref, {.from = core::kBodyKey, .nodes = 1});
  if (!stored) return stored.problem();
  const bool has_body = !stored->nodes.empty() && stored->nodes.front().task_id;
  if (has_body) return *stored->nodes.front().task_id;
  return core::Problem{.code = core::ProblemCode::invalid_state, .detail = "the run has no body yet"};
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

Result<core::StepMemoPage> LocalApi::list_memo(const core::RunRef& ref, core::NodeKey from) {
  auto stored = read_nodes(ref, {.from = from});
  if (!stored) return stored.problem();
  return core::step_memos({.nodes = std::move(stored->nodes), .next = stored->next_node});
}

Result<core::StepMemo> LocalApi::get_step(const core::RunRef& ref, const std::string& step_id) {
  for (std::uint32_t probe = 0;; ++probe) {
    const core::NodeKey key = core::step_key(step_id, probe);
    const auto stored = read_nodes(ref, {.from = key, .nodes = 1});
    if (!stored) return stored.problem();
    const bool is_taken = !stored->nodes.empty() && stored->nodes.front().key == key;
    if (!is_taken) {
      return core::Problem{.code = core::ProblemCode::not_found,
                           .detail = fmt::format("run {} has no step '{}'", to_string(ref.id), step_id)};
    }
    if (stored->nodes.front().name == step_id) return core::memo_of(stored->nodes.front());
  }
}

}  // namespace pawl::runtime
