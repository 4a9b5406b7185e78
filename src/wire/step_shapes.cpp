// Shapes of steps of code runs.

#include "wire/shapes.hpp"

namespace pawl::wire {

namespace {

constexpr std::array kStepMemoFields{
    has("step_id", "string"),
    has("kind", "StepKind"),
    has("status", "NodeState"),
    has("attempt", "integer"),
    has("sequence", "integer", "of the event by which it began to wait or ended"),
    has("output", "json"),
    has("error", "TaskError?"),
    has("due_at", "time?"),
    has("finished_at", "time?"),
    has("child_run_id", "uuid?"),
};
constexpr std::array kMemoSignalFields{
    has("name", "string"),
    has("sequence", "integer"),
    has("payload", "json"),
};
constexpr std::array kStepAnswerFields{
    has("should_execute", "boolean"),
    has("scheduled_retry", "boolean"),
    has("retry_at", "time?"),
};
constexpr std::array kWrittenStepFields{
    has("operation_key", "string", "the same for every attempt"),
    has("paused", "boolean", "the run is paused"),
};
constexpr std::array kWrittenStepsFields{
    has("steps", "[StepAnswer]", "in the order of the request"),
    has("suspended", "boolean", "the body's lease is given back"),
    has("paused", "boolean", "the run is paused"),
    has("stop", "StopReason?"),
    has("now", "time", "of the store"),
};
constexpr std::array kStepsResultFields{
    has("run_id", "uuid"),
    has("ok", "boolean"),
    maybe("steps", "[StepAnswer]", "where it is ok"),
    maybe("suspended", "boolean"),
    maybe("paused", "boolean"),
    maybe("stop", "StopReason?"),
    maybe("now", "time"),
    maybe("error", "Problem", "where it is not"),
};
constexpr std::array kStepsResultsFields{
    has("results", "[StepsResult]", "in the order of the request"),
};
constexpr std::array kStepAttemptFields{
    has("step_id", "string"),     has("attempt", "integer"),  has("is_latest", "boolean"),
    has("kind", "StepKind"),      has("status", "NodeState"), has("input", "json"),
    has("output", "json"),        has("error", "TaskError?"), has("retry_at", "time?"),
    has("child_run_id", "uuid?"), has("started_at", "time?"), has("finished_at", "time?"),
};

constexpr std::array kStepWriteFields{
    has("action", "StepAction"),
    has("step_id", "string"),
    maybe("kind", "StepKind", "default: function"),
    maybe("input", "json", "begin"),
    maybe("retry", "GivenRetryPolicy"),
    maybe("output", "json", "complete"),
    maybe("error", "GivenError", "fail"),
    maybe("retry_after", "duration", "fail: instead of the policy's wait"),
    maybe("attempt", "integer", "begin and fail"),
    maybe("took", "duration", "how long it runs already, or ran: shown as its start"),
};
constexpr std::array kStepSuspendFields{
    maybe("until", "time", "goes on then"),
    maybe("steps", "[string]", "goes on when one of these steps has ended"),
    maybe("all", "boolean", "when all of them have"),
    maybe("signals", "[string]", "goes on when a signal of one of these names is there"),
    maybe("children", "[string]", "goes on when one of these runs has ended"),
    maybe("always", "boolean", "also if what it waits for is there"),
    maybe("may_undo", "boolean", "goes on also when the run is to stop, to undo"),
};
constexpr std::array kStepAwaitFields{
    maybe("at_most", "duration", "up to 60s"),
    maybe("all", "boolean", "until all of the steps have ended"),
};
constexpr std::array kRunStepsWriteFields{
    has("run_id", "uuid"),
};

constexpr std::array kStepShapes{
    Shape{"StepMemo", kStepMemoFields},
    Shape{"MemoSignal", kMemoSignalFields},
    Shape{"StepAnswer", kStepAnswerFields, "StepMemo"},
    Shape{"WrittenStep", kWrittenStepFields, "StepAnswer"},
    Shape{"WrittenSteps", kWrittenStepsFields},
    Shape{"StepsResult", kStepsResultFields},
    Shape{"StepsResults", kStepsResultsFields},
    Shape{"StepAttempt", kStepAttemptFields},
    Shape{"StepWrite", kStepWriteFields, {}, true},
    Shape{"StepSuspend", kStepSuspendFields, {}, true},
    Shape{"StepAwait", kStepAwaitFields, {}, true},
    Shape{"RunStepsWrite", kRunStepsWriteFields, "WriteStepsRequest", true},
};

}  // namespace

std::span<const Shape> step_shapes() { return kStepShapes; }

}  // namespace pawl::wire
