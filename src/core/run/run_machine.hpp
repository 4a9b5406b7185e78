#pragma once
// The run machine: decides how a run reacts to starts, task outcomes, timers, signals and operators. Pure:
// time and ids come from the context, nodes from the WorkingRun, and work outside the run is returned as
// effects.
//
// A decision returns events, which are already applied to the working run (a later decision on the same
// run sees them), and effects. The engine stores the events, the run and its changes, and executes the
// effects, all in one transaction. If an effect has an immediate outcome (an unclaimed task is cancelled
// directly), the engine passes it to `decide_task` in the same transaction. An outcome that is late or
// repeated returns no events.
//
// Order of tasks: a task waits until all its predecessors have ended. It is skipped if every one of them
// was skipped; otherwise its `when` is evaluated, and a condition that does not hold ends it as skipped.
// A failed task without `on_error: continue` fails the run; with it, the successors start as if the task
// had completed (a reference to its output does not resolve). The cost of a completion depends on the
// number of tasks that it starts or skips and on their successors, never on the size of the graph.
//
// A decision begins and stops as many nodes as the budget of its commit allows. The rest waits for timers
// that are due immediately: one of the run for all nodes to begin (Run::deferred), and one for each task
// or child to stop. A run that costs more than its bounds fails the node that would exceed them.
//
// Choices that the API leaves open:
//   - A cancelled run is undone like a failed one: with on_failure: compensate and something done, it goes
//     through `failing` to `compensating`. With nothing to undo it is `cancelled` immediately, and tasks in
//     progress are detached: their stop is requested, and their outcome is no longer passed to the run. If
//     a task in progress would have to be undone in case it completes, the run waits for it first
//     (`cancel_requested`).
//   - A task that still waits for predecessors when a run stops gets no event of its own: it is shown as
//     cancelled, and keeps its state if the run is retried.
//   - Each element of a for_each is undone separately.
//   - When a compensation fails for good, the remaining ones still run; the run is then
//     compensation_failed. A retry runs the failed ones again; a skipped one counts as done.
//   - Tasks and children of a code run end before its body undoes anything.
//   - A run's output is its template, in which a reference that does not resolve is null; without a template
//     it is an object of the outputs of the completed tasks without successors.
//   - In an open run a failed task cancels its successors, not the run. An auto_complete run fails if a
//     task did not complete. When such a task is retried, alone or with its run, the same task is held
//     again, together with the tasks that were cancelled only because of it.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.hpp"
#include "core/run/run_bounds.hpp"
#include "core/run/run_event.hpp"
#include "core/run/working_run.hpp"
#include "core/task/task_spec.hpp"

namespace pawl::core {

struct DeclaredType;

// The circumstances of a decision: its time, its actor and its cause.
struct RunContext {
  TimePoint now = {};
  std::function<Uuid()> next_id = {};  // for tasks and child runs
  double chance = 0.5;                 // one draw in [0, 1), for jitter
  EventActor actor = {};
  std::optional<std::int64_t> caused_by = {};
  std::string trace_id = {};
  std::string span_id = {};
  // Returns the declaration of a task type; null: there is none.
  std::function<std::shared_ptr<const DeclaredType>(const std::string& type)> declared_type = {};
  RunBounds bounds = {};
  // The budget of the commit, shared by all its decisions; null: no limit.
  CommitBudget* budget = nullptr;
};

// A task to enqueue. Its attempts are counted from `attempts_used`, which are not part of its budget, so that
// the execution keys of a node never repeat.
struct EnqueueNode {
  TaskId task_id = {};
  NodeKey node = {};
  std::string node_id = {};
  TaskSpec spec = {};
  int attempts_used = 0;

