#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/run/run_applying.hpp"

namespace pawl::core {

Applied Applying::run() {
  if (event_.sequence != run_.sequence + 1 && !planted(Canary::event_order_not_checked))
    return fmt::format("event {} comes after event {}", event_.sequence, run_.sequence);
  run_.sequence = event_.sequence;
  run_.updated_at = event_.at;
  Applied done = change();
  if (done && data_.undos) done = register_undos();
  if (done && unlisted_) done = *unlisted_;
  run_.cost.rendered += data_.cost.rendered;
  run_.cost.scanned += data_.cost.scanned;
  if (!done) return fmt::format("event {} ({}): {}", event_.sequence, to_string(event_.type), done.problem());
  return done;
}

Applied Applying::change() {
  using Type = RunEventType;
  switch (event_.type) {
    case Type::workflow_created: return create();
    case Type::workflow_started: return start();
    case Type::workflow_sleeping: return sleep();
    case Type::workflow_woken: return move(RunState::running);
    case Type::workflow_paused:
      if (data_.custom_status) run_.custom_status = data_.custom_status;
      return move(RunState::paused);
    case Type::workflow_resumed: return move(RunState::running);
    case Type::workflow_completed: return complete();
    case Type::workflow_failed: return fail();
    case Type::workflow_cancelled: return cancel();
    case Type::workflow_retried: return retry();
    case Type::task_scheduled: return schedule();
    case Type::task_started: return step(NodeState::running);
    case Type::task_retrying: return data_.requested ? take_back() : step(NodeState::pending);
    case Type::task_completed: return end_node(NodeState::completed);
    case Type::task_failed: return end_node(NodeState::failed);
    case Type::task_skipped:
      return data_.state == RunState::compensating ? skip_compensation() : end_node(NodeState::skipped);
    case Type::task_cancelled: return end_node(NodeState::cancelled);
    case Type::signal_received: return receive();
    case Type::signal_consumed: return consume();
    case Type::timer_set: return set_timer();
    case Type::timer_fired: return clear_timer();
    case Type::child_started: return start_child();
    case Type::deadline_exceeded: return begin_failing(data_.error);
    case Type::compensation_triggered: return begin_compensating();
    case Type::step_started:
      return step(data_.node_state == NodeState::waiting ? NodeState::waiting : NodeState::running);
    case Type::step_retrying: return step(NodeState::pending);
    case Type::step_completed: return end_node(NodeState::completed);
    case Type::step_failed: return end_node(NodeState::failed);
    case Type::compensation_completed: return end_compensation(NodeState::completed);
    case Type::compensation_failed: return end_compensation(NodeState::failed);
    case Type::checkpoint_written:
      if (data_.custom_status) run_.custom_status = data_.custom_status;
      return Done{};
    default: return Done{};  // evidence, which changes no state
  }
}

Applied Applying::move(RunState to) {
  const RunState from = run_.state;
  if (!move_to(run_, event_.type, to))
    return fmt::format("{} cannot become {}", to_string(from), to_string(to));
  return Done{};
}

Applied Applying::close(RunState to) {
  run_.finished_at = event_.at;
  run_.cancel_requested = false;
  return move(to);
}

Applied Applying::create() {
  if (!data_.run || event_.sequence != 1) return std::string{"a run is created once, with its request"};
  run_ = Run{.facts = *data_.run,
             .sequence = 1,
             .deadline_at = data_.run->deadline_at,
             .created_at = event_.at,
             .updated_at = event_.at};
  return Done{};
}

Applied Applying::start() {
  run_.started_at = event_.at;
  if (working_.plan().graph != nullptr) {
    run_.remaining = static_cast<std::int64_t>(working_.plan().graph->order().size());
    run_.counts.blocked = run_.remaining;
  }
  return move(RunState::running);
}

Applied Applying::sleep() {
  const Applied moved = move(RunState::sleeping);
  run_.wake_at = data_.until;
  return moved;
}

Applied Applying::complete() {
  if (const Applied moved = move(RunState::completing); !moved) return moved;
  run_.output = data_.output;
  run_.continued_as = data_.continued_as;
  run_.error = data_.error;
  return close(RunState::completed);
}

Applied Applying::begin_failing(const std::optional<TaskError>& error) {
  run_.error = error;
  run_.stopped_at = event_.sequence;
  return move(RunState::failing);
}

Applied Applying::fail() {
  if (data_.state == RunState::compensated) {  // the body has undone everything and reports the error
    run_.error = data_.error;
    return close(RunState::compensated);
  }
  if (data_.state == RunState::compensation_failed) return fail_compensation();
  if (data_.state == RunState::failing) return begin_failing(data_.error);  // its tasks have to end first
  if (run_.state != RunState::failing) {
    if (const Applied moved = begin_failing(data_.error); !moved) return moved;
  }
  return close(RunState::failed);
}

// Keeps the error of the run beside the error of its compensation.
Applied Applying::fail_compensation() {
  const Node* body = is_code() && !run_.error ? working_.find(kBodyKey) : nullptr;
  if (body != nullptr) run_.error = body->error;
  run_.compensation_error = data_.error;
  if (run_.state == RunState::failing) {  // nothing could be undone
    if (const Applied moved = move(RunState::compensating); !moved) return moved;
  }
  return close(RunState::compensation_failed);
}

Applied Applying::cancel() {
  run_.error = data_.error;
  run_.stopped_at = event_.sequence;
  if (data_.state != RunState::failing && !data_.requested) return close(RunState::cancelled);
  run_.cancel_requested = data_.requested;
  return data_.state == RunState::failing ? move(RunState::failing) : Applied{Done{}};
}

// Failed and cancelled nodes return to the state before they started; their predecessors have already ended.
Applied Applying::retry() {
  if (run_.state == RunState::compensation_failed) return retry_compensation();
  if (const Applied moved = move(RunState::running); !moved) return moved;
  run_.error.reset();
  run_.finished_at.reset();
  run_.output = {};
  // A retried run must not fail again because of the deadline that it missed.
  if (run_.deadline_at && *run_.deadline_at <= event_.at) run_.deadline_at.reset();
  if (data_.node) return Done{};  // a retry of one task, which is reset by its own event
  for (const NodeKey key : working_.all_keys()) {
    const Node& node = working_.node(key);
    const bool is_over = node.state == NodeState::cancelled ||
                         (node.state == NodeState::failed && !working_.continues_on_error(key.index));
    if (is_over && !working_.is_compensation(key)) reset(*working_.change(key));
  }
  return Done{};
}

void Applying::reset(Node& node) {
  set_state(node, node.items.value_or(0) > 0 ? NodeState::waiting : NodeState::blocked);
  if (run_.facts.kind == RunKind::open) {  // in an open run the node is the task
    node.since = event_.sequence;
  } else {
    node.task_id.reset();
  }
  node.child_id.reset();
  node.attempts_before = node.attempt;
  set_error(node, std::nullopt);
  node.output = {};
  node.finished_at.reset();
  if (node.key.item == kNoItem) {
    ++run_.remaining;
  } else if (Node* whole = working_.change({.index = node.key.index})) {
    ++whole->items_left;
    --whole->items_failed;
  }
}

Applied Applying::begin_compensating() {
  if (run_.state != RunState::failing && run_.state != RunState::failed) {
    if (const Applied moved = move(RunState::failing); !moved) return moved;
  }
  if (data_.error && !run_.error) run_.error = data_.error;
  return reopen_to_undo();
}

Applied Applying::reopen_to_undo() {
  run_.cancel_requested = false;
  run_.finished_at.reset();
  run_.compensation_error.reset();
  // Only the body can undo, so it runs again.
  Node* body = is_code() ? working_.change(kBodyKey) : nullptr;
  if (body != nullptr && has_ended(body->state)) reset(*body);
  return move(RunState::compensating);
}

// The failed compensations are owed again, in the reverse order of the tasks that they undo.
Applied Applying::retry_compensation() {
  std::vector<Node*> owed;
  for (const NodeKey key : working_.all_keys()) {
    const Node& node = working_.node(key);
    if (node.state != NodeState::failed || !working_.is_compensation(key)) continue;
    Node& failed = *working_.change(key);
    reset_compensation(failed);
    if (!is_code()) owed.push_back(working_.change(undone_by(failed)));
  }
  if (!is_code()) owe(std::move(owed));
  return reopen_to_undo();
}

void Applying::reset_compensation(Node& node) {
  become(node, NodeState::blocked);
  node.task_id.reset();
  node.attempts_before = node.attempt;
  node.error.reset();
  node.finished_at.reset();
}

Applied apply(WorkingRun& working, const RunEvent& event) { return Applying{working, event}.run(); }

Result<ReplayedRun, std::string> replay(std::span<const RunEvent> events, RunPlan plan) {
  WorkingRun working{plan};
  for (const RunEvent& event : events) {
    if (const Applied done = apply(working, event); !done) return done.problem();
  }
  ReplayedRun replayed{.run = working.run()};
  for (const Node* node : working.changed_nodes()) replayed.nodes.push_back(*node);
  for (const Signal* signal : working.changed_signals()) replayed.signals.push_back(*signal);
  return replayed;
}

}  // namespace pawl::core
