// What operators do to a run, and how the tasks of an open one are added.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/run_steps.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, kRunActionCount> kActionNames{"pause", "resume",     "cancel",
                                                                     "retry", "compensate", "complete"};
constexpr std::array kTargets{RunState::paused,  RunState::running,      RunState::cancelled,
                              RunState::running, RunState::compensating, RunState::completing};

// Beyond the table: which of the moves to the same state is meant.
bool is_meant(RunAction action, RunState from) {
  switch (action) {
    case RunAction::resume: return from == RunState::paused;
    case RunAction::retry: return from == RunState::failing || from == RunState::failed;
    case RunAction::compensate: return from == RunState::failed;
    default: return true;
  }
}

Problem invalid_state(std::string detail) { return {ProblemCode::invalid_state, std::move(detail)}; }

Status check_action(const Run& run, const RunActionAsked& asked) {
  if (asked.expected_sequence && *asked.expected_sequence != run.sequence)
    return Problem{ProblemCode::precondition_failed,
                   fmt::format("the run is at sequence {}, the request expected {}", run.sequence,
                               *asked.expected_sequence)};
  const RunState target = kTargets.at(static_cast<std::size_t>(asked.action));
  const std::string names = fmt::format("run {} is {} and cannot become {}", to_string(run.facts.id),
                                        to_string(run.state), to_string(target));
  if (!may_move(run.state, target) || !is_meant(asked.action, run.state))
    return Problem{is_closed(run.state) ? ProblemCode::already_completed : ProblemCode::invalid_state,
                   fmt::format("{} ({})", names, to_string(asked.action))};
  if (run.cancel_requested) return invalid_state(names + ": it is being cancelled");
  return Done{};
}

Status check_open(const Run& run, RunAction action) {
  const bool is_open = run.facts.kind == RunKind::open;
  if (action == RunAction::complete && !is_open)
    return invalid_state(fmt::format("a {} run completes by itself", to_string(run.facts.kind)));
  if (action == RunAction::complete && run.remaining > 0)
    return invalid_state(
        fmt::format("{} tasks of the run have not ended: it is {} and cannot become completing",
                    run.remaining, to_string(run.state)));
  if (action == RunAction::retry && is_open)
    return invalid_state("an open run has nothing that it could go on from: add its tasks again");
  const bool may_undo = run.undoable > 0 || run.facts.kind == RunKind::code;  // the body knows
  if (action == RunAction::compensate && !may_undo)
    return invalid_state("the run has nothing to undo: it is failed and cannot become compensating");
  return Done{};
}

void hold_or_free(RunSteps& steps, bool is_held) {
  for (const NodeKey key : steps.working().all_keys()) {
    const Node& node = steps.working().node(key);
    if (node.state != NodeState::pending || !node.task_id) continue;
    if (is_held) {
      steps.effect(HoldTask{*node.task_id});
    } else {
      steps.effect(FreeTask{*node.task_id});
    }
  }
}

void cancel(RunSteps& steps, const std::optional<std::string>& reason) {
  RunEventData data{.reason = reason};
  data.error =
      TaskError{.code = "cancelled", .message = reason.value_or("the run was cancelled"), .retryable = false};
  if (steps.is_code()) {
    if (steps.run().state == RunState::paused) {  // its body has to go on to come to its end
      steps.emit(RunEventType::workflow_resumed, {.reason = reason});
    } else {
      steps.wake();
    }
    data.requested = true;
    steps.emit(RunEventType::workflow_cancelled, data);
    return steps.stop_all();
  }
  const bool has_done = steps.undoes() && steps.run().undoable > 0;
  if (has_done || (steps.undoes() && steps.may_become_undoable())) {
    if (has_done) data.state = RunState::failing;
    data.requested = !has_done;
    steps.emit(RunEventType::workflow_cancelled, data);
    return steps.stop_all();
  }
  steps.cut_loose();
  steps.emit(RunEventType::workflow_cancelled, data);
}

