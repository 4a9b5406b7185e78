#pragma once
// A run: one execution of a workflow. Where it stands (Run), where each of its tasks stands (Node), the
// signals that it was sent, and the one table of its states.
//
// Always: a run, its nodes and its signals change by events only (core/run_apply.hpp), so that the log
// rebuilds them byte for byte. `move_to` is the only place where a run's state is set.

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/definition.hpp"
#include "core/graph.hpp"
#include "core/ids.hpp"
#include "core/json.hpp"
#include "core/node_key.hpp"
#include "core/problem.hpp"
#include "core/run_bounds.hpp"
#include "core/task.hpp"
#include "core/time.hpp"

namespace pawl::core {

enum class RunState : std::uint8_t {
  created,
  running,
  sleeping,  // all it waits for is time, a signal or a child
  paused,
  completing,  // all has ended well, its output is made
  completed,
  failing,  // what is under way is asked to stop
  failed,
  compensating,
  compensated,
  compensation_failed,
  cancelled,
};
inline constexpr int kRunStateCount = 12;
[[nodiscard]] std::string_view to_string(RunState state);
[[nodiscard]] std::optional<RunState> run_state_from(std::string_view name);

struct RunTransition {
  RunState from;
  RunState to;
};
inline constexpr std::array kRunTransitions{
    RunTransition{RunState::created, RunState::running},
    RunTransition{RunState::created, RunState::cancelled},
    RunTransition{RunState::running, RunState::sleeping},
    RunTransition{RunState::running, RunState::paused},
    RunTransition{RunState::running, RunState::completing},
    RunTransition{RunState::running, RunState::failing},
    RunTransition{RunState::running, RunState::cancelled},
    RunTransition{RunState::sleeping, RunState::running},
    RunTransition{RunState::sleeping, RunState::paused},
    RunTransition{RunState::sleeping, RunState::failing},
    RunTransition{RunState::sleeping, RunState::cancelled},
    RunTransition{RunState::paused, RunState::running},
    RunTransition{RunState::paused, RunState::failing},
    RunTransition{RunState::paused, RunState::cancelled},
    RunTransition{RunState::completing, RunState::completed},
    RunTransition{RunState::failing, RunState::running},
    RunTransition{RunState::failing, RunState::compensating},
    RunTransition{RunState::failing, RunState::failed},
    RunTransition{RunState::failing, RunState::cancelled},
    RunTransition{RunState::failed, RunState::running},
    RunTransition{RunState::failed, RunState::compensating},
    RunTransition{RunState::compensating, RunState::compensated},
    RunTransition{RunState::compensating, RunState::compensation_failed},
    RunTransition{RunState::compensating, RunState::cancelled},            // terminated
    RunTransition{RunState::compensation_failed, RunState::compensating},  // retried or skipped by hand
};
[[nodiscard]] bool may_move(RunState from, RunState to);
// It has ended. A failed run can still be retried or compensated by hand, a failed compensation retried or
// skipped.
[[nodiscard]] bool is_closed(RunState state);
// The table as a Mermaid state diagram, for the docs.
[[nodiscard]] std::string run_states_mermaid();

enum class RunKind : std::uint8_t { graph, code, open };
inline constexpr int kRunKindCount = 3;
[[nodiscard]] std::string_view to_string(RunKind kind);
[[nodiscard]] std::optional<RunKind> run_kind_from(std::string_view name);

// A step of a code run, by what it does.
enum class StepKind : std::uint8_t {
  function,  // the body's own code
  sleep,
  signal,
  child,  // a run
  task,   // of any worker
  compensation,
  marker,  // of a change of the code: which way a run has taken
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

// What was asked for; immutable.
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
  bool auto_complete = false;  // of an open run: it ends when its tasks have
  std::optional<TimePoint> deadline_at = {};
  std::optional<RunParent> parent = {};
  int depth = 0;  // how many runs are above it, each the parent of the next
  Labels labels = {};
  std::optional<RunId> rewound_from = {};
  std::optional<RunId> continued_from = {};  // the run whose body asked for this one in its place
  std::string trace_id = {};  // what its events and its tasks are part of, as W3C traceparent says
  std::string span_id = {};

  bool operator==(const RunFacts&) const = default;
};

// Its tasks by where they stand. A for_each counts as its elements once they are known; compensations do not
// count.
struct RunCounts {
  std::int64_t blocked = 0;
  std::int64_t pending = 0;
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::int64_t cancelled = 0;

