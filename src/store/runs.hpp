#pragma once
// What a store keeps of runs: the run itself, its nodes, its signals, its log, and which run a key names. The
// same promises as in store.hpp: a transaction locks what it loads, `commit` compares and sets (a run by its
// sequence, which no two of its events share), reads see the last committed state, also where a row lags.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/command.hpp"
#include "core/node_page.hpp"
#include "core/run.hpp"
#include "core/run_event.hpp"
#include "core/run_lag.hpp"

namespace pawl::store {

// Runs are started once per key.
struct RunKeyRef {
  std::string ns;
  std::string workflow;
  std::string key;

  auto operator<=>(const RunKeyRef&) const = default;
};

struct NodeRef {
  core::RunId run;
  core::NodeKey key;

  auto operator<=>(const NodeRef&) const = default;
};

struct StoredEvent {
  core::RunEvent event = {};
  core::RawJson payload = {};  // byte for byte, as its hash covers it
  std::string hash = {};
  bool is_readable = true;  // false: the payload is none of ours, and the event has no data
};

struct StoredRun {
  core::Run run = {};
  std::string hash = {};               // of its last event
  core::RunRowMark row = {};           // what its row says, which may lag behind the run
  std::vector<core::Node> ahead = {};  // those whose rows lag
  std::string misfit = {};             // why it cannot be read, or the log cannot be what comes after the row
  std::vector<core::Node> nodes = {};  // by key
  std::optional<core::NodeKey> next_node = {};  // where the page after `nodes` begins; none: there is none
  std::vector<core::Signal> signals = {};       // by sequence
  std::vector<StoredEvent> events = {};
};

// The sequence of its last event.
struct RunAt {
  core::RunId run;
  std::int64_t sequence = 0;
};

// One run after the decisions of a group.
struct RunWrite {
  struct Event {
    const core::RunEvent* event = nullptr;
    core::RawJson payload = {};
    std::string hash = {};
  };

  std::int64_t sequence_before = 0;  // 0: there must be none
  std::int64_t row_sequence = 0;     // the same of its row
  bool lags = false;                 // no more than the events need to be written: see core/run_lag.hpp
  bool is_bare = false;              // the nodes need not be written, if the row says so: the same
  const core::Run* run = nullptr;
  std::vector<const core::Node*> nodes = {};      // those that changed since the row was written
  std::vector<const core::Signal*> signals = {};  // the same
  std::vector<Event> events = {};                 // the new ones; the last has the run's hash
};
struct RunKeyWrite {
  RunKeyRef ref;
  core::RunId run = {};
  std::optional<core::RunId> instead_of = {};  // what it must have named before; none: nothing
};

// A run, and which of its nodes to read.
struct PeekRun {
  core::RunId id = {};
  core::NodePage page = {};
};

// A transaction's.
class RunVerbs {
 public:
  RunVerbs() = default;
  RunVerbs(const RunVerbs&) = delete;
  RunVerbs& operator=(const RunVerbs&) = delete;
  virtual ~RunVerbs() = default;

  // Without their parts. `ids` are sorted and distinct.
  [[nodiscard]] virtual std::vector<std::optional<StoredRun>> lock_runs(std::span<const core::RunId> ids) = 0;
  // Of two groups that give the same key one is told to retry.
  [[nodiscard]] virtual std::vector<std::optional<core::RunId>> find_run_keys(
      std::span<const RunKeyRef> refs) = 0;

  // Parts of runs that are locked. Nothing for a node that was never stored.
  [[nodiscard]] virtual std::vector<std::optional<core::Node>> load_nodes(std::span<const NodeRef> refs) = 0;
  // All, or the elements of one for_each.
  [[nodiscard]] virtual std::vector<core::Node> list_nodes(const core::RunId& run,
                                                           std::optional<core::NodeIndex> items_of) = 0;
  // Those with a timer, the earliest first.
  [[nodiscard]] virtual std::vector<core::Node> list_timers(const core::RunId& run, std::size_t count) = 0;
  // Which node of the run the task is of.
  [[nodiscard]] virtual std::optional<core::NodeKey> find_node(const core::RunId& run,
                                                               const core::TaskId& task) = 0;
  // Not consumed yet, the oldest first.
  [[nodiscard]] virtual std::vector<core::Signal> list_unread_signals(const core::RunId& run,
                                                                      const std::string& name,
                                                                      std::size_t count) = 0;
  [[nodiscard]] virtual bool has_signal(const core::RunId& run, const std::string& idempotency_key) = 0;

  // In the order of their ids.
  [[nodiscard]] virtual std::vector<core::TaskId> list_run_tasks(const core::RunId& run) = 0;

  // Code runs as they are stored, not locked, with a page of their nodes and all unconsumed signals: what the
  // body of a run goes on from.
  [[nodiscard]] virtual std::vector<std::optional<StoredRun>> peek_runs(std::span<const PeekRun> peeks) = 0;
};

struct RunPage {
  core::RunQuery query = {};  // an empty namespace: of all
  bool newest_first = true;
  std::optional<core::RunId> after = {};  // the last id of the page before
  std::size_t limit = 50;
  bool with_unreadable = false;  // of a run whose row is damaged, the id alone; otherwise it is left out
};

struct RunParts {
  bool nodes = false;
  std::optional<core::NodePage> page = {};  // of a code run: these nodes instead of all
  bool signals = false;
  bool events = false;
};

struct DueRuns {
  std::vector<core::TimerRef> timers = {};
  std::vector<core::RunId> deadlines = {};
  std::optional<core::TimePoint> next = {};  // when the next one after those is due
};

// A store's.
class RunReads {
 public:
  RunReads() = default;
  RunReads(const RunReads&) = delete;
  RunReads& operator=(const RunReads&) = delete;
  virtual ~RunReads() = default;

  // All of one moment.
  [[nodiscard]] virtual std::optional<StoredRun> find_run(const core::RunId& id, RunParts parts) = 0;
  [[nodiscard]] virtual std::vector<core::Run> list_runs(const RunPage& page) = 0;
  // Those with a higher sequence, the lowest first.
  [[nodiscard]] virtual std::vector<StoredEvent> list_run_events(const core::RunId& run, std::int64_t after,
                                                                 std::size_t limit) = 0;

  // For the ticker, as Store::due_leases. A deadline that cannot be met any more, since the run ends already,
  // is none.
  [[nodiscard]] virtual DueRuns due_runs(std::size_t limit) = 0;
  // Running, and nothing happened to them for so long.
  [[nodiscard]] virtual std::vector<core::RunId> stuck_runs(core::Duration silence, std::size_t limit) = 0;
};

}  // namespace pawl::store
