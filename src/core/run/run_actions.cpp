// The actions of operators on a run.
#include <array>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/limits.hpp"
#include "core/run/run_steps.hpp"
#include "core/run/run_transitions.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, kRunActionCount> kActionNames{
    "pause", "resume", "cancel", "retry", "compensate", "complete", "terminate", "skip"};
constexpr std::array<RunState, kRunActionCount> kTargets{
    RunState::paused,       RunState::running,    RunState::cancelled, RunState::running,
    RunState::compensating, RunState::completing, RunState::cancelled, RunState::compensating};

RunState target_of(RunAction action, RunState from) {
  const bool retries_undo = action == RunAction::retry && from == RunState::compensation_failed;
  return retries_undo ? RunState::compensating : kTargets.at(static_cast<std::size_t>(action));
}

// The transition table does not separate actions with the same target state; this check does.
bool is_meant(RunAction action, RunState from) {
  switch (action) {
    case RunAction::resume: return from == RunState::paused;
    case RunAction::cancel: return from != RunState::failing && from != RunState::compensating;
    case RunAction::retry:
      return from == RunState::failing || from == RunState::failed || from == RunState::compensation_failed;
    case RunAction::compensate: return from == RunState::failed;
    case RunAction::skip: return from == RunState::compensation_failed;
    default: return true;
  }
}

Problem invalid_state(std::string detail) { return {ProblemCode::invalid_state, std::move(detail)}; }

Status check_action(const Run& run, const RunActionAsked& asked) {
  if (const Status current = check_sequence(run, asked.expected_sequence); !current) return current;
  const RunState target = target_of(asked.action, run.state);
  const std::string names = fmt::format("run {} is {} and cannot become {}", to_string(run.facts.id),
                                        to_string(run.state), to_string(target));
  if (!may_move(run.state, target) || !is_meant(asked.action, run.state))
    return Problem{is_closed(run.state) ? ProblemCode::already_completed : ProblemCode::invalid_state,
                   fmt::format("{} ({})", names, to_string(asked.action))};
  if (run.cancel_requested && asked.action != RunAction::terminate)
    return invalid_state(names + ": it is being cancelled");
  return Done{};
}

Status check_open(const Run& run, RunAction action) {
  const bool is_open = run.facts.kind == RunKind::open;
  if (action == RunAction::complete && !is_open)
    return invalid_state(fmt::format("a {} run completes automatically", to_string(run.facts.kind)));
  if (action == RunAction::complete && run.remaining > 0)
    return invalid_state(
        fmt::format("{} tasks of the run have not ended: it is {} and cannot become completing",
                    run.remaining, to_string(run.state)));
  const bool may_undo = run.undoable > 0 || run.facts.kind == RunKind::code;  // only the body knows its undos
  if (action == RunAction::compensate && !may_undo)
    return invalid_state("the run has nothing to undo: it is failed and cannot become compensating");
  return Done{};
}

void hold_or_free(RunSteps& steps, bool is_held) {
  for (const NodeKey key : steps.working().live_keys()) {
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
  if (steps.is_code() && steps.may_drop_body() && !steps.has_live_others()) {
    steps.cancel_others();
    steps.emit(RunEventType::workflow_cancelled, data);
    return;
  }
  if (steps.is_code()) {
    data.requested = true;
    data.state = RunState::failing;
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

void retry(RunSteps& steps, const RunEventData& data) {
  if (steps.run().state == RunState::compensation_failed) {
    steps.emit(RunEventType::workflow_retried, data);
    return steps.is_code() ? steps.enqueue_body() : steps.undo_next();
  }
  if (steps.run().facts.kind == RunKind::open) steps.revive_ended();
  steps.emit(RunEventType::workflow_retried, data);
  steps.start_held();
}

Result<NodeKey> skipped_by(RunSteps& steps, const std::optional<std::string>& name) {
  const std::vector<NodeKey> keys = steps.owed_undos();
  std::string names;
  for (const NodeKey key : keys) {
    const std::string id = steps.working().node_id(key);
    if (id == name || (!name && keys.size() == 1)) return key;
    names += (names.empty() ? "" : ", ") + id;
  }
  if (name)
    return invalid_field("step", fmt::format("'{}' is not a compensation that failed ({})", *name, names));
  return invalid_field("step", fmt::format("must name one of the compensations that failed: {}", names));
}

void skip(RunSteps& steps, NodeKey key, const RunEventData& asked) {
  RunEventData data = steps.about(key);
  data.state = RunState::compensating;
  data.reason = asked.reason;
  steps.emit(RunEventType::task_skipped, data);
  return steps.is_code() ? steps.conclude_undoing() : steps.undo_next();
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
    case RunAction::retry: return retry(steps, data);
    case RunAction::compensate: return steps.begin_undoing(asked.reason);
    case RunAction::complete: steps.emit(RunEventType::workflow_completed, data); return;
    case RunAction::terminate: return steps.terminate(asked.reason);
    case RunAction::skip: return;  // done by decide_action, since the named step may not exist
  }
}

}  // namespace

Status check_sequence(const Run& run, std::optional<std::int64_t> expected) {
  if (!expected || *expected == run.sequence || planted(Canary::expected_sequence_ignored)) return Done{};
  return Problem{ProblemCode::precondition_failed,
                 fmt::format("the run is at sequence {}, the request expected {}", run.sequence, *expected)};
}

std::string_view to_string(RunAction action) { return kActionNames.at(static_cast<std::size_t>(action)); }

Result<RunDecision> decide_action(WorkingRun& working, const RunActionAsked& asked,
                                  const RunContext& context) {
  if (const Status allowed = check_action(working.run(), asked); !allowed) return allowed.problem();
  if (const Status allowed = check_open(working.run(), asked.action); !allowed) return allowed.problem();
  RunSteps steps{working, context};
  if (asked.action == RunAction::skip) {
    const Result<NodeKey> key = skipped_by(steps, asked.step);
    if (!key) return key.problem();
    skip(steps, *key, {.reason = asked.reason});
  } else {
    act(steps, asked);
  }
  return steps.finish();
}

RunDecision park_run(WorkingRun& working, const RunParked& parked, const RunContext& context) {
  RunSteps steps{working, context};
  const Run& run = working.run();
  if (may_move(run.state, RunState::paused) && !is_stopping(run)) {
    std::string why = "parked: " + parked.why.substr(0, kParkReasonBytesMax);
    while ((static_cast<unsigned char>(why.back()) & 0x80U) != 0) why.pop_back();  // a character that was cut
    steps.emit(RunEventType::workflow_paused, {.reason = why, .custom_status = why});
    hold_or_free(steps, true);
  }
  const Node* node = parked.timer ? working.find(*parked.timer) : nullptr;
  if (node != nullptr && node->timer_at && *node->timer_at <= context.now) {
    RunEventData later = steps.about(node->key);
    later.until = context.now + kParkedFor;
    later.is_deferral = true;
    steps.emit(RunEventType::timer_set, later);
  }
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

}  // namespace pawl::core
