// Code runs: the task of the workflow body is enqueued, waits, is woken and ends the run.
#include <algorithm>

#include <fmt/format.h>

#include "core/run/run_steps.hpp"
#include "core/run/step.hpp"

namespace pawl::core {

namespace {

// How often a body may be lost to crashes, without a completed step in between, before its run fails.
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
  const bool waits_for_others = is_stopping(run()) && has_live_others();
  if (run().state == RunState::paused || waits_for_others) effect(HoldTask{task_id});
  if (waits_for_others) wait_for_others();
}

void RunSteps::wake_body() {
  wake();
  RunEventData data = about(kBodyKey);
  const TaskId task_id = *working_.node(kBodyKey).task_id;
  const bool is_held = run().state == RunState::paused;  // it continues with the run
  if (is_held) data.node_state = NodeState::blocked;
  emit(RunEventType::task_scheduled, data);
  if (!is_held) effect(FreeTask{task_id});
}

void RunSteps::end_body_wait() {
  const Node& body = working_.node(kBodyKey);
  if (body.state != NodeState::waiting || !body.has_lead || body.unmet > 0) return;
  if (is_stopping(run()) && may_drop_body()) return effect(StopTask{*body.task_id});
  wake_body();
}

bool RunSteps::may_drop_body() {
  const Node& body = working_.node(kBodyKey);
  return body.state == NodeState::waiting && body.nothing_to_undo;
}

bool RunSteps::has_steps() { return working_.all_keys().size() > 1; }

// A body that has made progress since it was scheduled is not what crashes its workers.
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

// Includes steps that the body began and did not wait for.
void RunSteps::cancel_others() {
  if (run().counts.live() + run().counts.blocked == 0) return;
  for (const NodeKey key : working_.live_keys()) {
    const Node& node = working_.node(key);
    if (has_ended(node.state) || working_.is_compensation(key)) continue;
    emit(RunEventType::task_cancelled, about(key));
    stop_in_turn(node);
  }
}

void RunSteps::attach_undos(std::vector<std::string> undos) { undos_ = std::move(undos); }

bool RunSteps::has_live_others() {
  for (const NodeKey key : stoppable()) {
    if (key != kBodyKey) return true;
  }
  return false;
}

void RunSteps::stop_others() {
  for (const NodeKey key : stoppable()) {
    if (key != kBodyKey) stop_in_turn(working_.node(key));
  }
}

// The body is woken, or dropped, when all of them have ended.
void RunSteps::wait_for_others() {
  std::uint32_t others = 0;
  for (const NodeKey key : stoppable()) others += key == kBodyKey ? 0 : 1;
  RunEventData data = about(kBodyKey);
  data.items = others;
  data.nothing_to_undo = working_.node(kBodyKey).nothing_to_undo;
  emit(RunEventType::timer_set, data);
}

// Tasks and children end before the body undoes earlier work. A body that is not waiting gets its stop
// request now, and waits for them itself.
void RunSteps::stop_code() {
  stop_others();
  const Node& body = working_.node(kBodyKey);
  if (has_ended(body.state)) return;
  if (body.state == NodeState::waiting && has_live_others()) return wait_for_others();
  effect(StopTask{*body.task_id});
}

// The body has ended: requests a stop of its tasks and children, and cancels the steps that only the body
// could end.
void RunSteps::stop_rest() {
  if (run().counts.live() == 0) return;
  for (const NodeKey key : working_.all_keys()) {
    const Node& node = working_.node(key);
    if (has_ended(node.state) || node.state == NodeState::blocked || working_.is_compensation(key)) continue;
    if (node.task_id || node.child_id) {
      stop_in_turn(node);
    } else {
      emit(RunEventType::task_cancelled, about(key));
    }
  }
}

void RunSteps::settle_code() {
  if (is_closed(run().state)) return;
  const Node& body = working_.node(kBodyKey);
  if (!has_ended(body.state)) return sleep_if_only_waiting();
  const bool is_completed = body.state == NodeState::completed;
  if (is_completed && run().state == RunState::paused) return;  // it ends when the run is resumed
  if (is_completed && !is_undoing(run())) {
    cancel_others();
    return complete_run();
  }
  const auto& events = decision_.events;
  const bool has_just_ended = std::any_of(events.begin(), events.end(),
                                          [](const RunEvent& event) { return event.data.node == kBodyKey; });
  if (has_just_ended) stop_rest();
  if (run().counts.live() == 0) return conclude_code();
  if (!is_undoing(run()) && !run().cancel_requested)
    emit(RunEventType::workflow_failed, {.state = RunState::failing, .error = body.error});
}

}  // namespace pawl::core
