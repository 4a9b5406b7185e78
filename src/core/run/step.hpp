#pragma once
// Steps: the memoized parts of a code run. The body of a code run is a task of type `workflow:NAME`; the
// holder of its lease writes its steps, with its fence. A step is a node of the run, found by its name.
//
// Invariants: no step completes twice, and its result never changes (I25). A body that is claimed again
// receives the steps that its run has (BodyMemo), so that it continues without further requests; a long
// history follows in pages.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/boxed.hpp"
#include "core/base/result.hpp"
#include "core/records/audit.hpp"
#include "core/run/node_page.hpp"
#include "core/run/run_machine.hpp"
#include "core/task/retry.hpp"
#include "core/task/task_spec.hpp"

namespace pawl::core {

// The type of a body's task: "workflow:NAME".
[[nodiscard]] std::string body_type(const std::string& workflow);
[[nodiscard]] bool is_body_type(std::string_view type);

// The error code of a body whose code differs from the code with which the run began.
inline constexpr std::string_view kCodeChanged = "code_changed";

// Why a body must end: it throws at the next step that it has not done yet, undoes and reports a failure.
enum class StopReason : std::uint8_t { cancelled, deadline_exceeded, compensate };
[[nodiscard]] std::string_view to_string(StopReason reason);
[[nodiscard]] std::optional<StopReason> stop_reason_from(std::string_view name);
[[nodiscard]] std::optional<StopReason> stop_reason_of(const Run& run);

// The current state of a step: completed (output), failed permanently (error), waiting (for a timer, a
// signal, a child, a task), running (begun by the holder of the body) or pending (waits for a retry).
struct StepMemo {
  std::string step_id = {};
  StepKind kind = StepKind::function;
  NodeState state = NodeState::completed;
  int attempt = 0;
  std::int64_t sequence = 0;  // of the event by which it began to wait or ended: the order of steps
  RawJson output = {};
  std::optional<TaskError> error = {};
  std::optional<TimePoint> due_at = {};  // when its timer fires, or its retry is due
  std::optional<TimePoint> finished_at = {};
  std::optional<RunId> child_id = {};

  bool operator==(const StepMemo&) const = default;
};
[[nodiscard]] StepMemo memo_of(const Node& node);

// The memo that a claimed body receives.
struct BodyMemo {
  std::vector<StepMemo> steps = {};  // in the order of their sequences
  std::optional<NodeKey> next = {};  // where the remaining steps begin; absent: all are here
  std::vector<Signal> signals = {};  // unread, the oldest first
  std::optional<StopReason> stop = {};

