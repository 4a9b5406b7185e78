#include "core/run_apply.hpp"

#include <fmt/format.h>

#include "core/limits.hpp"

namespace pawl::core {

namespace {

std::int64_t& count_of(RunCounts& counts, NodeState state) {
  switch (state) {
    case NodeState::blocked: return counts.blocked;
    case NodeState::pending: return counts.pending;
    case NodeState::running: return counts.running;
    case NodeState::waiting: return counts.waiting;
    case NodeState::completed: return counts.completed;
    case NodeState::failed: return counts.failed;
    case NodeState::skipped: return counts.skipped;
    default: return counts.cancelled;
  }
}

class Applying {
 public:
  Applying(WorkingRun& working, const RunEvent& event)
      : working_(working), event_(event), data_(event.data), run_(working.change_run()) {}

  Applied run() {
    if (event_.sequence != run_.sequence + 1)
      return fmt::format("event {} comes after event {}", event_.sequence, run_.sequence);
    run_.sequence = event_.sequence;
    run_.updated_at = event_.at;
    const Applied done = change();
    if (!done)
      return fmt::format("event {} ({}): {}", event_.sequence, to_string(event_.type), done.problem());
    return done;
  }

 private:
  using Type = RunEventType;

  Applied change() {
    switch (event_.type) {
      case Type::workflow_created: return create();
      case Type::workflow_started: return start();
      case Type::workflow_sleeping: return sleep();
      case Type::workflow_woken: return move(RunState::running);
      case Type::workflow_paused: return move(RunState::paused);
      case Type::workflow_resumed: return move(RunState::running);
      case Type::workflow_completed: return complete();
      case Type::workflow_failed: return fail();
      case Type::workflow_cancelled: return cancel();
      case Type::workflow_retried: return retry();
      case Type::task_scheduled: return schedule();
      case Type::task_started: return step(NodeState::running);
      case Type::task_retrying: return step(NodeState::pending);
      case Type::task_completed: return end_node(NodeState::completed);
      case Type::task_failed: return end_node(NodeState::failed);
      case Type::task_skipped: return end_node(NodeState::skipped);
      case Type::task_cancelled: return end_node(NodeState::cancelled);
      case Type::signal_received: return receive();
      case Type::signal_consumed: return consume();
      case Type::timer_set: return set_timer();
      case Type::timer_fired: return clear_timer();
      case Type::child_started: return start_child();
      case Type::deadline_exceeded: return begin_failing(data_.error);
      case Type::compensation_triggered: return begin_compensating();
      case Type::compensation_completed: return end_compensation(NodeState::completed);
      case Type::compensation_failed: return end_compensation(NodeState::failed);
      case Type::checkpoint_written:
        if (data_.custom_status) run_.custom_status = data_.custom_status;
        return Done{};
      default: return Done{};  // evidence: it changes nothing by itself
    }
  }

  Applied move(RunState to) {
    const RunState from = run_.state;
    if (!move_to(run_, to)) return fmt::format("{} cannot become {}", to_string(from), to_string(to));
    return Done{};
  }

  // The run has ended.
  Applied close(RunState to) {
    run_.finished_at = event_.at;
    run_.cancel_requested = false;
    return move(to);
  }

  Applied create() {
    if (!data_.run || event_.sequence != 1)
      return std::string{"a run is created once, with what was asked for"};
    run_ = Run{.facts = *data_.run,
               .sequence = 1,
               .deadline_at = data_.run->deadline_at,
               .created_at = event_.at,
               .updated_at = event_.at};
    return Done{};
  }

  Applied start() {
    run_.started_at = event_.at;
    if (working_.plan().graph != nullptr) {
      run_.remaining = static_cast<std::int64_t>(working_.plan().graph->order().size());
      run_.counts.blocked = run_.remaining;
    }
    return move(RunState::running);
  }

  Applied sleep() {
    const Applied moved = move(RunState::sleeping);
    run_.wake_at = data_.until;
    return moved;
  }

  Applied complete() {
    if (const Applied moved = move(RunState::completing); !moved) return moved;
    run_.output = data_.output;
    run_.error = data_.error;
    return close(RunState::completed);
  }

  Applied begin_failing(const std::optional<TaskError>& error) {
    run_.error = error;
    run_.stopped_at = event_.sequence;
    return move(RunState::failing);
  }

