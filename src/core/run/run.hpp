#pragma once
// A run: one execution of a workflow. Defines the state of the run (Run) and of each of its tasks (Node), and
// the signals that it received.
//
// Invariants: a run, its nodes and its signals change only by events (core/run/run_apply.hpp), so that the
// event log rebuilds them byte for byte. Only `move_to` (core/run/run_transitions.hpp) sets a run's state.

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/problem.hpp"
#include "core/base/time.hpp"
#include "core/definition/definition.hpp"
#include "core/definition/graph.hpp"
#include "core/json/json.hpp"
#include "core/run/node_key.hpp"
#include "core/run/run_bounds.hpp"
#include "core/task/task.hpp"

namespace pawl::core {

enum class RunState : std::uint8_t {
  created,
  running,
  sleeping,  // waits only for timers, signals or children
  paused,
  completing,  // everything has ended well; its output is rendered
  completed,
  failing,  // a stop of the tasks in progress was requested
  failed,
  compensating,
  compensated,
  compensation_failed,
  cancelled,
};
inline constexpr int kRunStateCount = 12;
[[nodiscard]] std::string_view to_string(RunState state);
[[nodiscard]] std::optional<RunState> run_state_from(std::string_view name);

// The run has ended. A failed run can still be retried or compensated by hand; a failed compensation can
// still be retried or skipped.
[[nodiscard]] bool is_closed(RunState state);

enum class RunKind : std::uint8_t { graph, code, open };
inline constexpr int kRunKindCount = 3;
[[nodiscard]] std::string_view to_string(RunKind kind);
[[nodiscard]] std::optional<RunKind> run_kind_from(std::string_view name);

// The kinds of steps of a code run.
enum class StepKind : std::uint8_t {
  function,  // code of the workflow body
  sleep,
  signal,
  child,  // a child run
  task,   // a task for any worker
  compensation,
  marker,  // of a change of the code: the branch that the run has taken
};
inline constexpr int kStepKindCount = 7;
[[nodiscard]] std::string_view to_string(StepKind kind);
[[nodiscard]] std::optional<StepKind> step_kind_from(std::string_view name);

struct RunParent {
  RunId run_id = {};
  NodeKey node = {};
  std::string node_id = {};

  bool operator==(const RunParent&) const = default;
};

inline constexpr std::uint8_t kTraceSampled = 1;  // the flag of a W3C traceparent

// The request that created the run; immutable.
struct RunFacts {
  RunId id = {};
  std::string ns = {};
  std::string workflow = {};
  int version = 0;  // of the definition; 0: there is none
  RunKind kind = RunKind::graph;
  std::optional<std::string> run_key = {};
  RawJson input = {};
  std::string queue = "default";
  std::int32_t priority = 0;
  OnFailure on_failure = OnFailure::fail;
  bool auto_complete = false;  // an open run ends when its tasks have ended
  std::optional<TimePoint> deadline_at = {};
  std::optional<RunParent> parent = {};
  int depth = 0;  // the number of its ancestors
  Labels labels = {};
  std::optional<RunId> rewound_from = {};
  std::optional<RunId> continued_from = {};  // the run that this one continues (continue_as_new)
  std::string trace_id = {};                 // the trace of its events and tasks, as in W3C traceparent
  std::string span_id = {};
  std::uint8_t trace_flags = kTraceSampled;
  std::string tracestate = {};

  bool operator==(const RunFacts&) const = default;
};

// The tasks of a run by state. A for_each counts as its elements once they are known; compensations are not
// counted.
struct RunCounts {
  std::int64_t blocked = 0;
  std::int64_t pending = 0;
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::int64_t cancelled = 0;

  // In progress: they end on their own or after a stop request.
  [[nodiscard]] std::int64_t live() const { return pending + running + waiting; }
  bool operator==(const RunCounts&) const = default;
};

struct Run {
  RunFacts facts = {};
  RunState state = RunState::created;
  std::int64_t sequence = 0;  // of the last event
  std::optional<std::string> custom_status = {};
  RawJson output = {};
  std::optional<RunId> continued_as = {};  // the run that continues this one
  std::optional<TaskError> error = {};
  std::optional<TaskError> compensation_error = {};  // of compensation_failed: the error of the compensation
  std::optional<TimePoint> deadline_at = {};         // cleared if the run is retried after it has passed
  std::optional<TimePoint> wake_at = {};             // while it sleeps: when its first timer is due
  RunCounts counts = {};
  std::int64_t claimed = 0;              // pending tasks that a worker holds; set by reads, never stored
  std::int64_t remaining = 0;            // nodes that have not ended, without elements and compensations
  std::int64_t retrying = 0;             // nodes that wait for another attempt after a failed one
  bool cancel_requested = false;         // canceled, but tasks in progress have not ended yet
  std::int64_t stopped_at = 0;           // the event that last requested a stop of the tasks in progress
  std::optional<NodeKey> undo_top = {};  // the last completed task that must be undone if the run fails
  std::int64_t undoable = 0;  // how many tasks must be undone, along the chain of Node::undo_before
  RunCost cost = {};
  // The node whose timer begins the nodes that a commit has left: of a graph run, one node for all.
  std::optional<NodeKey> deferred = {};
  TimePoint created_at = {};
  std::optional<TimePoint> started_at = {};
  std::optional<TimePoint> finished_at = {};
  TimePoint updated_at = {};

