#include "core/run/working_run.hpp"

#include <algorithm>
#include <utility>

#include "core/base/damage.hpp"

namespace pawl::core {

WorkingRun::Entry* WorkingRun::entry(NodeKey key) {
  if (const auto found = nodes_.find(key); found != nodes_.end()) return &found->second;
  std::optional<Node> node = held_ == Held::all || source_ == nullptr ? std::nullopt : source_->node(key);
  const bool is_of_the_graph = plan_.graph != nullptr && key.index < plan_.graph->size();
  if (!node && !is_of_the_graph) return nullptr;
  if (!node) node = first_node(*plan_.graph, key);
  return &nodes_.emplace(key, Entry{.node = std::move(*node)}).first->second;
}

void WorkingRun::take(const std::vector<Node>& stored) {
  for (const Node& node : stored) nodes_.try_emplace(node.key, Entry{.node = node});
}

const Node* WorkingRun::find(NodeKey key) {
  const Entry* found = entry(key);
  return found == nullptr ? nullptr : &found->node;
}

const Node& WorkingRun::node(NodeKey key) {
  const Node* found = find(key);
  // Keys come from the run's own graph and nodes.
  if (found == nullptr) throw DamagedRun{"run " + to_string(run_.facts.id) + " lacks a node"};
  return *found;
}

void WorkingRun::take_all() {
  if (held_ == Held::all || source_ == nullptr) return;
  take(source_->nodes());
  held_ = Held::all;
}

std::vector<NodeKey> WorkingRun::all_keys() {
  take_all();
  std::vector<NodeKey> keys;
  keys.reserve(nodes_.size());
  for (const auto& [key, one] : nodes_) keys.push_back(key);
  return keys;
}

std::vector<NodeKey> WorkingRun::live_keys() {
  if (held_ == Held::some) take_all();
  std::vector<NodeKey> keys;
  for (const auto& [key, one] : nodes_) {
    if (!has_ended(one.node.state)) keys.push_back(key);
  }
  return keys;
}

std::vector<NodeKey> WorkingRun::item_keys(NodeIndex index) {
  if (held_ != Held::all && source_ != nullptr) take(source_->items(index));
  std::vector<NodeKey> keys;
  for (auto one = nodes_.lower_bound({.index = index, .item = 0});
       one != nodes_.end() && one->first.index == index; ++one)
    keys.push_back(one->first);
  return keys;
}

std::optional<NodeKey> WorkingRun::key_of(const TaskId& task) {
  for (const auto& [key, one] : nodes_) {
    if (one.node.task_id == task) return key;
  }
  const auto stored = source_ == nullptr ? std::nullopt : source_->node_of(task);
  if (!stored) return std::nullopt;
  take({*stored});
  return stored->key;
}

std::optional<TimePoint> WorkingRun::earliest_timer() {
  // Each loaded node may hide a stored one, so one more than that is enough.
  if (held_ == Held::some && source_ != nullptr) take(source_->earliest_timers(nodes_.size() + 1));
  std::optional<TimePoint> earliest;
  for (const auto& [key, one] : nodes_) {
    if (one.node.timer_at && (!earliest || *one.node.timer_at < *earliest)) earliest = one.node.timer_at;
  }
  return earliest;
}

std::optional<Signal> WorkingRun::next_signal(const std::string& name) {
  if (source_ != nullptr) {
    for (const Signal& stored : source_->unread_signals(name, signals_.size() + 1)) {
      if (!signals_.contains(stored.sequence)) return stored;
    }
  }
  const auto unread = std::find_if(signals_.begin(), signals_.end(), [&](const auto& one) {
    return one.second.name == name && !one.second.consumed_by;
  });
  return unread == signals_.end() ? std::nullopt : std::optional{unread->second};
}

bool WorkingRun::has_signal(const std::string& idempotency_key) {
  const bool is_here = std::any_of(signals_.begin(), signals_.end(), [&](const auto& one) {
    return one.second.idempotency_key == idempotency_key;
  });
  return is_here || (source_ != nullptr && source_->has_signal(idempotency_key));
}

std::vector<NodeIndex> WorkingRun::successors(NodeIndex index) {
  if (plan_.graph == nullptr) return node({.index = index}).followers;
  const auto next = plan_.graph->successors(index);
  return {next.begin(), next.end()};
}

const Node* WorkingRun::find_step(std::string_view name) { return find(key_of_step(name)); }

NodeKey WorkingRun::key_of_step(std::string_view name) {
  for (std::uint32_t probe = 0;; ++probe) {
    const NodeKey key = step_key(name, probe);
    const Node* node = find(key);
    if (node == nullptr || node->name == name) return key;
  }
}

bool WorkingRun::is_compensation(NodeKey key) {
  if (plan_.graph != nullptr) return plan_.graph->is_compensation(key.index);
  const Node* node = run_.facts.kind == RunKind::code ? find(key) : nullptr;
  return node != nullptr && node->kind == StepKind::compensation;
}

bool WorkingRun::continues_on_error(NodeIndex index) const {
  return plan_.graph != nullptr && plan_.graph->continues_on_error(index);
}

bool WorkingRun::is_compensable(NodeIndex index) const {
  return plan_.graph != nullptr && plan_.graph->compensation_of(index).has_value();
}

std::string WorkingRun::node_id(NodeKey key) {
  if (plan_.definition != nullptr) return node_name(plan_.definition->tasks[key.index].id, key);
  const Node& found = node(key);
  if (run_.facts.kind == RunKind::code) return key == kBodyKey ? "body" : found.name;
  return found.task_id ? to_string(*found.task_id) : std::string{};
}

std::vector<const Node*> WorkingRun::changed_nodes() const {
  std::vector<const Node*> changed;
  changed.reserve(changed_.size());
  for (const Entry* one : changed_) changed.push_back(&one->node);
  std::sort(changed.begin(), changed.end(), [](const Node* a, const Node* b) { return a->key < b->key; });
  return changed;
}

std::optional<TimePoint> WorkingRun::earliest_changed_timer() const {
  std::optional<TimePoint> earliest;
  for (const Entry* one : changed_) {
    const std::optional<TimePoint>& timer = one->node.timer_at;
    if (timer) earliest = std::min(earliest.value_or(*timer), *timer);
  }
  return earliest;
}

std::vector<const Signal*> WorkingRun::changed_signals() const {
  std::vector<const Signal*> changed;
  for (const auto& [sequence, signal] : signals_) changed.push_back(&signal);
  return changed;
}

void WorkingRun::settle() {
  for (Entry* one : changed_) one->is_changed = false;
  changed_.clear();
  signals_.clear();
}

void WorkingRun::evict_stored(const EvictionLimits& limits) {
  if (nodes_.size() <= left_by_eviction_ + limits.slack) return;
  const auto is_stored = [](const auto& one) { return !one.second.is_changed && one.first != kBodyKey; };
  if (held_ == Held::all) held_ = Held::live;
  std::erase_if(nodes_, [&](const auto& one) { return is_stored(one) && has_ended(one.second.node.state); });
  if (nodes_.size() > changed_.size() + limits.live_max) {
    held_ = Held::some;
    std::erase_if(nodes_, is_stored);
  }
  left_by_eviction_ = nodes_.size();
}

void WorkingRun::note_changed(Entry& entry) {
  if (!std::exchange(entry.is_changed, true)) changed_.push_back(&entry);
}

Node* WorkingRun::change(NodeKey key) {
  Entry* found = entry(key);
  if (found == nullptr) return nullptr;
  note_changed(*found);
  return &found->node;
}

Node& WorkingRun::add(Node node) {
  Entry& added = nodes_[node.key];
  added.node = std::move(node);
  note_changed(added);
  return added.node;
}

void WorkingRun::add(Signal signal) {
  const std::int64_t sequence = signal.sequence;
  signals_.insert_or_assign(sequence, std::move(signal));
}

Signal* WorkingRun::change_signal(std::int64_t sequence, const std::string& name) {
  if (const auto found = signals_.find(sequence); found != signals_.end()) return &found->second;
  if (source_ == nullptr) return nullptr;
  for (Signal& stored : source_->unread_signals(name, signals_.size() + 1)) {
    if (stored.sequence == sequence) return &signals_.emplace(sequence, std::move(stored)).first->second;
  }
  return nullptr;
}

}  // namespace pawl::core
