// Applies events to nodes and signals.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/limits.hpp"
#include "core/run/run_applying.hpp"

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

std::optional<TaskError> error_of_run(const RunEventData& data) {
  if (!data.error) return std::nullopt;
  return TaskError{.code = data.error->code,
                   .message = fmt::format("task '{}' failed: {}", data.node_id, data.error->message),
                   .retryable = data.error->retryable};
}

}  // namespace

bool Applying::is_counted(const Node& node) const {
  return !working_.is_compensation(node.key) && node.items.value_or(0) == 0;
}

void Applying::set_state(Node& node, NodeState state) {
  if (is_counted(node)) {
    --count_of(run_.counts, node.state);
    ++count_of(run_.counts, state);
  }
  run_.retrying -= is_retrying(node) ? 1 : 0;
  become(node, state);
  run_.retrying += is_retrying(node) ? 1 : 0;
}

void Applying::become(Node& node, NodeState state) {
  if (!may_become(node.state, event_.type, state))
    unlisted_ = fmt::format("task {} cannot become {}", to_string(node.state), to_string(state));
  node.state = state;
}

void Applying::set_error(Node& node, const std::optional<TaskError>& error) {
  run_.retrying -= is_retrying(node) ? 1 : 0;
  node.error = error;
  run_.retrying += is_retrying(node) ? 1 : 0;
}

// The node that the event is about, which has not ended.
Result<Node*, std::string> Applying::live_node() {
  if (!data_.node) return std::string{"names no task"};
  Node* node = working_.change(*data_.node);
  if (node == nullptr && is_code()) node = &add_step();
  if (node == nullptr) return std::string{"names a task that the run does not have"};
  if (node->name != (is_code() && data_.node != kBodyKey ? data_.node_id : ""))
    return fmt::format("names step '{}' where '{}' stands", data_.node_id, node->name);
  if (has_ended(node->state)) return fmt::format("'{}' has ended before", data_.node_id);
  if (data_.retry) node->retry = data_.retry;
  return node;
}

Node& Applying::add_step() {
  Node& node = working_.add(Node{.key = *data_.node,
                                 .name = data_.node_id,
                                 .kind = data_.kind.value_or(StepKind::function),
                                 .retry = data_.retry});
  if (is_counted(node)) {
    ++run_.remaining;
    ++run_.counts.blocked;
  }
  return node;
}

// The body has released its lease and waits.
Applied Applying::wait_for_steps(Node& body) {
  body.since = event_.sequence;
  body.has_lead = data_.items.has_value();
  body.unmet = data_.items.value_or(0);
  body.awaits = data_.signal;
  body.nothing_to_undo = data_.nothing_to_undo;
  set_state(body, NodeState::waiting);
  return Done{};
}

void Applying::note_step_end(const Node& step) {
  const Node* body = step.key == kBodyKey ? nullptr : working_.find(kBodyKey);
  if (body != nullptr && body->state == NodeState::waiting && body->unmet > 0)
    --working_.change(kBodyKey)->unmet;
}

Applied Applying::schedule() {
  const bool is_of_open = working_.plan().graph == nullptr && (!is_code() || data_.node == kBodyKey);
  if (is_of_open && data_.node && working_.find(*data_.node) == nullptr) return add_to_open();
  const auto node = live_node();
  if (!node) return node.problem();
  (*node)->since = event_.sequence;
  (*node)->scheduled_at = event_.at;
  if (data_.items) return expand(**node);
  if (data_.task_id) (*node)->task_id = data_.task_id;
  if (is_code()) {
    set_error(**node, std::nullopt);  // it continues after a wait, not after a failed attempt
    (*node)->unmet = 0;
    (*node)->timer_at.reset();
    (*node)->awaits.clear();
    (*node)->nothing_to_undo = false;
  }
  set_state(**node, data_.node_state);
  return Done{};
}