  bool operator==(const Run&) const = default;
};

// Whether the run has not ended and some of its tasks wait for a retry.
[[nodiscard]] bool is_retrying(const Run& run);
// The W3C traceparent; empty unless both ids are given.
[[nodiscard]] std::string traceparent_of(const std::string& trace_id, const std::string& span_id,
                                         std::uint8_t flags);
// What the tasks of the run store in addition to TaskRun::traceparent; null without a tracestate.
[[nodiscard]] Boxed<TraceContext> task_trace_of(const RunFacts& facts);
// Whether a stop of the tasks in progress was requested; nothing new starts.
[[nodiscard]] bool is_stopping(const Run& run);
// The counts that callers see: claimed tasks count as running, blocked tasks of an ending run as cancelled.
[[nodiscard]] RunCounts shown_counts(const Run& run);

enum class NodeState : std::uint8_t {
  blocked,  // waits for its predecessors, or is held by a pause
  pending,  // its task can be claimed
  running,  // its task was started
  waiting,  // for a timer, a signal, a child, or the elements of its for_each
  completed,
  failed,
  skipped,
  cancelled,
};
inline constexpr int kNodeStateCount = 8;
[[nodiscard]] std::string_view to_string(NodeState state);
[[nodiscard]] std::optional<NodeState> node_state_from(std::string_view name);
[[nodiscard]] constexpr bool has_ended(NodeState state) { return state >= NodeState::completed; }

// A node that was never stored has the state of `first_node`.
struct Node {
  NodeKey key = {};
  NodeState state = NodeState::blocked;
  std::uint32_t unmet = 0;  // how many predecessors have not ended
  bool has_lead = false;    // a predecessor has ended other than skipped
  std::int64_t since = 0;   // the event that last scheduled it, made it wait or ended it
  int attempt = 0;          // of its task, the last one known
  std::optional<TaskId> task_id = {};
  std::optional<RunId> child_id = {};
  std::optional<TimePoint> timer_at = {};  // its timer: the row is due at this time
  RawJson output = {};
  std::optional<TaskError> error = {};
  std::optional<std::uint32_t> items = {};  // of a for_each: the number of elements
  std::uint32_t items_left = 0;             // the number that have not ended
  std::uint32_t items_failed = 0;           // the number that have not completed
  std::optional<NodeKey> undo_before = {};  // the next node to undo after this one
  std::vector<NodeIndex> followers = {};    // its successors in an open run; otherwise the graph has them
  std::optional<TimePoint> scheduled_at = {};
  std::optional<TimePoint> finished_at = {};

  // Only in code runs. The body, which has no name, waits for `unmet` steps to end if `has_lead` is set.
  std::string name = {};
  std::optional<StepKind> kind = {};
  std::optional<RetryPolicy> retry = {};  // of a step; absent: the default of all steps
  int attempts_before = 0;                // at the last retry of the run: not part of the step's budget
  std::string awaits = {};                // the signal it waits for; of the body, "*" is any
  bool nothing_to_undo = false;           // of a waiting body: it declared this
  std::int64_t undos_declared_at = 0;     // of the body: the event that last recorded its registered undos

  bool operator==(const Node&) const = default;
};

// Whether its last attempt failed and another one will follow.
[[nodiscard]] bool is_retrying(const Node& node);
// The key of a code run's body.
inline constexpr NodeKey kBodyKey{.index = 0};
// The key at which to find a step: probe until the key belongs to the step or is free.
[[nodiscard]] NodeKey step_key(std::string_view name, std::uint32_t probe);

[[nodiscard]] Node first_node(const Graph& graph, NodeKey key);
// The state that callers see: a blocked node of an ending run is cancelled.
[[nodiscard]] NodeState shown_state(const Run& run, const Node& node);

// Kept until a node consumes it, and afterwards as proof that it was received.
struct Signal {
  std::int64_t sequence = 0;  // of the event that received it
  std::string name = {};
  RawJson payload = {};
  std::optional<std::string> idempotency_key = {};
  std::optional<NodeKey> consumed_by = {};

  bool operator==(const Signal&) const = default;
};

// "ship_order", or "ship_order[2]" for an element.
[[nodiscard]] std::string node_name(const std::string& id, NodeKey key);
// {run}:{node}: the same for every attempt at a node or a step.
[[nodiscard]] std::string operation_key(const RunId& run, const std::string& node);
// {run}:{node}:{attempt}: identifies one attempt.
[[nodiscard]] std::string execution_key(const RunId& run, const std::string& node, int attempt);

}  // namespace pawl::core
