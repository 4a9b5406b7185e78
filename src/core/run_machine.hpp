#pragma once
// The life of a run: what follows from each thing that can happen to it. Pure: time and ids come in with the
// context, nodes through the WorkingRun, and what is to be done outside goes out as effects.
//
// A decision gives events, which are applied to the working run already (a later decision on the same one
// sees them), and effects. An engine stores the events, the run and what changed, and does the effects, all
// in one transaction; outcomes that an effect has at once (a task that nobody holds is cancelled on the spot)
// are told to `decide_task` in the same transaction. What is late or told twice gives no events.
//
// How tasks follow one another: a task waits until all it comes after have ended. It is skipped if every one
// of them was skipped; otherwise its `when` is looked at, and one that does not hold makes it end as skipped.
// A task that failed and does not say `on_error: continue` fails the run; with it, those that follow start as
// if it had completed (a reference to its output leads nowhere). A completion costs as much as there are
// tasks that it lets start or skips, with their own followers; never the size of the graph.
//
// A decision begins, and asks to stop, as much as the budget of its commit allows. The rest waits for timers
// that are due at once: one of the run for all that is to begin (Run::deferred), and one of each task or
// child that is to stop. A run that costs more than its bounds fails the node that would exceed them.
//
// Choices that the API leaves open:
//   - A cancelled run is undone like a failed one: with on_failure: compensate and something done, it goes
//     through `failing` to `compensating`. With nothing to undo it is `cancelled` at once, and what is under
//     way is cut loose: asked to stop, its outcome no longer told to the run. If a task is under way that
//     would have to be undone should it still complete, the run waits for it first (`cancel_requested`).
//   - What still waits for others when a run stops gets no event of its own: it is shown as cancelled, and
//     stands where it stood if the run is retried.
//   - Each element of a for_each is undone by itself.
//   - When a compensation fails for good, the ones before it still run; the run is then compensation_failed.
//     Retried, it runs the failed ones again; a skipped one counts as done.
//   - Tasks and children of a code run end before its body undoes anything.
//   - A run's output is its template, in which a reference that leads nowhere is null; without a template it
//     is an object of the outputs of those completed tasks that nothing comes after.
//   - In an open run a failed task cancels what comes after it, not the run. One that completes by itself
//     (auto_complete) fails if a task did not complete. Retried, by itself or with its run, such a task is
//     held again as the same task, and with it what was cancelled for its sake alone.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "core/run_bounds.hpp"
#include "core/run_event.hpp"
#include "core/task_spec.hpp"
#include "core/working_run.hpp"

namespace pawl::core {

struct DeclaredType;

// When, for whom and why a decision is made.
struct RunContext {
  TimePoint now = {};
  std::function<Uuid()> next_id = {};  // for tasks and child runs
  double chance = 0.5;                 // one draw in [0, 1), for what is to be spread
  EventActor actor = {};
  std::optional<std::int64_t> caused_by = {};
  std::string trace_id = {};
  std::string span_id = {};
  // What was declared of a type of tasks; null: nothing.
  std::function<std::shared_ptr<const DeclaredType>(const std::string& type)> declared_type = {};
  RunBounds bounds = {};
  // Of the commit, shared by all its decisions; null: without a limit.
  CommitBudget* budget = nullptr;
};

// A task to be made. It begins with `attempts_used` attempts counted that are not of its budget, so that
// execution keys of a node never repeat.
struct EnqueueNode {
  TaskId task_id = {};
  NodeKey node = {};
  std::string node_id = {};
  TaskSpec spec = {};
  int attempts_used = 0;

  bool operator==(const EnqueueNode& other) const { return task_id == other.task_id && node == other.node; }
};
// Cancels an unheld task and requests a stop of a held one; forced, revokes the lease.
struct StopTask {
  TaskId task_id = {};
  bool is_forced = false;
  bool operator==(const StopTask&) const = default;
};
// Not to be claimed until it is freed; nothing happens to what is leased.
struct HoldTask {
  TaskId task_id = {};
  bool operator==(const HoldTask&) const = default;
};
struct FreeTask {
  TaskId task_id = {};
  bool operator==(const FreeTask&) const = default;
};
// One that has ended is held again, with a fresh budget of attempts.
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
  std::optional<std::string> run_key = {};  // of a child of code; one that is taken fails the step
  bool may_be_code = false;                 // where there is no definition
  bool operator==(const StartChild&) const = default;
};
// Cancelled; forced, terminated.
struct StopChild {
  RunId child_id = {};
  bool is_forced = false;
  bool operator==(const StopChild&) const = default;
};
// How a child ended, for `decide_child` of its parent.
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
// A run of the same workflow takes the place of this one: its key, its unread signals, its parent.
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

