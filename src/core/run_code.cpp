// Code runs: the body's task starts, waits, goes on and ends the run.
#include <fmt/format.h>

#include "core/run_steps.hpp"
#include "core/step.hpp"

namespace pawl::core {

namespace {

// How often a body may be lost to a crash without a step in between, before its run fails.
RetryPolicy body_retry() { return {.max_attempts = 10}; }

bool is_undoing(const Run& run) {
  return run.state == RunState::failing || run.state == RunState::compensating;
}

}  // namespace

void RunSteps::enqueue_body() {
  const Node* body = working_.find(kBodyKey);
  EnqueueNode enqueue{.task_id = TaskId{context_.next_id()},
                      .node = kBodyKey,
                      .node_id = "body",
                      .spec = {.type = body_type(run().facts.workflow),
                               .payload = run().facts.input,
                               .queue = run().facts.queue,
                               .priority = run().facts.priority,
                               .retry = body_retry()},
                      .attempts_used = body == nullptr ? 0 : body->attempt};
  const TaskId task_id = enqueue.task_id;
  emit(RunEventType::task_scheduled, {.node = kBodyKey, .node_id = "body", .task_id = task_id});
  effect(std::move(enqueue));
  if (run().state == RunState::paused) effect(HoldTask{task_id});
}

void RunSteps::wake_body() {
  wake();
  RunEventData data = about(kBodyKey);
  const TaskId task_id = *working_.node(kBodyKey).task_id;
  const bool is_held = run().state == RunState::paused;  // it goes on when the run does
  if (is_held) data.node_state = NodeState::blocked;
  emit(RunEventType::task_scheduled, data);
  if (!is_held) effect(FreeTask{task_id});
}

void RunSteps::end_body_wait() {
  const Node& body = working_.node(kBodyKey);
  if (body.state == NodeState::waiting && body.has_lead && body.unmet == 0) wake_body();
}

bool RunSteps::may_drop_body() {
  const Node& body = working_.node(kBodyKey);
  return body.state == NodeState::waiting && body.nothing_to_undo;
}

bool RunSteps::has_steps() { return working_.all_keys().size() > 1; }

// A body that got further since it was scheduled is not the one that kills its workers.
void RunSteps::lose_body(const TaskError& error, int attempt) {
  const std::int64_t since = working_.node(kBodyKey).since;
  bool has_progress = false;
  for (const NodeKey key : working_.all_keys()) {
    const Node& node = working_.node(key);
    has_progress =
        has_progress || (key != kBodyKey && node.state == NodeState::completed && node.since > since);
  }
  if (!has_progress) return fail_node(kBodyKey, error, attempt);
  enqueue_body();
}

RunEventType RunSteps::ending(NodeKey key, RunEventType of_task, RunEventType of_step) {
  if (!is_code() || key == kBodyKey) return of_task;
  return working_.node(key).kind == StepKind::task ? of_task : of_step;
}

// Among them what the body began and did not wait for.
void RunSteps::cancel_others() {
  if (run().counts.live() + run().counts.blocked == 0) return;
  for (const NodeKey key : working_.live_keys()) {
    const Node& node = working_.node(key);
    if (has_ended(node.state) || working_.is_compensation(key)) continue;
    stop_outside(node);
    emit(RunEventType::task_cancelled, about(key));
  }
}

// A body that ends while a compensation is begun and not completed has not undone it, whatever it says.
bool RunSteps::fail_undone() {
  for (const NodeKey key : working_.live_keys()) {
    if (!working_.is_compensation(key) || has_ended(working_.node(key).state)) continue;
    RunEventData data = about(key);
    data.error = TaskError{.code = "compensation_failed",
                           .message = fmt::format("'{}' was begun and not completed", data.node_id),
                           .retryable = false};
    emit(RunEventType::compensation_failed, std::move(data));
    return true;
  }
  return false;
}

void RunSteps::settle_code() {
  if (is_closed(run().state)) return;
  const Node& body = working_.node(kBodyKey);
  if (!has_ended(body.state)) return sleep_if_only_waiting();
  const bool is_completed = body.state == NodeState::completed;
  if (is_completed && run().state == RunState::paused) return;  // it ends when it goes on
  cancel_others();
  if (is_completed && !is_undoing(run())) return complete_run();
  const std::optional<TaskError> error = run().error ? run().error : body.error;
  if (run().state == RunState::compensating) {
    if (!fail_undone()) emit(RunEventType::workflow_failed, {.state = RunState::compensated, .error = error});
  } else if (run().cancel_requested) {
    emit(RunEventType::workflow_cancelled, {.error = error});
  } else {
    emit(RunEventType::workflow_failed, {.error = error});
  }
}

}  // namespace pawl::core