  Applied fail() {
    if (run_.state != RunState::failing) {
      if (const Applied moved = begin_failing(data_.error); !moved) return moved;
    }
    return close(RunState::failed);
  }

  Applied cancel() {
    run_.error = data_.error;
    run_.stopped_at = event_.sequence;
    if (data_.state == RunState::failing) return move(RunState::failing);
    if (!data_.requested) return close(RunState::cancelled);
    run_.cancel_requested = true;
    return Done{};
  }

  // What failed or was cancelled stands again where it stood before it started; what it waits for has ended
  // already.
  Applied retry() {
    if (const Applied moved = move(RunState::running); !moved) return moved;
    run_.error.reset();
    run_.finished_at.reset();
    run_.output = {};
    // Whoever retries a run that took too long wants it to go on.
    if (run_.deadline_at && *run_.deadline_at <= event_.at) run_.deadline_at.reset();
    for (const NodeKey key : working_.all_keys()) {
      const Node& node = working_.node(key);
      const bool is_over = node.state == NodeState::cancelled ||
                           (node.state == NodeState::failed && !working_.continues_on_error(key.index));
      if (is_over && !working_.is_compensation(key)) reset(*working_.change(key));
    }
    return Done{};
  }

  void reset(Node& node) {
    set_state(node, node.items.value_or(0) > 0 ? NodeState::waiting : NodeState::blocked);
    node.task_id.reset();
    node.child_id.reset();
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

  [[nodiscard]] bool is_counted(const Node& node) const {
    return !working_.is_compensation(node.key) && node.items.value_or(0) == 0;
  }

  void set_state(Node& node, NodeState state) {
    if (is_counted(node)) {
      --count_of(run_.counts, node.state);
      ++count_of(run_.counts, state);
    }
    run_.retrying -= is_retrying(node) ? 1 : 0;
    node.state = state;
    run_.retrying += is_retrying(node) ? 1 : 0;
  }

  void set_error(Node& node, const std::optional<TaskError>& error) {
    run_.retrying -= is_retrying(node) ? 1 : 0;
    node.error = error;
    run_.retrying += is_retrying(node) ? 1 : 0;
  }

  // The node that the event is about, which has not ended.
  Result<Node*, std::string> live_node() {
    if (!data_.node) return std::string{"names no task"};
    Node* node = working_.change(*data_.node);
    if (node == nullptr) return std::string{"names a task that the run does not have"};
    if (has_ended(node->state)) return fmt::format("'{}' has ended before", data_.node_id);
    return node;
  }

  Applied schedule() {
    if (working_.plan().graph == nullptr && data_.node && working_.find(*data_.node) == nullptr)
      return add_to_open();
    const auto node = live_node();
    if (!node) return node.problem();
    (*node)->since = event_.sequence;
    (*node)->scheduled_at = event_.at;
    if (data_.items) return expand(**node);
    if (data_.task_id) (*node)->task_id = data_.task_id;
    set_state(**node, data_.node_state);
    return Done{};
  }

  // The elements are its tasks from now on: they count, it does not.
  Applied expand(Node& node) {
    if (*data_.items > kFanOutMax) return std::string{"has more elements than there can be"};
    if (*data_.items == 0) {
      set_state(node, NodeState::waiting);
    } else {
      --count_of(run_.counts, node.state);
      node.state = NodeState::waiting;
    }
    node.items = node.items_left = *data_.items;
    run_.counts.blocked += *data_.items;
    for (std::uint32_t i = 0; i < *data_.items; ++i)
      working_.add(Node{.key = {.index = node.key.index, .item = static_cast<std::int32_t>(i)}});
    return Done{};
  }

  Applied add_to_open() {
    Node node{
        .key = *data_.node, .state = data_.node_state, .since = event_.sequence, .task_id = data_.task_id};
    for (const NodeIndex before : data_.after) {
      Node* one = working_.change({.index = before});
      if (one == nullptr) return std::string{"comes after a task that the run does not have"};
      if (has_ended(one->state)) continue;
      one->followers.push_back(node.key.index);
      ++node.unmet;
    }
    node.has_lead = true;
    node.scheduled_at = event_.at;
    ++run_.remaining;
    ++count_of(run_.counts, node.state);
    working_.add(std::move(node));
    return Done{};
  }

  Applied step(NodeState state) {
    const auto node = live_node();
    if (!node) return node.problem();
    if (data_.attempt > 0) (*node)->attempt = data_.attempt;
    if (data_.error) set_error(**node, data_.error);
    set_state(**node, state);
    return Done{};
  }

  Applied end_node(NodeState state) {
    const auto found = live_node();
    if (!found) return found.problem();
    Node& node = **found;
    finish(node, state);
    if (node.key.item == kNoItem) {
      --run_.remaining;
      note_end(node);
    } else if (Node* whole = working_.change({.index = node.key.index})) {
      if (whole->items_left == 0) return std::string{"ends more elements than there are"};
      --whole->items_left;
      if (state != NodeState::completed) ++whole->items_failed;
    }
    if (state == NodeState::completed && !node.items && working_.is_compensable(node.key.index)) {
      node.undo_before = run_.undo_top;
      run_.undo_top = node.key;
      ++run_.undoable;
    }
    if (data_.state == RunState::failing) return begin_failing(error_of_run(data_));
    return Done{};
  }

  static std::optional<TaskError> error_of_run(const RunEventData& data) {
    if (!data.error) return std::nullopt;
    return TaskError{.code = data.error->code,
                     .message = fmt::format("task '{}' failed: {}", data.node_id, data.error->message),
                     .retryable = data.error->retryable};
  }

  void finish(Node& node, NodeState state) {
    set_state(node, state);
    node.output = data_.output;
    set_error(node, data_.error);
    node.timer_at.reset();
    node.since = event_.sequence;
    node.finished_at = event_.at;
    if (data_.attempt > 0) node.attempt = data_.attempt;
  }

  // Those that follow count down. What failed or was cancelled lets nothing go on: it may be retried.
  void note_end(const Node& node) {
    const bool is_lead = node.state == NodeState::completed ||
                         (node.state == NodeState::failed && working_.continues_on_error(node.key.index));
    if (!is_lead && node.state != NodeState::skipped) return;
    for (const NodeIndex next : working_.successors(node.key.index)) {
      Node* follower = working_.change({.index = next});
      if (follower == nullptr || follower->unmet == 0) continue;
      --follower->unmet;
      follower->has_lead = follower->has_lead || is_lead;
    }
  }

  Applied receive() {
    working_.add(Signal{.sequence = event_.sequence,
                        .name = data_.signal,
                        .payload = data_.output,
                        .idempotency_key = data_.idempotency_key});
    return Done{};
  }

  Applied consume() {
    Signal* signal = working_.change_signal(data_.signal_sequence, data_.signal);
    if (signal == nullptr || signal->consumed_by) return std::string{"consumes a signal that is not there"};
    signal->consumed_by = data_.node;
    return Done{};
  }

  Applied set_timer() {
    const auto node = live_node();
    if (!node) return node.problem();
    (*node)->timer_at = data_.until;
    (*node)->since = event_.sequence;
    (*node)->scheduled_at = event_.at;
    set_state(**node, NodeState::waiting);
    return Done{};
  }

  Applied clear_timer() {
    const auto node = live_node();
    if (!node) return node.problem();
    (*node)->timer_at.reset();
    return Done{};
  }

  Applied start_child() {
    const auto node = live_node();
    if (!node) return node.problem();
    (*node)->child_id = data_.child_id;
    (*node)->since = event_.sequence;
    (*node)->scheduled_at = event_.at;
    ++(*node)->attempt;
    set_state(**node, NodeState::waiting);
    return Done{};
  }

  Applied begin_compensating() {
    if (run_.state != RunState::failing && run_.state != RunState::failed) {
      if (const Applied moved = move(RunState::failing); !moved) return moved;
    }
    run_.cancel_requested = false;
    run_.finished_at.reset();
    return move(RunState::compensating);
  }

  Applied end_compensation(NodeState state) {
    const auto node = live_node();
    if (!node) return node.problem();
    if (!run_.undo_top) return std::string{"there is nothing left to undo"};
    finish(**node, state);
    if (state == NodeState::failed) {
      run_.error = data_.error;
      return close(RunState::compensation_failed);
    }
    const Node* undone = working_.find(*run_.undo_top);
    if (undone == nullptr) return std::string{"undoes a task that the run does not have"};
    run_.undo_top = undone->undo_before;
    --run_.undoable;
    return data_.state == RunState::compensated ? close(RunState::compensated) : Applied{Done{}};
  }

  WorkingRun& working_;
  const RunEvent& event_;
  const RunEventData& data_;
  Run& run_;
};

}  // namespace

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
