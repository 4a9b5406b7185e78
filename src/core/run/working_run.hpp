#pragma once
// The part of a run that a decision uses: the run itself, and the nodes and signals that it requests. One
// completion does not load a graph of 10,000 tasks.
//
// Usage by an engine:
//   WorkingRun working{plan, run, &source};         the run's row, locked; a source over the transaction
//   auto decision = decide_…(working, …, context);   core/run/run_machine.hpp
//   write working.run(), working.changed_nodes(), working.changed_signals(), decision.events;
//   execute decision.effects.
// Several decisions may follow one another on one WorkingRun.
//
// Invariants: only `apply` changes nodes and signals. References to nodes stay valid until `evict_stored`.
// Not thread-safe.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run.hpp"

namespace pawl::core {

// Reads the stored nodes and signals of one run: from a store's transaction, or from a test's map. It does
// not see the changes of the working run.
class RunSource {
 public:
  virtual ~RunSource() = default;
  // nullopt if it was never stored.
  [[nodiscard]] virtual std::optional<Node> node(NodeKey key) = 0;
  // All stored nodes. For decisions that may visit all: failures, cancels, retries, resumes.
  [[nodiscard]] virtual std::vector<Node> nodes() = 0;
  // The stored elements of a for_each.
  [[nodiscard]] virtual std::vector<Node> items(NodeIndex index) = 0;
  // The nodes with a timer, the earliest first, at most `count`.
  [[nodiscard]] virtual std::vector<Node> earliest_timers(std::size_t count) = 0;
  // Only for open runs.
  [[nodiscard]] virtual std::optional<Node> node_of(const TaskId& task) = 0;
  // Signals with this name that were not consumed, the oldest first, at most `count`.
  [[nodiscard]] virtual std::vector<Signal> unread_signals(const std::string& name, std::size_t count) = 0;
  [[nodiscard]] virtual bool has_signal(const std::string& idempotency_key) = 0;
};

// The fixed plan of a run; null for open runs and code runs. Both objects must outlive their users.
struct RunPlan {
  const Definition* definition = nullptr;
  const Graph* graph = nullptr;
};

class WorkingRun {
 public:
  // Without a source nothing is stored: for a run that starts, and for replay.
  explicit WorkingRun(RunPlan plan, Run run = {}, RunSource* source = nullptr)
      : plan_(plan),
        run_(std::move(run)),
        source_(source),
        held_(source == nullptr ? Held::all : Held::some) {}
  WorkingRun(const WorkingRun&) = delete;
  WorkingRun& operator=(const WorkingRun&) = delete;
  WorkingRun(WorkingRun&&) = default;
  WorkingRun& operator=(WorkingRun&&) = default;
  ~WorkingRun() = default;

  [[nodiscard]] const RunPlan& plan() const { return plan_; }
  [[nodiscard]] const Run& run() const { return run_; }

  // Null if the run has no such node.
  [[nodiscard]] const Node* find(NodeKey key);
  // The node must exist.
  [[nodiscard]] const Node& node(NodeKey key);
  // The keys of all nodes that were ever stored or changed, in order. Reads the run's whole history.
  [[nodiscard]] std::vector<NodeKey> all_keys();
  // The keys of the nodes that have not ended, in order. Reads the history only if they are not all loaded.
  [[nodiscard]] std::vector<NodeKey> live_keys();
  [[nodiscard]] std::vector<NodeKey> item_keys(NodeIndex index);
  [[nodiscard]] std::optional<NodeKey> key_of(const TaskId& task);
  // In a code run: the step, or null if it was never begun; and its key, begun or not.
  [[nodiscard]] const Node* find_step(std::string_view name);
  [[nodiscard]] NodeKey key_of_step(std::string_view name);
  [[nodiscard]] std::optional<TimePoint> earliest_timer();
  [[nodiscard]] std::optional<Signal> next_signal(const std::string& name);
  [[nodiscard]] bool has_signal(const std::string& idempotency_key);

  // The nodes that wait for this one.
  [[nodiscard]] std::vector<NodeIndex> successors(NodeIndex index);
  [[nodiscard]] bool is_compensation(NodeKey key);
  [[nodiscard]] bool continues_on_error(NodeIndex index) const;
  // Whether a completed node of this index must be undone if the run fails.
  [[nodiscard]] bool is_compensable(NodeIndex index) const;
  // Its id in the definition; in an open run, its task's; in a code run, the step's name.
  [[nodiscard]] std::string node_id(NodeKey key);

  [[nodiscard]] std::vector<const Node*> changed_nodes() const;
  [[nodiscard]] std::optional<TimePoint> earliest_changed_timer() const;
  [[nodiscard]] std::vector<const Signal*> changed_signals() const;

  void stand_on(RunSource* source) { source_ = source; }
  // Must be called once the changes are stored.
  void settle();
  [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
  // Whether the node can be looked up without the source.
  [[nodiscard]] bool is_here(NodeKey key) const { return held_ == Held::all || nodes_.contains(key); }
  [[nodiscard]] bool has_all_nodes() const { return held_ == Held::all; }
  // Evicts stored nodes once there are `slack` more than after the last eviction, so that the memory of a run
  // does not grow with its history: ended nodes and, if more than `live_max` nodes remain, live ones too.
  struct EvictionLimits {
    std::size_t slack = 0;
    std::size_t live_max = 0;
  };
  void evict_stored(const EvictionLimits& limits);

  // Only for `apply`. `change` returns null if the run has no such node.
  [[nodiscard]] Run& change_run() { return run_; }
  [[nodiscard]] Node* change(NodeKey key);
  Node& add(Node node);
  void add(Signal signal);
  [[nodiscard]] Signal* change_signal(std::int64_t sequence, const std::string& name);

 private:
  struct Entry {
    Node node;
    bool is_changed = false;
  };
  // Which of the run's nodes are certainly loaded. Changed nodes always are.
  enum class Held : std::uint8_t { some, live, all };

  Entry* entry(NodeKey key);
  void take(const std::vector<Node>& stored);
  void take_all();
  void note_changed(Entry& entry);

  RunPlan plan_;
  Run run_;
  RunSource* source_;
  Held held_;
  std::map<NodeKey, Entry> nodes_;
  std::vector<Entry*> changed_;  // entries of nodes_, each once
  std::size_t left_by_eviction_ = 0;
  std::map<std::int64_t, Signal> signals_;  // those received or consumed here, by sequence
};

}  // namespace pawl::core