// From now on the elements are the tasks of the node: they are counted, it is not.
Applied Applying::expand(Node& node) {
  if (*data_.items > kFanOutMax) return std::string{"has more elements than there can be"};
  if (*data_.items == 0) {
    set_state(node, NodeState::waiting);
  } else {
    --count_of(run_.counts, node.state);
    become(node, NodeState::waiting);
  }
  node.items = node.items_left = *data_.items;
  run_.counts.blocked += *data_.items;
  for (std::uint32_t i = 0; i < *data_.items; ++i)
    working_.add(Node{.key = {.index = node.key.index, .item = static_cast<std::int32_t>(i)}});
  return Done{};
}

Applied Applying::add_to_open() {
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

Applied Applying::step(NodeState state) {
  const auto node = live_node();
  if (!node) return node.problem();
  if (data_.attempt > 0) (*node)->attempt = data_.attempt;
  if (data_.error) set_error(**node, data_.error);
  if (is_code() && (*node)->key != kBodyKey) {
    (*node)->awaits = data_.signal;
    (*node)->scheduled_at = data_.until.value_or(event_.at);
    (*node)->since = event_.sequence;
  }
  set_state(**node, state);
  return Done{};
}

// A retry by hand in an open run: the node returns to the state before it could start.
Applied Applying::take_back() {
  Node* node = data_.node ? working_.change(*data_.node) : nullptr;
  if (node == nullptr) return std::string{"names a task that the run does not have"};
  if (node->state == NodeState::completed) return fmt::format("'{}' has completed", data_.node_id);
  const bool had_ended = has_ended(node->state);
  reset(*node);
  if (!had_ended) --run_.remaining;
  return Done{};
}

Applied Applying::end_node(NodeState state) {
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
    if (!planted(Canary::compensation_chain_cut)) node.undo_before = run_.undo_top;
    run_.undo_top = node.key;
    ++run_.undoable;
  }
  if (is_code()) note_step_end(node);
  if (data_.state == RunState::failing) return begin_failing(error_of_run(data_));
  return Done{};
}

void Applying::finish(Node& node, NodeState state) {
  set_state(node, state);
  if (run_.deferred == node.key) run_.deferred.reset();
  if (!planted(Canary::memo_lost)) node.output = data_.output;
  set_error(node, data_.error);
  node.timer_at.reset();
  node.awaits.clear();
  node.since = event_.sequence;
  node.finished_at = event_.at;
  if (data_.attempt > 0) node.attempt = data_.attempt;
}

// Counts down the successors. A failed or cancelled node lets nothing continue, since it may be retried.
void Applying::note_end(const Node& node) {
  const bool is_lead = node.state == NodeState::completed ||
                       (node.state == NodeState::failed && working_.continues_on_error(node.key.index));
  if (!is_lead && node.state != NodeState::skipped) return;
  for (const NodeIndex next : working_.successors(node.key.index)) {
    Node* follower = working_.change({.index = next});
    if (follower == nullptr || follower->unmet == 0) continue;
    follower->unmet = planted(Canary::join_starts_early) ? 0 : follower->unmet - 1;
    follower->has_lead = follower->has_lead || is_lead;
  }
}

Applied Applying::receive() {
  if (planted(Canary::signal_lost)) return Done{};
  working_.add(Signal{.sequence = event_.sequence,
                      .name = data_.signal,
                      .payload = data_.output,
                      .idempotency_key = data_.idempotency_key});
  return Done{};
}

Applied Applying::consume() {
  Signal* signal = working_.change_signal(data_.signal_sequence, data_.signal);
  if (signal == nullptr || signal->consumed_by) return std::string{"consumes a signal that is not there"};
  signal->consumed_by = data_.node;
  return Done{};
}

// A task or child that must stop keeps its timer beyond the end of its node.
Applied Applying::defer() {
  Node* node = data_.node ? working_.change(*data_.node) : nullptr;
  if (node == nullptr) return std::string{"names a task that the run does not have"};
  const bool is_moved = node->timer_at.has_value();  // the run was parked
  node->timer_at = data_.until;
  if (!is_moved && !node->task_id && !node->child_id) run_.deferred = node->key;
  return Done{};
}

Applied Applying::set_timer() {
  if (data_.is_deferral) return defer();
  const auto node = live_node();
  if (!node) return node.problem();
  if (!planted(Canary::timer_lost)) (*node)->timer_at = data_.until;
  if (is_code() && data_.node == kBodyKey) return wait_for_steps(**node);
  (*node)->since = event_.sequence;
  (*node)->scheduled_at = event_.at;
  set_state(**node, NodeState::waiting);
  return Done{};
}

