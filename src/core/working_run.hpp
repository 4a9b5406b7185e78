#pragma once
// The part of a run that a decision looks at: the run itself, and those of its nodes and signals that it
// asked for. A graph of 10,000 tasks is not loaded for one completion.
//
// What an engine does with it:
//   WorkingRun working{plan, run, &source};         the run's row, locked; a source over the transaction
//   auto decision = decide_…(working, …, context);   core/run_machine.hpp
//   write working.run(), working.changed_nodes(), working.changed_signals(), decision.events;
//   do decision.effects.
// Several decisions may follow one another on one WorkingRun.
//
// Always: nodes and signals are changed by `apply` only. References to nodes stay valid as long as it lives.
// One thread at a time.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/run.hpp"

namespace pawl::core {

// Where the nodes and signals of one run come from: a store's transaction, or a test's map. It knows nothing
// of what the working run has changed.
class RunSource {
 public:
  virtual ~RunSource() = default;
  // Nothing if it was never stored.
  [[nodiscard]] virtual std::optional<Node> node(NodeKey key) = 0;
  // All that are stored. For what may visit all: failures, cancels, retries, resumes.
  [[nodiscard]] virtual std::vector<Node> nodes() = 0;
  // The stored elements of a for_each.
  [[nodiscard]] virtual std::vector<Node> items(NodeIndex index) = 0;
  // Those with a timer, the earliest first, at most `count`.
  [[nodiscard]] virtual std::vector<Node> earliest_timers(std::size_t count) = 0;
  // Of an open run.
  [[nodiscard]] virtual std::optional<Node> node_of(const TaskId& task) = 0;
  // Signals of a name that were not consumed, the oldest first, at most `count`.
  [[nodiscard]] virtual std::vector<Signal> unread_signals(const std::string& name, std::size_t count) = 0;
  [[nodiscard]] virtual bool has_signal(const std::string& idempotency_key) = 0;
};

// What is fixed about a run: nothing for an open one and for code. Both outlive all that uses them.
struct RunPlan {
  const Definition* definition = nullptr;
  const Graph* graph = nullptr;
};

class WorkingRun {
 public:
  // No source: nothing is stored. For a run that starts, and for replay.
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

  // Null for what is no node of this run.
  [[nodiscard]] const Node* find(NodeKey key);
  // There is one.
  [[nodiscard]] const Node& node(NodeKey key);
  // The keys of all nodes that were ever stored or changed, in order. Reads the run's whole history.
  [[nodiscard]] std::vector<NodeKey> all_keys();
  // The keys of the nodes that have not ended, in order. Reads the history only if they are not all here.
  [[nodiscard]] std::vector<NodeKey> live_keys();
  [[nodiscard]] std::vector<NodeKey> item_keys(NodeIndex index);
  [[nodiscard]] std::optional<NodeKey> key_of(const TaskId& task);
  // Of a code run: null for what was never begun, and where it will stand.
  [[nodiscard]] const Node* find_step(std::string_view name);
  [[nodiscard]] NodeKey key_of_step(std::string_view name);
  [[nodiscard]] std::optional<TimePoint> earliest_timer();
  [[nodiscard]] std::optional<Signal> next_signal(const std::string& name);
  [[nodiscard]] bool has_signal(const std::string& idempotency_key);

  // Where a node's end is felt.
  [[nodiscard]] std::vector<NodeIndex> successors(NodeIndex index);
  [[nodiscard]] bool is_compensation(NodeKey key);
  [[nodiscard]] bool continues_on_error(NodeIndex index) const;
  // A completed node of this index is to be undone if the run fails.
  [[nodiscard]] bool is_compensable(NodeIndex index) const;
  // Its id in the definition; in an open run, its task's; in a code run, the step's name.
  [[nodiscard]] std::string node_id(NodeKey key);

  [[nodiscard]] std::vector<const Node*> changed_nodes() const;
  [[nodiscard]] std::optional<TimePoint> earliest_changed_timer() const;
  [[nodiscard]] std::vector<const Signal*> changed_signals() const;

  void stand_on(RunSource* source) { source_ = source; }
  // What it was changed by is stored.
  void settle();
  [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
  // The node is here: a lookup does not ask the source.
  [[nodiscard]] bool is_here(NodeKey key) const { return held_ == Held::all || nodes_.contains(key); }
  [[nodiscard]] bool has_all_nodes() const { return held_ == Held::all; }
  // Evicts stored nodes once there are `slack` more than after the last eviction, so that what is kept of a
  // run does not grow with its history: those that have ended, and if more than `live_max` remain, the live
  // ones.
  struct EvictionLimits {
    std::size_t slack = 0;
    std::size_t live_max = 0;
  };
  void evict_stored(const EvictionLimits& limits);

  // For `apply` alone. `change` gives null for what is no node of this run.
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
  // Which of the run's nodes are certainly here. Changed ones always are.
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
  std::vector<Entry*> changed_;  // of nodes_, each once
  std::size_t left_by_eviction_ = 0;
  std::map<std::int64_t, Signal> signals_;  // those that were received or consumed here, by sequence
};

}  // namespace pawl::core