// --- what begins a run ---

// On an empty WorkingRun. A graph run's first tasks start; an open run waits for its tasks.
[[nodiscard]] RunDecision start_run(WorkingRun& working, const RunFacts& facts, const RunContext& context);
// A new run, on an empty WorkingRun of the same plan, with all results of `source` but those of the task `to`
// and of what comes after it. `source` stays as it is.
[[nodiscard]] Result<RunDecision> rewind_run(WorkingRun& source, const std::string& to, WorkingRun& fork,
                                             const RunFacts& facts, const RunContext& context);

// --- what happens to it ---

// given_back: it was claimed and released again; to its run it never began.
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
// A child was continued as another run: the parent waits for that one.
struct ChildContinued {
  NodeKey node = {};
  RunId from = {};
  RunId to = {};
};
[[nodiscard]] RunDecision replace_child(WorkingRun& working, const ChildContinued& child,
                                        const RunContext& context);
// The facts of the run that continues `run` with `input`: the same length of time until its deadline.
[[nodiscard]] RunFacts continued_facts(const Run& run, const ContinueRun& effect, TimePoint now);
// Fires the timer of a node if it is due.
[[nodiscard]] RunDecision decide_timer(WorkingRun& working, NodeKey node, const RunContext& context);
// Nothing while the deadline is not passed, and nothing for what is being undone.
[[nodiscard]] RunDecision decide_deadline(WorkingRun& working, const RunContext& context);
// Evidence that changes no state, and only that: step_…, checkpoint_written, recovery_started.
[[nodiscard]] RunDecision note_evidence(WorkingRun& working, RunEventType type, const RawJson& detail,
                                        const RunContext& context);

struct SignalSent {
  std::string name = {};
  RawJson payload = {};
  std::optional<std::string> idempotency_key = {};
};
// The same idempotency key again gives no events.
[[nodiscard]] Result<RunDecision> decide_signal(WorkingRun& working, const SignalSent& signal,
                                                const RunContext& context);

// --- what operators do ---

enum class RunAction : std::uint8_t { pause, resume, cancel, retry, compensate, complete, terminate, skip };
inline constexpr int kRunActionCount = 8;
[[nodiscard]] std::string_view to_string(RunAction action);
struct RunActionAsked {
  RunAction action = RunAction::pause;
  std::optional<std::string> reason = {};
  std::optional<std::int64_t> expected_sequence = {};  // else precondition_failed
  std::optional<std::string> step = {};                // of skip: a failed compensation; none: the only one
};
// `complete` is for open runs. What the table does not have is `invalid_state` (of a run that has ended,
// `already_completed`) and names both states.
[[nodiscard]] Result<RunDecision> decide_action(WorkingRun& working, const RunActionAsked& asked,
                                                const RunContext& context);
[[nodiscard]] Result<RunDecision> set_custom_status(WorkingRun& working, const std::string& status,
                                                    const RunContext& context);

// A run that could not be moved on: it is paused, with the reason as its custom status, until an operator
// resumes or terminates it. Its timer is tried again after kParkedFor.
struct RunParked {
  std::optional<NodeKey> timer = {};
  std::string why = {};
};
[[nodiscard]] RunDecision park_run(WorkingRun& working, const RunParked& parked, const RunContext& context);

// A task for an open run. The caller makes the task itself, claimable or blocked as the node's state says.
struct TaskAdded {
  TaskId task_id = {};
  std::vector<TaskId> after = {};
};
// Whether the run takes a task after those.
[[nodiscard]] Status check_added(WorkingRun& working, const std::vector<TaskId>& after);
struct AddedNode {
  NodeKey node = {};
  NodeState state = NodeState::pending;
  RunDecision decision = {};
};
// Takes a task of an open run back that failed, with those behind it that were cancelled for its sake alone.
// A run that has failed goes on.
[[nodiscard]] Result<RunDecision> retry_task(WorkingRun& working, NodeKey node, const RunContext& context);
[[nodiscard]] Result<AddedNode> add_task(WorkingRun& working, const TaskAdded& task,
                                         const RunContext& context);

}  // namespace pawl::core