void act(RunSteps& steps, const RunActionAsked& asked) {
  const RunEventData data{.reason = asked.reason};
  switch (asked.action) {
    case RunAction::pause: steps.emit(RunEventType::workflow_paused, data); return hold_or_free(steps, true);
    case RunAction::resume:
      steps.emit(RunEventType::workflow_resumed, data);
      hold_or_free(steps, false);
      return steps.start_held();
    case RunAction::cancel: return cancel(steps, asked.reason);
    case RunAction::retry: steps.emit(RunEventType::workflow_retried, data); return steps.start_held();
    case RunAction::compensate: return steps.begin_undoing(asked.reason);
    case RunAction::complete: steps.emit(RunEventType::workflow_completed, data); return;
  }
}

}  // namespace

std::string_view to_string(RunAction action) { return kActionNames.at(static_cast<std::size_t>(action)); }

Result<RunDecision> decide_action(WorkingRun& working, const RunActionAsked& asked,
                                  const RunContext& context) {
  if (const Status allowed = check_action(working.run(), asked); !allowed) return allowed.problem();
  if (const Status allowed = check_open(working.run(), asked.action); !allowed) return allowed.problem();
  RunSteps steps{working, context};
  act(steps, asked);
  return steps.finish();
}

Result<RunDecision> set_custom_status(WorkingRun& working, const std::string& status,
                                      const RunContext& context) {
  if (is_closed(working.run().state))
    return Problem{ProblemCode::already_completed,
                   fmt::format("the run is {}", to_string(working.run().state))};
  RunSteps steps{working, context};
  steps.emit(RunEventType::checkpoint_written, {.custom_status = status});
  return steps.finish();
}

namespace {

Result<std::vector<NodeIndex>> places_of(WorkingRun& working, const std::vector<TaskId>& after) {
  std::vector<NodeIndex> places;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::string field = fmt::format("after[{}]", i);
    const auto key = working.key_of(after[i]);
    if (!key) return invalid_field(field, fmt::format("the run has no task {}", to_string(after[i])));
    const NodeState state = working.node(*key).state;
    if (state == NodeState::failed || state == NodeState::cancelled)
      return invalid_field(field, fmt::format("task {} is {}: nothing can come after it", to_string(after[i]),
                                              to_string(state)));
    places.push_back(key->index);
  }
  return places;
}

std::int64_t total(const RunCounts& counts) {
  return counts.blocked + counts.live() + counts.completed + counts.failed + counts.skipped +
         counts.cancelled;
}

}  // namespace

Status check_added(WorkingRun& working, const std::vector<TaskId>& after) {
  const Run& run = working.run();
  if (run.facts.kind != RunKind::open)
    return invalid_field("run_id",
                         fmt::format("is a {} run: its tasks are those of its definition or its code",
                                     to_string(run.facts.kind)));
  if (is_stopping(run) || is_closed(run.state))
    return invalid_state(fmt::format("the run is {} and takes no tasks", to_string(run.state)));
  const auto places = places_of(working, after);
  if (!places) return places.problem();
  return Done{};
}

Result<AddedNode> add_task(WorkingRun& working, const TaskAdded& task, const RunContext& context) {
  if (const Status allowed = check_added(working, task.after); !allowed) return allowed.problem();
  const Run& run = working.run();
  const auto after = places_of(working, task.after);
  const bool is_ready = std::all_of(after->begin(), after->end(), [&](NodeIndex index) {
    return working.node({.index = index}).state == NodeState::completed;
  });
  RunSteps steps{working, context};
  AddedNode added{.node = {.index = static_cast<NodeIndex>(total(run.counts))}};
  added.state = is_ready && run.state != RunState::paused ? NodeState::pending : NodeState::blocked;
  RunEventData data{.node = added.node, .node_id = to_string(task.task_id), .node_state = added.state};
  data.task_id = task.task_id;
  data.after = *after;
  steps.emit(RunEventType::task_scheduled, data);
  added.decision = steps.finish();
  return added;
}

}  // namespace pawl::core