  bool operator==(const BodyMemo&) const = default;
};

// Built from the stored nodes and their changes since.
[[nodiscard]] BodyMemo body_memo(const Run& run, const NodeSlice& slice, std::vector<Signal> signals);
// A page of the steps for a body that has received the first ones.
struct StepMemoPage {
  std::vector<StepMemo> steps = {};  // in the order of their sequences
  std::optional<NodeKey> next = {};
};
[[nodiscard]] StepMemoPage step_memos(const NodeSlice& slice);

// --- writes of a body ---

// `cancel` ends a step of any kind as canceled, whether it was begun or not. It requests a stop of the step's
// task or child, and the run does not wait for them. A step that has ended is left unchanged.
enum class StepAction : std::uint8_t { begin, complete, fail, cancel };

// Whether the body reports the end of such a step; steps of other kinds end automatically.
[[nodiscard]] inline bool is_reported(StepKind kind) {
  return kind == StepKind::function || kind == StepKind::compensation || kind == StepKind::marker;
}

// The child run of a step of kind `child`.
struct ChildSpec {
  std::string workflow = {};
  RawJson input = {};
  std::optional<std::string> run_key = {};
  std::optional<std::string> queue = {};
  std::optional<std::int32_t> priority = {};
  std::optional<Duration> deadline = {};
  Labels labels = {};
};

struct StepWrite {
  StepAction action = StepAction::complete;
  std::string step_id = {};
  StepKind kind = StepKind::function;
  bool is_kind_given = true;              // false: complete or fail with the kind with which it was begun
  RawJson input = {};                     // of begin: for display, recorded in the log
  std::optional<RetryPolicy> retry = {};  // of a function or compensation; default: 5 attempts
  // begin of a wait; it ends automatically, whether the body is claimed meanwhile or not
  std::optional<Duration> wait = {};    // sleep: how long; signal: until it fails with `timeout`
  std::optional<TimePoint> until = {};  // the same as a point in time
  std::string signal = {};              // signal: its name
  Boxed<ChildSpec> child = {};          // child
  Boxed<TaskSpec> task = {};            // task: any worker executes it
  // complete; it implies begin
  RawJson output = {};
  bool must_be_new = false;  // rejected if it has ended: what is committed with it must not happen twice
  // fail
  TaskError error = {};
  std::optional<Duration> retry_after = {};
  // begin, complete and fail: how long the attempt has run, to show when it began; 0: not given.
  Duration took = {};
  // fail: the attempt that failed, so that a repeated request does not count it again. begin: the attempt
  // that runs; nothing is written if another one would begin. 0: not given.
  int attempt = 0;
};

// The body releases its lease and becomes claimable again when its wait is over: at the time, or when one of
// `steps` has ended (or all of them), a signal with one of these names has arrived, or one of the children
// has ended. At least one of them is given: nothing could wake a body that waits for nothing.
struct SuspendBody {
  std::optional<TimePoint> until = {};
  std::vector<std::string> steps = {};
  bool wants_all = false;  // of the steps; otherwise one is enough
  std::vector<std::string> signals = {};
  std::vector<RunId> children = {};
  bool always = false;  // releases its lease even if the wait is over already
  // Its code has something to undo: if the run must stop meanwhile, the body continues in order to undo.
  // Otherwise the run ends immediately.
  bool may_undo = false;
};

// The reply waits until one of the steps has ended, or all have, or the run must stop or is paused.
struct AwaitSteps {
  Duration at_most = {};
  bool wants_all = false;
};

struct WriteSteps {
  std::string ns = "default";
  RunId run_id = {};
  TaskId body = {};  // the task that the writer holds
  std::int64_t fence = 0;
  std::vector<StepWrite> steps = {};  // in order; the first one that is rejected fails the command
  std::optional<std::string> custom_status = {};
  Boxed<SuspendBody> suspend = {};
  std::optional<std::string> park = {};  // pauses the run, with this reason
  std::optional<AwaitSteps> await = {};  // ignored in a call for many runs
  // The undos that the code has registered since the body last wrote them; empty: none since then. Absent:
  // the writer does not declare undos.
  std::optional<std::vector<std::string>> undos = {};
  // The error with which the body is about to fail. With `suspend` the run fails immediately: a stop of its
  // tasks and children is requested, and the body is woken to undo when they have ended.
  Boxed<TaskError> failure = {};
  Actor by = {};
  std::vector<std::string> bound_to = {};  // the queues of the writer's token; empty: all
};

// The writes of the bodies of many runs. They are independent: a rejected one does not affect the others.
struct WriteStepsOfMany {
  std::string ns = "default";
  std::vector<WriteSteps> writes = {};
};

struct StepAnswer {
  std::string step_id = {};
  bool should_execute = false;  // the step has not ended: the writer executes it now
  bool scheduled_retry = false;
  StepMemo now = {};  // its current state

  bool operator==(const StepAnswer&) const = default;
};
struct StepsWritten {
  std::vector<StepAnswer> steps = {};
  bool is_suspended = false;  // false despite a request: the wait is over already
  bool is_paused = false;     // the run is paused: the holder of the body begins nothing new, and releases it
  std::optional<StopReason> stop = {};
  TimePoint now = {};

  bool operator==(const StepsWritten&) const = default;
};

[[nodiscard]] Status check(const WriteSteps& command);
// Checks only the number of writes: each is checked separately, since an invalid one must not affect the
// others.
[[nodiscard]] Status check(const WriteStepsOfMany& command);
// Whether a client that did not receive the answer can safely repeat the command. A step that is completed
// again is answered like the first time, a wait that is begun again continues, and a suspended body gets a
// lost lease as the answer: it ends either way.
[[nodiscard]] bool may_be_repeated(const WriteSteps& command);

// Merges the results of the admitted writes with the problems of the rejected ones, in the order of the
// writes.
[[nodiscard]] std::vector<Result<StepsWritten>> with_refused(const std::vector<Status>& admitted,
                                                             std::vector<Result<StepsWritten>> results);

// All or nothing. The caller checks that the writer holds the lease of the body, and takes the lease back if
// `is_suspended` is set or the run was parked.
struct StepsDecision {
  RunDecision run = {};
  StepsWritten written = {};
};
[[nodiscard]] Result<StepsDecision> write_steps(WorkingRun& working, const WriteSteps& command,
                                                const RunContext& context);

// --- attempts for display ---

// One attempt at a step, from the event log.
struct StepAttempt {
  std::string step_id = {};
  StepKind kind = StepKind::function;
  int attempt = 1;
  bool is_latest = true;
  NodeState state = NodeState::running;
  RawJson input = {};
  RawJson output = {};
  std::optional<TaskError> error = {};
  std::optional<TimePoint> retry_at = {};
  std::optional<RunId> child_id = {};
  std::optional<TimePoint> started_at = {};
  std::optional<TimePoint> finished_at = {};

  bool operator==(const StepAttempt&) const = default;
};
// In the order in which they began.
[[nodiscard]] std::vector<StepAttempt> step_attempts(std::span<const RunEvent> events);

}  // namespace pawl::core
