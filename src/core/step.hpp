#pragma once
// Steps: the memoized parts of a code run. A code run's body is a task of type `workflow:NAME`; whoever holds
// its lease writes its steps, with its fence. A step is a node of the run, found by its name.
//
// Always: what a step has given is never given again (I25). A body that is claimed again is handed the steps
// that its run has (BodyMemo), so that it goes on without asking; a long history follows in pages.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/audit.hpp"
#include "core/boxed.hpp"
#include "core/node_page.hpp"
#include "core/result.hpp"
#include "core/retry.hpp"
#include "core/run_machine.hpp"
#include "core/task_spec.hpp"

namespace pawl::core {

// What a body's task is called: "workflow:NAME".
[[nodiscard]] std::string body_type(const std::string& workflow);
[[nodiscard]] bool is_body_type(std::string_view type);

// What a body fails with whose code is not the one that the run was begun with.
inline constexpr std::string_view kCodeChanged = "code_changed";

// Why a body is to end: it throws at the next thing that it has not done yet, undoes and reports a failure.
enum class StopReason : std::uint8_t { cancelled, deadline_exceeded, compensate };
[[nodiscard]] std::string_view to_string(StopReason reason);
[[nodiscard]] std::optional<StopReason> stop_reason_from(std::string_view name);
[[nodiscard]] std::optional<StopReason> stop_reason_of(const Run& run);

// A step as it stands: completed (output), failed for good (error), waiting (for time, a signal, a child, a
// task), running (begun by whoever held the body) or pending (to be tried again).
struct StepMemo {
  std::string step_id = {};
  StepKind kind = StepKind::function;
  NodeState state = NodeState::completed;
  int attempt = 0;
  std::int64_t sequence = 0;  // of the event by which it began to wait or ended: the order of steps
  RawJson output = {};
  std::optional<TaskError> error = {};
  std::optional<TimePoint> due_at = {};  // when its timer fires, or it may be tried again
  std::optional<TimePoint> finished_at = {};
  std::optional<RunId> child_id = {};

  bool operator==(const StepMemo&) const = default;
};
[[nodiscard]] StepMemo memo_of(const Node& node);

// What a claimed body is handed.
struct BodyMemo {
  std::vector<StepMemo> steps = {};  // in the order of their sequences
  std::optional<NodeKey> next = {};  // where the steps that are not here begin; none: all are here
  std::vector<Signal> signals = {};  // unread, the oldest first
  std::optional<StopReason> stop = {};

  bool operator==(const BodyMemo&) const = default;
};

// From what is stored, and from what was changed of it since.
[[nodiscard]] BodyMemo body_memo(const Run& run, const NodeSlice& slice, std::vector<Signal> signals);
// A page of the steps for a body that was handed the first ones.
struct StepMemoPage {
  std::vector<StepMemo> steps = {};  // in the order of their sequences
  std::optional<NodeKey> next = {};
};
[[nodiscard]] StepMemoPage step_memos(const NodeSlice& slice);

// --- what a body writes ---

// `cancel` ends a step of any kind as canceled, whether it was begun or not: its task and its child are asked
// to stop, and the run does not wait for them. A step that has ended stays as it is.
enum class StepAction : std::uint8_t { begin, complete, fail, cancel };

// How it ends is for the body to say; the others end by themselves.
[[nodiscard]] inline bool is_reported(StepKind kind) {
  return kind == StepKind::function || kind == StepKind::compensation || kind == StepKind::marker;
}

// Of a step of the kind `child`.
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
  bool is_kind_given = true;              // false: complete or fail of whatever it was begun as
  RawJson input = {};                     // of begin: shown, and kept in the log
  std::optional<RetryPolicy> retry = {};  // of a function or compensation; default: 5 attempts
  // begin of what waits; it ends by itself, whether the body is held meanwhile or not
  std::optional<Duration> wait = {};    // sleep: how long; signal: until it fails with `timeout`
  std::optional<TimePoint> until = {};  // the same as a time
  std::string signal = {};              // signal: its name
  Boxed<ChildSpec> child = {};          // child
  Boxed<TaskSpec> task = {};            // task: any worker does it
  // complete; it implies begin
  RawJson output = {};
  bool must_be_new = false;  // refused where it has ended: what is committed with it must not be twice
  // fail
  TaskError error = {};
  std::optional<Duration> retry_after = {};
  // fail: the attempt that failed, so that it is not counted again if this is repeated. begin: the attempt
  // that runs; nothing is written if another one would begin. 0: not given.
  int attempt = 0;
};

