#include "store/run_tail.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pawl::store {

namespace {

bool is_before(const core::Node& node, core::NodeKey key) { return node.key < key; }

// The already loaded nodes of one run, sorted by key.
class ReadNodes final : public core::RunSource {
 public:
  explicit ReadNodes(const std::vector<core::Node>& nodes) : nodes_(nodes) {}

  [[nodiscard]] std::optional<core::Node> node(core::NodeKey key) override {
    const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), key, is_before);
    return found == nodes_.end() || found->key != key ? std::nullopt : std::optional{*found};
  }
  [[nodiscard]] std::vector<core::Node> nodes() override { return nodes_; }

  // Step events need none of these.
  [[nodiscard]] std::vector<core::Node> items(core::NodeIndex /*index*/) override { return {}; }
  [[nodiscard]] std::vector<core::Node> earliest_timers(std::size_t /*count*/) override { return {}; }
  [[nodiscard]] std::optional<core::Node> node_of(const core::TaskId& /*task*/) override { return {}; }
  [[nodiscard]] std::vector<core::Signal> unread_signals(const std::string& /*name*/,
                                                         std::size_t /*count*/) override {
    return {};
  }
  [[nodiscard]] bool has_signal(const std::string& /*idempotency_key*/) override { return false; }

 private:
  const std::vector<core::Node>& nodes_;
};

// Both sorted by key; nodes in `changed` replace those in `nodes` with the same key.
void merge(std::vector<core::Node>& nodes, const std::vector<core::Node>& changed) {
  const auto size = static_cast<std::ptrdiff_t>(nodes.size());
  for (const core::Node& node : changed) {
    const auto end = nodes.begin() + size;
    const auto place = std::lower_bound(nodes.begin(), end, node.key, is_before);
    if (place != end && place->key == node.key) {
      *place = node;
    } else {
      nodes.push_back(node);
    }
  }
  std::inplace_merge(nodes.begin(), nodes.begin() + size, nodes.end(),
                     [](const core::Node& a, const core::Node& b) { return a.key < b.key; });
}

core::Applied apply_to(core::WorkingRun& working, const std::vector<StoredEvent>& tail) {
  for (const StoredEvent& one : tail) {
    if (!one.is_readable) return fmt::format("event {} cannot be read", one.event.sequence);
    if (core::Applied done = core::apply(working, one.event); !done) return done;
  }
  return core::Done{};
}

void replay_all(StoredRun& stored, const std::vector<StoredEvent>& log) {
  core::WorkingRun working{core::RunPlan{}};
  if (const core::Applied done = apply_to(working, log); !done) {
    stored.misfit = done.problem();
    return;
  }
  const bool is_known = working.run().sequence == stored.row.sequence;
  if (working.run().sequence < stored.row.sequence || (is_known && working.run() != stored.run)) {
    stored.misfit = "its row contradicts its event log";
    return;
  }
  for (const core::Node* node : working.changed_nodes()) stored.ahead.push_back(*node);
  stored.nodes = stored.ahead;
  stored.run = working.run();
  stored.hash = log.back().hash;
}

}  // namespace

bool may_have_tail(const core::Run& row) {
  return row.facts.kind == core::RunKind::code && row.state == core::RunState::running;
}

std::int64_t tail_from(const core::RunRowMark& row) { return row.is_bare ? 0 : row.sequence; }

std::vector<core::NodeKey> nodes_of_tail(const std::vector<StoredEvent>& tail) {
  if (tail.empty()) return {};
  std::vector<core::NodeKey> keys{core::kBodyKey};
  for (const StoredEvent& one : tail) {
    if (one.event.data.node) keys.push_back(*one.event.data.node);
    if (!one.event.data.undos) continue;
    for (const std::string& name : *one.event.data.undos) keys.push_back(core::step_key(name, 0));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

void catch_up(StoredRun& stored, const std::vector<StoredEvent>& tail) {
  if (!stored.misfit.empty()) return;
  if (stored.row.is_bare) return replay_all(stored, tail);
  if (tail.empty()) return;
  ReadNodes rows{stored.nodes};
  core::WorkingRun working{core::RunPlan{}, stored.run, &rows};
  if (const core::Applied done = apply_to(working, tail); !done) {
    stored.misfit = done.problem();
    return;
  }
  for (const core::Node* node : working.changed_nodes()) stored.ahead.push_back(*node);
  merge(stored.nodes, stored.ahead);
  stored.run = working.run();
  stored.hash = tail.back().hash;
}

void put_page(StoredRun& stored, core::NodeSlice rows, const core::NodePage& page) {
  std::vector<const core::Node*> ahead;
  for (const core::Node& node : stored.ahead) ahead.push_back(&node);
  core::overlay(rows, ahead);
  core::cut(rows, page);
  stored.nodes = std::move(rows.nodes);
  stored.next_node = rows.next;
}

}  // namespace pawl::store
