// Stops the tasks of a run that are in progress.
#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/run/run_steps.hpp"
#include "core/run/run_transitions.hpp"

namespace pawl::core {

// The nodes that a stop affects. A for_each ends with its elements.
std::vector<NodeKey> RunSteps::stoppable() {
  std::vector<NodeKey> keys;
  for (const NodeKey key : working_.live_keys()) {
    const Node& node = working_.node(key);
    if (has_ended(node.state) || node.items || working_.is_compensation(key)) continue;
    if (is_code() && !node.task_id && !node.child_id) continue;  // the body ends its steps
    const bool is_begun =
        node.state != NodeState::blocked || key.item != kNoItem || node.task_id || node.timer_at;
    if (is_begun) keys.push_back(key);
  }
  return keys;
}

void RunSteps::stop_outside(const Node& node, bool is_forced) {
  if (node.task_id) effect(StopTask{.task_id = *node.task_id, .is_forced = is_forced});
  if (node.child_id) effect(StopChild{.child_id = *node.child_id, .is_forced = is_forced});
}

bool RunSteps::takes_stop(const Node& node) {
  const bool is_body = is_code() && node.key == kBodyKey;
  const bool is_outside = node.task_id || node.child_id;
  if (context_.budget == nullptr || is_body || !is_outside) return true;
  return (node.child_id ? context_.budget->stopped_children : context_.budget->stopped_tasks)-- > 0;
}

void RunSteps::stop_in_turn(const Node& node, bool is_forced) {
  if (takes_stop(node)) return stop_outside(node, is_forced);
  RunEventData data = about(node.key);
  data.until = context_.now;
  data.is_deferral = true;
  emit(RunEventType::timer_set, data);
}

void RunSteps::cancel_node(NodeKey key) {
  emit(RunEventType::task_cancelled, about(key));
  node_ended(key);
}

void RunSteps::stop_all() {
  if (is_code()) return stop_code();
  for (const NodeKey key : stoppable()) {
    const Node& node = working_.node(key);
    if (has_ended(node.state)) continue;
    stop_in_turn(node);
    const bool is_begun = node.state != NodeState::blocked;
    const bool is_outside = is_begun && (node.task_id || node.child_id);
    if (!is_outside) cancel_node(key);
  }
}

void RunSteps::cut_loose() {
  for (const NodeKey key : stoppable()) {
    cancel_node(key);
    stop_in_turn(working_.node(key));
  }
}

bool RunSteps::may_become_undoable() {
  for (const NodeKey key : stoppable()) {
    const NodeState state = working_.node(key).state;
    if (state != NodeState::blocked && working_.is_compensable(key.index)) return true;
  }
  return false;
}

// Everything in progress has ended.
void RunSteps::conclude() {
  if (undoes() && run().undoable > 0) {
    begin_undoing();
  } else if (run().cancel_requested) {
    emit(RunEventType::workflow_cancelled, {.error = run().error});
  } else {
    emit(RunEventType::workflow_failed, {.error = run().error});
  }
}

// Undoes nothing and waits for no worker: leases are revoked.
void RunSteps::terminate(const std::optional<std::string>& reason) {
  for (const NodeKey key : working_.all_keys()) {
    const Node& node = working_.node(key);
    if (has_ended(node.state)) continue;
    const bool is_begun = node.state != NodeState::blocked || node.task_id || node.timer_at;
    if (is_begun && !working_.is_compensation(key)) emit(RunEventType::task_cancelled, about(key));
    stop_in_turn(node, true);
  }
  const TaskError error{
      .code = "terminated", .message = reason.value_or("the run was terminated"), .retryable = false};
  emit(RunEventType::workflow_cancelled, {.reason = reason, .error = error});
}

RunDecision decide_deadline(WorkingRun& working, const RunContext& context) {
  RunSteps steps{working, context};
  const Run& run = working.run();
  const bool is_passed =
      !planted(Canary::run_deadline_ignored) && run.deadline_at && *run.deadline_at <= context.now;
  if (!is_passed || is_stopping(run) || !may_move(run.state, RunState::failing)) return steps.finish();
  RunEventData data{.state = RunState::failing};
  data.error = TaskError{.code = "deadline_exceeded",
                         .message = fmt::format("the deadline was {}", format_time(*run.deadline_at)),
                         .retryable = false};
  steps.emit(RunEventType::deadline_exceeded, data);
  steps.stop_all();
  return steps.finish();
}

}  // namespace pawl::core