// The body gives its lease back and is claimable again when what it waits for is there: as many of `steps` as
// it needs, the time, a signal of one of these names, or one of the children. At least one of them is given:
// nothing could wake a body that waits for nothing.
struct SuspendBody {
  std::optional<TimePoint> until = {};
  std::vector<std::string> steps = {};
  bool wants_all = false;  // of the steps; else one is enough
  std::vector<std::string> signals = {};
  std::vector<RunId> children = {};
  bool always = false;  // gives its lease back even if what it waits for is there
  // Its code has something to undo: if the run is to stop meanwhile, it has to go on to do so. Without it the
  // run ends at once.
  bool may_undo = false;
};

// The reply waits until one of the steps has ended, or all have; or the run is to stop or is paused.
struct AwaitSteps {
  Duration at_most = {};
  bool wants_all = false;
};

struct WriteSteps {
  std::string ns = "default";
  RunId run_id = {};
  TaskId body = {};  // the task that is held
  std::int64_t fence = 0;
  std::vector<StepWrite> steps = {};  // in order; the first that is refused ends it
  std::optional<std::string> custom_status = {};
  std::optional<SuspendBody> suspend = {};
  std::optional<std::string> park = {};  // pauses the run, and says why
  std::optional<AwaitSteps> await = {};  // ignored in a call for many runs
  // The undos that the code has registered since the body last wrote them; empty: none since then. Absent:
  // the writer does not declare them.
  std::optional<std::vector<std::string>> undos = {};
  // The error that the body is about to fail with. With `suspend` the run fails now: its tasks and children
  // are asked to stop, and the body is woken to undo when they have ended.
  std::optional<TaskError> failure = {};
  Actor by = {};
  std::vector<std::string> bound_to = {};  // the queues of the writer's token; none: all
};

// What the bodies of many runs write at once. Each is for itself: one that is refused harms no other.
struct WriteStepsOfMany {
  std::string ns = "default";
  std::vector<WriteSteps> writes = {};
};

struct StepAnswer {
  std::string step_id = {};
  bool should_execute = false;  // nobody has ended it: whoever asked does it now
  bool scheduled_retry = false;
  StepMemo now = {};  // as it stands

  bool operator==(const StepAnswer&) const = default;
};
struct StepsWritten {
  std::vector<StepAnswer> steps = {};
  bool is_suspended = false;  // false where it was asked for: what it would wait for is there
  bool is_paused = false;     // the run: whoever holds the body begins nothing new, and releases it
  std::optional<StopReason> stop = {};
  TimePoint now = {};

  bool operator==(const StepsWritten&) const = default;
};

[[nodiscard]] Status check(const WriteSteps& command);
// How many there are: each is checked by itself, since a bad one must not harm the others.
[[nodiscard]] Status check(const WriteStepsOfMany& command);
// Whether it does no harm if it is written once more by someone who did not hear the answer. A step that is
// completed again is answered like the first time, a wait that is begun again goes on, and a body that was
// suspended is told that it has lost its lease: it is over either way.
[[nodiscard]] bool may_be_repeated(const WriteSteps& command);

// The results of those that were admitted, each at its place among those that were refused before.
[[nodiscard]] std::vector<Result<StepsWritten>> with_refused(const std::vector<Status>& admitted,
                                                             std::vector<Result<StepsWritten>> results);

// All or nothing. That the body's lease is the writer's is the caller's to see; and where `is_suspended` says
// so or the run was parked, to take it back.
struct StepsDecision {
  RunDecision run = {};
  StepsWritten written = {};
};
[[nodiscard]] Result<StepsDecision> write_steps(WorkingRun& working, const WriteSteps& command,
                                                const RunContext& context);

// --- what is shown ---

// One attempt at a step, from the log.
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