  bool operator==(const EnqueueNode& other) const { return task_id == other.task_id && node == other.node; }
};
// Cancels an unclaimed task and requests a stop of a claimed one; forced, revokes the lease.
struct StopTask {
  TaskId task_id = {};
  bool is_forced = false;
  bool operator==(const StopTask&) const = default;
};
// Makes a task unclaimable until it is freed; a leased task stays leased.
struct HoldTask {
  TaskId task_id = {};
  bool operator==(const HoldTask&) const = default;
};
struct FreeTask {
  TaskId task_id = {};
  bool operator==(const FreeTask&) const = default;
};
// Holds an ended task again, with a fresh budget of attempts.
struct ReviveTask {
  TaskId task_id = {};
  bool operator==(const ReviveTask&) const = default;
};
struct StartChild {
  RunId child_id = {};
  NodeKey node = {};
  std::string node_id = {};
  std::string workflow = {};
  RawJson input = {};
  std::string queue = {};
  std::int32_t priority = 0;
  Labels labels = {};
  std::optional<TimePoint> deadline_at = {};
  std::optional<std::string> run_key = {};  // of a code run; a key in use fails the step
  bool may_be_code = false;                 // if there is no definition
  bool operator==(const StartChild&) const = default;
};
// Cancels a child; forced, terminates it.
struct StopChild {
  RunId child_id = {};
  bool is_forced = false;
  bool operator==(const StopChild&) const = default;
};
// The end of a child, for `decide_child` of its parent.
struct ChildOutcome {
  RunId child_id = {};
  NodeKey node = {};
  RunState state = RunState::completed;
  RawJson output = {};
  std::optional<TaskError> error = {};
  bool operator==(const ChildOutcome&) const = default;
};
struct TellParent {
  RunId parent_id = {};
  ChildOutcome outcome = {};
  bool operator==(const TellParent&) const = default;
};
// Starts a run of the same workflow in place of this one, with its key, its unread signals and its parent.
struct ContinueRun {
  RunId next_id = {};
  RawJson input = {};
  bool operator==(const ContinueRun&) const = default;
};
using RunEffect = std::variant<EnqueueNode, StopTask, HoldTask, FreeTask, ReviveTask, StartChild, StopChild,
                               TellParent, ContinueRun>;

struct RunDecision {
  std::vector<RunEvent> events = {};
  std::vector<RunEffect> effects = {};
};

// --- starting a run ---

// Needs an empty WorkingRun. The first tasks of a graph run start; an open run waits for its tasks.
[[nodiscard]] RunDecision start_run(WorkingRun& working, const RunFacts& facts, const RunContext& context);
// Builds a new run on an empty WorkingRun of the same plan, with all results of `source` except those of the
// task `to` and its successors. `source` stays unchanged.
[[nodiscard]] Result<RunDecision> rewind_run(WorkingRun& source, const std::string& to, WorkingRun& fork,
                                             const RunFacts& facts, const RunContext& context);

// --- outcomes, timers and signals ---

// given_back: it was claimed and released again; for its run it never began.
enum class TaskOutcomeKind : std::uint8_t { started, given_back, retrying, completed, failed, cancelled };
struct TaskOutcome {
  NodeKey node = {};
  TaskId task_id = {};
  TaskOutcomeKind kind = TaskOutcomeKind::completed;
  AttemptOutcome cause = AttemptOutcome::failed;  // of retrying and failed: how the attempt ended
  int attempt = 0;
  std::string worker_id = {};
  RawJson output = {};
  std::optional<TaskError> error = {};
  std::optional<TimePoint> retry_at = {};
  std::optional<RawJson> continue_as_new = {};  // of a completed body
};
[[nodiscard]] RunDecision decide_task(WorkingRun& working, const TaskOutcome& outcome,
                                      const RunContext& context);
[[nodiscard]] RunDecision decide_child(WorkingRun& working, const ChildOutcome& outcome,
                                       const RunContext& context);
// A child was continued as another run: the parent now waits for that run.
struct ChildContinued {
  NodeKey node = {};
  RunId from = {};
  RunId to = {};
};
[[nodiscard]] RunDecision replace_child(WorkingRun& working, const ChildContinued& child,
                                        const RunContext& context);
// The facts of the run that continues `run` with `input`; it has the same time until its deadline.
[[nodiscard]] RunFacts continued_facts(const Run& run, const ContinueRun& effect, TimePoint now);
// Fires the timer of a node if it is due.
[[nodiscard]] RunDecision decide_timer(WorkingRun& working, NodeKey node, const RunContext& context);
// No events before the deadline has passed, and none for a run that is being undone.
[[nodiscard]] RunDecision decide_deadline(WorkingRun& working, const RunContext& context);
// Records evidence that changes no state, and only that: step_…, checkpoint_written, recovery_started.
[[nodiscard]] RunDecision note_evidence(WorkingRun& working, RunEventType type, const RawJson& detail,
                                        const RunContext& context);

struct SignalSent {
  std::string name = {};
  RawJson payload = {};
  std::optional<std::string> idempotency_key = {};
  std::optional<std::int64_t> expected_sequence = {};  // otherwise precondition_failed
};
// A repeated idempotency key returns no events, whatever the sequence is now.
[[nodiscard]] Result<RunDecision> decide_signal(WorkingRun& working, const SignalSent& signal,
                                                const RunContext& context);

// --- actions of operators ---

// Compares the sequence that a request expects with that of the run: precondition_failed.
[[nodiscard]] Status check_sequence(const Run& run, std::optional<std::int64_t> expected);

enum class RunAction : std::uint8_t { pause, resume, cancel, retry, compensate, complete, terminate, skip };
inline constexpr int kRunActionCount = 8;
[[nodiscard]] std::string_view to_string(RunAction action);
struct RunActionAsked {
  RunAction action = RunAction::pause;
  std::optional<std::string> reason = {};
  std::optional<std::int64_t> expected_sequence = {};  // otherwise precondition_failed
  std::optional<std::string> step = {};                // of skip: a failed compensation; absent: the only one
};
// `complete` is for open runs. A transition that is not in the table is `invalid_state` (of a run that has
// ended, `already_completed`); the problem names both states.
[[nodiscard]] Result<RunDecision> decide_action(WorkingRun& working, const RunActionAsked& asked,
                                                const RunContext& context);
[[nodiscard]] Result<RunDecision> set_custom_status(WorkingRun& working, const std::string& status,
                                                    const RunContext& context);

// A run that could not be moved on. It is paused, with the reason as its custom status, until an operator
// resumes or terminates it. Its timer fires again after kParkedFor.
struct RunParked {
  std::optional<NodeKey> timer = {};
  std::string why = {};
};
[[nodiscard]] RunDecision park_run(WorkingRun& working, const RunParked& parked, const RunContext& context);

// A task for an open run. The caller creates the task itself, claimable or blocked like the node.
struct TaskAdded {
  TaskId task_id = {};
  std::vector<TaskId> after = {};
};
// Whether the run accepts a task with these predecessors.
[[nodiscard]] Status check_added(WorkingRun& working, const std::vector<TaskId>& after);
struct AddedNode {
  NodeKey node = {};
  NodeState state = NodeState::pending;
  RunDecision decision = {};
};
// Retries a failed task of an open run, with the successors that were cancelled only because of it. A failed
// run continues.
[[nodiscard]] Result<RunDecision> retry_task(WorkingRun& working, NodeKey node, const RunContext& context);
[[nodiscard]] Result<AddedNode> add_task(WorkingRun& working, const TaskAdded& task,
                                         const RunContext& context);

}  // namespace pawl::core