  // Under way: they will end by themselves or when they are asked to stop.
  [[nodiscard]] std::int64_t live() const { return pending + running + waiting; }
  bool operator==(const RunCounts&) const = default;
};

struct Run {
  RunFacts facts = {};
  RunState state = RunState::created;
  std::int64_t sequence = 0;  // of the last event
  std::optional<std::string> custom_status = {};
  RawJson output = {};
  std::optional<RunId> continued_as = {};  // the run that has taken its place
  std::optional<TaskError> error = {};
  std::optional<TaskError> compensation_error = {};  // of compensation_failed: what is not undone, and why
  std::optional<TimePoint> deadline_at = {};         // gone if it had passed and the run was retried
  std::optional<TimePoint> wake_at = {};             // while it sleeps: when its first timer is due
  RunCounts counts = {};
  std::int64_t remaining = 0;            // nodes that have not ended; elements and compensations do not count
  std::int64_t retrying = 0;             // nodes whose last attempt failed and that wait for another one
  bool cancel_requested = false;         // and what is under way has not ended yet
  std::int64_t stopped_at = 0;           // the event by which what was under way was last asked to stop
  std::optional<NodeKey> undo_top = {};  // the last completed task that is to be undone if the run fails
  std::int64_t undoable = 0;             // how many there are, down the chain of Node::undo_before
  RunCost cost = {};
  // The node whose timer begins what a commit has left: of a graph run, one node for all.
  std::optional<NodeKey> deferred = {};
  TimePoint created_at = {};
  std::optional<TimePoint> started_at = {};
  std::optional<TimePoint> finished_at = {};
  TimePoint updated_at = {};

  bool operator==(const Run&) const = default;
};

// It is under way, and some of its tasks failed and wait to be tried again.
[[nodiscard]] bool is_retrying(const Run& run);
// As W3C has it; empty where there is no trace: it needs both ids.
[[nodiscard]] std::string traceparent_of(const std::string& trace_id, const std::string& span_id);
// What is under way is asked to stop and nothing starts.
[[nodiscard]] bool is_stopping(const Run& run);
// As callers see them: what still waits in a run that goes nowhere is cancelled.
[[nodiscard]] RunCounts shown_counts(const Run& run);
// Sets the state if the table allows it.
[[nodiscard]] bool move_to(Run& run, RunState to);

enum class NodeState : std::uint8_t {
  blocked,  // waits for those before it, or is held by a pause
  pending,  // its task can be claimed
  running,  // its task was started
  waiting,  // for time, a signal, a child, or the elements of its for_each
  completed,
  failed,
  skipped,
  cancelled,
};
inline constexpr int kNodeStateCount = 8;
[[nodiscard]] std::string_view to_string(NodeState state);
[[nodiscard]] std::optional<NodeState> node_state_from(std::string_view name);
[[nodiscard]] constexpr bool has_ended(NodeState state) { return state >= NodeState::completed; }

// A node that was never stored stands as `first_node` says.
struct Node {
  NodeKey key = {};
  NodeState state = NodeState::blocked;
  std::uint32_t unmet = 0;  // of those it comes after, how many have not ended
  bool has_lead = false;    // one of them ended otherwise than skipped
  std::int64_t since = 0;   // the event by which it was last scheduled, began to wait or ended
  int attempt = 0;          // of its task, the last that is known
  std::optional<TaskId> task_id = {};
  std::optional<RunId> child_id = {};
  std::optional<TimePoint> timer_at = {};  // this is the timer: a row that has it is due then
  RawJson output = {};
  std::optional<TaskError> error = {};
  std::optional<std::uint32_t> items = {};  // of a for_each: how many elements it has
  std::uint32_t items_left = 0;             // of them, how many have not ended
  std::uint32_t items_failed = 0;           // and how many did not end well
  std::optional<NodeKey> undo_before = {};  // what is to be undone after this one
  std::vector<NodeIndex> followers = {};    // of an open run; otherwise the graph knows
  std::optional<TimePoint> scheduled_at = {};
  std::optional<TimePoint> finished_at = {};

  // Of a code run only. The body, which has no name, waits for `unmet` steps to end if `has_lead` says so.
  std::string name = {};
  std::optional<StepKind> kind = {};
  std::optional<RetryPolicy> retry = {};  // of a step; none: the one of all steps
  int attempts_before = 0;                // when the run was last retried: not of the step's budget
  std::string awaits = {};                // the signal it waits for; of the body, "*" is any
  bool nothing_to_undo = false;           // of the body while it waits: it said so
  std::int64_t undos_declared_at = 0;     // of the body: the event that last recorded its registered undos

  bool operator==(const Node&) const = default;
};

// Its last attempt failed, and another one is to come.
[[nodiscard]] bool is_retrying(const Node& node);
// Where the body of a code run stands.
inline constexpr NodeKey kBodyKey{.index = 0};
// Where to look for a step: at the first of these that is taken by it, or free.
[[nodiscard]] NodeKey step_key(std::string_view name, std::uint32_t probe);

[[nodiscard]] Node first_node(const Graph& graph, NodeKey key);
// As callers see it: what still waits in a run that goes nowhere is cancelled.
[[nodiscard]] NodeState shown_state(const Run& run, const Node& node);

// Kept until a node consumes it, and then as the proof that it was received.
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
// {run}:{node}:{attempt}: names one attempt.
[[nodiscard]] std::string execution_key(const RunId& run, const std::string& node, int attempt);

}  // namespace pawl::core
