// Stopping what is under way, and undoing what was done.
#include <fmt/format.h>

#include "core/ensure.hpp"
#include "core/run_steps.hpp"

namespace pawl::core {

namespace {

constexpr int kLeftShownMax = 20;  // ids of what was not undone; a longer list would help nobody

}  // namespace

// Nodes that a stop reaches. A for_each ends with its elements.
std::vector<NodeKey> RunSteps::stoppable() {
  std::vector<NodeKey> keys;
  for (const NodeKey key : working_.live_keys()) {
    const Node& node = working_.node(key);
    if (has_ended(node.state) || node.items || working_.is_compensation(key)) continue;
    if (is_code() && !node.task_id && !node.child_id) continue;  // the body ends its steps
    const bool is_begun = node.state != NodeState::blocked || key.item != kNoItem || node.task_id;
    if (is_begun) keys.push_back(key);
  }
  return keys;
}

void RunSteps::stop_outside(const Node& node) {
  if (node.task_id) effect(StopTask{*node.task_id});
  if (node.child_id) effect(StopChild{*node.child_id});
}

void RunSteps::cancel_node(NodeKey key) {
  emit(RunEventType::task_cancelled, about(key));
  node_ended(key);
}

void RunSteps::stop_all() {
  for (const NodeKey key : stoppable()) {
    const Node& node = working_.node(key);
    if (has_ended(node.state)) continue;
    stop_outside(node);
    const bool is_begun = node.state != NodeState::blocked || is_code();
    const bool is_outside = is_begun && (node.task_id || node.child_id);
    if (!is_outside) cancel_node(key);
  }
}

void RunSteps::cut_loose() {
  for (const NodeKey key : stoppable()) {
    stop_outside(working_.node(key));
    cancel_node(key);
  }
}

bool RunSteps::may_become_undoable() {
  for (const NodeKey key : stoppable()) {
    const NodeState state = working_.node(key).state;
    if (state != NodeState::blocked && working_.is_compensable(key.index)) return true;
  }
  return false;
}

// All that was under way has ended.
void RunSteps::conclude() {
  if (undoes() && run().undoable > 0) {
    begin_undoing();
  } else if (run().cancel_requested) {
    emit(RunEventType::workflow_cancelled, {.error = run().error});
  } else {
    emit(RunEventType::workflow_failed, {.error = run().error});
  }
}

void RunSteps::begin_undoing(const std::optional<std::string>& reason) {
  emit(RunEventType::compensation_triggered, {.state = RunState::compensating, .reason = reason});
  if (is_code()) return enqueue_body();
  undo_next();
}

void RunSteps::undo_next() {
  PAWL_ENSURE(run().undo_top.has_value(), "there is something to undo while a run compensates");
  const Node& done = working_.node(*run().undo_top);
  const auto compensation = working_.plan().graph->compensation_of(done.key.index);
  PAWL_ENSURE(compensation.has_value(), "only tasks with a compensation are noted to be undone");
  const NodeKey key{.index = *compensation, .item = done.key.item};
  schedule(key, definition_of(key).activity, done.output);
}

void RunSteps::fail_undoing(NodeKey key, const TaskError& error, int attempt) {
  std::string left;
  int shown = 0;
  for (auto next = run().undo_top; next; next = working_.node(*next).undo_before) {
    if (++shown > kLeftShownMax) {
      left += ", …";
      break;
    }
    left += (left.empty() ? "" : ", ") + working_.node_id(*next);
  }
  RunEventData data = about(key);
  data.attempt = attempt;
  data.error = TaskError{.code = "compensation_failed",
                         .message = fmt::format("'{}' failed: {} ({}). Not undone ({}): {}", data.node_id,
                                                error.message, error.code, run().undoable, left),
                         .retryable = false};
  emit(RunEventType::compensation_failed, data);
}

RunDecision decide_deadline(WorkingRun& working, const RunContext& context) {
  RunSteps steps{working, context};
  const Run& run = working.run();
  const bool is_passed = run.deadline_at && *run.deadline_at <= context.now;
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
