#pragma once
// The interface for the stored runs: the run itself, its nodes, signals and events, and the run keys. The
// guarantees of store.hpp apply: a transaction locks what it loads; `commit` compares and sets (a run by its
// sequence, which no two of its events share); reads see the last committed state, even where a row lags.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/run/node_page.hpp"
#include "core/run/run.hpp"
#include "core/run/run_event.hpp"
#include "core/run/run_lag.hpp"
#include "core/task/command.hpp"

namespace pawl::store {

// A run is started once per key.
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
  core::RawJson payload = {};  // byte for byte, because its hash covers it
  std::string hash = {};
  bool is_readable = true;  // false: the payload is malformed and the event has no data
};

struct StoredRun {
  core::Run run = {};
  std::string hash = {};               // of its last event
  core::RunRowMark row = {};           // the state of its row, which may lag behind the run
  std::vector<core::Node> ahead = {};  // nodes whose rows lag
  std::string misfit = {};             // why the run cannot be read, or why the log does not continue the row
  std::vector<core::Node> nodes = {};  // by key
  std::optional<core::NodeKey> next_node = {};  // first node of the next page; none: this is the last page
  std::vector<core::Signal> signals = {};       // by sequence
  std::vector<StoredEvent> events = {};
};

// A run and the sequence of its last event.
struct RunAt {
  core::RunId run;
  std::int64_t sequence = 0;
};

// A run after the group's decisions.
struct RunWrite {
  struct Event {
    const core::RunEvent* event = nullptr;
    core::RawJson payload = {};
    std::string hash = {};
  };

  // What need not be written now, because it follows from the events: see core/run/run_lag.hpp. Writing it
  // anyway is always correct.
  struct Omissions {
    bool row = false;    // everything but the events
    bool nodes = false;  // the node rows, if the run's row is marked bare
  };

  std::int64_t sequence_before = 0;  // 0: the run must not exist
  std::int64_t row_sequence = 0;     // the sequence in its row
  Omissions may_omit = {};
  const core::Run* run = nullptr;
  std::vector<const core::Node*> nodes = {};      // changed since the row was written
  std::vector<const core::Signal*> signals = {};  // changed since the row was written
  std::vector<Event> events = {};                 // the new ones; the last has the run's hash
};
struct RunKeyWrite {
  RunKeyRef ref;
  core::RunId run = {};
  std::optional<core::RunId> instead_of = {};  // the run it must name now; none: the key must not exist
};

// A run and which of its nodes to read.
struct PeekRun {
  core::RunId id = {};
  core::NodePage page = {};
};

// Which nodes of a run to list: all, or those of one kind.
struct NodeFilter {
  std::optional<core::NodeIndex> items_of = {};     // the elements of this for_each
  std::optional<std::size_t> earliest_timers = {};  // those with a timer, at most so many, earliest first
};
// Which signals of a run to list: the unconsumed ones with a name, or the one with a key.
struct SignalFilter {
  std::string_view unread_name = {};
  std::optional<std::string_view> idempotency_key = {};
  std::size_t limit = 1;
};
// A task of a run and the node that it executes.
struct RunTask {
  core::TaskId id = {};
  core::NodeKey node = {};
};

// The part of a Transaction that deals with runs.
class RunVerbs {
 public:
  RunVerbs() = default;
  RunVerbs(const RunVerbs&) = delete;
  RunVerbs& operator=(const RunVerbs&) = delete;
  virtual ~RunVerbs() = default;

  // Without nodes, signals and events. `ids` are sorted and distinct.
  [[nodiscard]] virtual std::vector<std::optional<StoredRun>> lock_runs(std::span<const core::RunId> ids) = 0;
  // Nodes of locked runs; nullopt for a node that was never stored.
  [[nodiscard]] virtual std::vector<std::optional<core::Node>> load_nodes(std::span<const NodeRef> refs) = 0;
  [[nodiscard]] virtual std::vector<core::Node> list_nodes(const core::RunId& run, NodeFilter filter) = 0;
  // Oldest first.
  [[nodiscard]] virtual std::vector<core::Signal> list_signals(const core::RunId& run,
                                                               const SignalFilter& filter) = 0;

  // In id order. With `only`, at most that one.
  [[nodiscard]] virtual std::vector<RunTask> list_run_tasks(const core::RunId& run,
                                                            const core::TaskId* only) = 0;

  // Stored code runs, not locked, with a page of their nodes and all unconsumed signals: the input for
  // continuing a workflow body.
  [[nodiscard]] virtual std::vector<std::optional<StoredRun>> peek_runs(std::span<const PeekRun> peeks) = 0;
};

struct RunPage {
  core::RunQuery query = {};  // empty namespace: all namespaces
  bool newest_first = true;
  std::optional<core::RunId> after = {};  // the last id of the previous page
  std::size_t limit = 50;
  bool with_claims = false;      // set Run::claimed
  bool with_unreadable = false;  // include runs with damaged rows, with the id alone
};

// Whether a list is read from the label index of its namespace. Lists of states that few runs are in are
// short without it.
[[nodiscard]] bool is_found_by_label(const core::RunQuery& query);

struct RunParts {
  bool nodes = false;
  std::optional<core::NodePage> page = {};  // for a code run: these nodes instead of all
  bool signals = false;
  bool events = false;
  bool claims = false;  // set Run::claimed
};

struct DueRuns {
  std::vector<core::TimerRef> timers = {};
  std::vector<core::RunId> deadlines = {};
  std::optional<core::TimePoint> next = {};  // due time of the first one after those
};

// The part of a Store that deals with runs.
class RunReads {
 public:
  RunReads() = default;
  RunReads(const RunReads&) = delete;
  RunReads& operator=(const RunReads&) = delete;
  virtual ~RunReads() = default;

  // From one snapshot.
  [[nodiscard]] virtual std::optional<StoredRun> find_run(const core::RunId& id, RunParts parts) = 0;
  [[nodiscard]] virtual std::vector<core::Run> list_runs(const RunPage& page) = 0;
  // Events with a higher sequence, lowest first.
  [[nodiscard]] virtual std::vector<StoredEvent> list_run_events(const core::RunId& run, std::int64_t after,
                                                                 std::size_t limit) = 0;
};

}  // namespace pawl::store