Applied Applying::clear_timer() {
  if (run_.deferred == data_.node) run_.deferred.reset();
  Node* ended = data_.node ? working_.change(*data_.node) : nullptr;
  if (ended != nullptr && has_ended(ended->state) && ended->timer_at) {
    ended->timer_at.reset();
    return Done{};
  }
  const auto node = live_node();
  if (!node) return node.problem();
  (*node)->timer_at.reset();
  return Done{};
}

Applied Applying::start_child() {
  const auto node = live_node();
  if (!node) return node.problem();
  (*node)->child_id = data_.child_id;
  (*node)->since = event_.sequence;
  (*node)->scheduled_at = event_.at;
  ++(*node)->attempt;
  set_state(**node, NodeState::waiting);
  return Done{};
}

Applied Applying::end_compensation(NodeState state) {
  const auto node = live_node();
  if (!node) return node.problem();
  if (!run_.undo_top && !is_code()) return std::string{"there is nothing left to undo"};
  finish(**node, state);
  const bool ends_run = state == NodeState::failed && data_.state != RunState::compensating;
  if (ends_run) {  // written by older versions: the remaining compensations did not run
    run_.error = data_.error;
    run_.compensation_error = data_.error;
    return close(RunState::compensation_failed);
  }
  if (is_code()) return Done{};
  if (const Applied popped = pop_undone(); !popped) return popped;
  return data_.state == RunState::compensated ? close(RunState::compensated) : Applied{Done{}};
}

// The last completed task no longer needs a compensation.
Applied Applying::pop_undone() {
  const Node* undone = working_.find(*run_.undo_top);
  if (undone == nullptr) return std::string{"undoes a task that the run does not have"};
  run_.undo_top = undone->undo_before;
  --run_.undoable;
  return Done{};
}

// An operator has given up a failed compensation.
Applied Applying::skip_compensation() {
  Node* node = data_.node ? working_.change(*data_.node) : nullptr;
  if (node == nullptr || !working_.is_compensation(node->key)) return std::string{"names no compensation"};
  if (node->state == NodeState::completed) return fmt::format("'{}' has completed", data_.node_id);
  become(*node, NodeState::skipped);
  node->since = event_.sequence;
  node->finished_at = event_.at;
  if (!is_code() && run_.undo_top == undone_by(*node)) {
    if (const Applied popped = pop_undone(); !popped) return popped;
  }
  run_.finished_at.reset();
  run_.compensation_error.reset();
  return move(RunState::compensating);
}

NodeKey Applying::undone_by(const Node& compensation) const {
  const Graph& graph = *working_.plan().graph;
  for (NodeIndex index = 0; index < graph.size(); ++index) {
    if (graph.compensation_of(index) == compensation.key.index)
      return {.index = index, .item = compensation.key.item};
  }
  return compensation.key;
}

// Adds `nodes` to the undo chain, which goes from the task that completed last to the first.
void Applying::owe(std::vector<Node*> nodes) {
  for (auto next = run_.undo_top; next;) {
    Node* node = working_.change(*next);
    next = node->undo_before;
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) {
    return (a->since < b->since) != planted(Canary::compensation_order_reversed);
  });
  run_.undo_top.reset();
  run_.undoable = static_cast<std::int64_t>(nodes.size());
  for (Node* node : nodes) {
    node->undo_before = run_.undo_top;
    run_.undo_top = node->key;
  }
}

// A registered undo is a compensation that is not owed yet: it is blocked until the run fails.
Applied Applying::register_undos() {
  for (const std::string& name : *data_.undos) {
    const NodeKey key = working_.key_of_step(name);
    if (working_.find(key) != nullptr) continue;
    working_.add(Node{.key = key, .since = event_.sequence, .name = name, .kind = StepKind::compensation});
  }
  Node* body = working_.change(kBodyKey);
  if (body == nullptr) return std::string{"registers undos of a run without a body"};
  body->undos_declared_at = event_.sequence;
  return Done{};
}

}  // namespace pawl::core
