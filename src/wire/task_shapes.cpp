// Shapes of tasks and queues.

#include "wire/shapes.hpp"

namespace pawl::wire {

namespace {

constexpr std::array kTaskErrorFields{
    has("code", "string"),
    has("message", "string"),
    has("retryable", "boolean"),
};
constexpr std::array kGivenErrorFields{
    maybe("code", "string", "default: error"),
    maybe("message", "string", "one of code and message is required"),
    maybe("retryable", "boolean", "default: true"),
};
constexpr std::array kRetryPolicyFields{
    has("max_attempts", "integer", "with the first one; -1: for ever"),
    has("initial_interval", "duration"),
    has("backoff", "number"),
    has("max_interval", "duration"),
    has("jitter", "number"),
    has("non_retryable", "[string]", "codes of errors"),
};
constexpr std::array kGivenRetryPolicyFields{
    maybe("max_attempts", "integer", "with the first one; -1: for ever"),
    maybe("max_retries", "integer", "instead: without the first one"),
    maybe("initial_interval", "duration"),
    maybe("backoff", "number"),
    maybe("max_interval", "duration"),
    maybe("jitter", "number"),
    maybe("non_retryable", "[string]", "codes of errors"),
};
constexpr std::array kTaskLeaseFields{
    has("worker_id", "string"), has("fence", "integer"),     has("acquired_at", "time"),
    has("expires_at", "time"),  has("heartbeat_at", "time"), has("renewals", "integer"),
};
constexpr std::array kTaskFields{
    has("id", "uuid"),
    has("namespace", "string"),
    has("queue", "string"),
    has("type", "string"),
    has("status", "TaskStatus"),
    has("priority", "integer"),
    has("key", "string?"),
    has("idempotency_key", "string?"),
    maybe("fairness_key", "string"),
    maybe("fairness_weight", "number"),
    has("payload", "json"),
    has("output", "json"),
    has("error", "TaskError?"),
    has("attempt", "integer"),
    has("retry", "RetryPolicy"),
    has("timeout", "duration?"),
    has("run_id", "uuid?"),
    has("node_id", "string?"),
    has("labels", "{string}"),
    maybe("traceparent", "string", "of the W3C trace context"),
    maybe("tracestate", "string"),
    has("cancel_requested", "boolean"),
    has("lease", "TaskLease?"),
    has("available_at", "time"),
    has("created_at", "time"),
    has("claimed_at", "time?"),
    has("started_at", "time?"),
    has("finished_at", "time?"),
    has("updated_at", "time"),
};
constexpr std::array kAttemptFields{
    has("attempt", "integer"),
    has("execution_key", "string"),
    has("worker_id", "string"),
    has("fence", "integer"),
    has("claimed_at", "time"),
    has("started_at", "time?"),
    has("finished_at", "time?", "null: it is in progress"),
    has("outcome", "AttemptOutcome?"),
    has("status_after", "TaskStatus?"),
    has("error", "TaskError?"),
};
constexpr std::array kTaskWithAttemptsFields{
    has("operation_key", "string", "the same for every attempt"),
    has("attempts", "[Attempt]"),
};
constexpr std::array kEnqueuedTaskFields{
    has("created", "boolean", "false: the task was there already"),
    has("task", "Task"),
};
constexpr std::array kEnqueuedIdFields{
    has("created", "boolean"),
    has("id", "uuid"),
};
constexpr std::array kEnqueuedTasksFields{
    has("results", "[EnqueuedId]", "in the order of the request"),
};
constexpr std::array kClaimedTaskFields{
    has("operation_key", "string", "the same for every attempt"),
    has("execution_key", "string", "of this attempt"),
    maybe("steps", "[StepMemo]", "of a code run's body: its steps"),
    maybe("steps_cursor", "string", "for /runs/{id}/memo, which has the rest of them"),
    maybe("signals", "[MemoSignal]", "of a code run's body: the signals that it has not consumed"),
    maybe("stop", "StopReason?"),
};
constexpr std::array kClaimedTasksFields{
    has("tasks", "[ClaimedTask]"),
};
constexpr std::array kReportResultFields{
    has("task_id", "uuid"),
    has("ok", "boolean"),
    maybe("status", "TaskStatus", "where it is ok"),
    maybe("lease_expires_at", "time"),
    maybe("cancel_requested", "boolean"),
    maybe("error", "Problem", "where it is not"),
};
constexpr std::array kReportResultsFields{
    has("results", "[ReportResult]", "in the order of the request"),
};
constexpr std::array kTaskReportFields{
    has("task_id", "uuid"),
    has("fence", "integer", "of the claim"),
    has("action", "ReportAction"),
    maybe("lease", "duration", "heartbeat: how long from now"),
    maybe("output", "json", "complete"),
    maybe("continue_as_new", "json", "complete, of a code run's body"),
    maybe("error", "GivenError", "fail"),
    maybe("retry_after", "duration", "fail: instead of the policy's wait"),
};
constexpr std::array kTaskFilterFields{
    maybe("status", "string", "one or several, separated by commas"),
    maybe("queue", "string"),
    maybe("type", "string"),
    maybe("key", "string"),
    maybe("worker_id", "string", "of the present lease"),
    maybe("run_id", "uuid"),
    maybe("label", "string", "name:value"),
    maybe("created_after", "time"),
    maybe("created_before", "time"),
};

constexpr std::array kRateFields{
    has("limit", "integer"),
    has("per", "duration"),
};
constexpr std::array kQueueCountsFields{
    has("pending", "integer"), has("scheduled", "integer"), has("blocked", "integer"),
    has("claimed", "integer"), has("running", "integer"),   has("dead_letter", "integer"),
};
constexpr std::array kQueueFields{
    has("name", "string"),
    has("paused", "boolean"),
    has("max_concurrency", "integer?"),
    has("type_concurrency", "{integer}"),
    has("rate", "Rate?"),
    has("counts", "QueueCounts"),
    has("oldest_pending_age", "duration?"),
};

constexpr std::array kTaskShapes{
    Shape{"TaskError", kTaskErrorFields},
    Shape{"GivenError", kGivenErrorFields, {}, true},
    Shape{"RetryPolicy", kRetryPolicyFields},
    Shape{"GivenRetryPolicy", kGivenRetryPolicyFields, {}, true},
    Shape{"TaskLease", kTaskLeaseFields},
    Shape{"Task", kTaskFields},
    Shape{"Attempt", kAttemptFields},
    Shape{"TaskWithAttempts", kTaskWithAttemptsFields, "Task"},
    Shape{"EnqueuedTask", kEnqueuedTaskFields},
    Shape{"EnqueuedId", kEnqueuedIdFields},
    Shape{"EnqueuedTasks", kEnqueuedTasksFields},
    Shape{"ClaimedTask", kClaimedTaskFields, "Task"},
    Shape{"ClaimedTasks", kClaimedTasksFields},
    Shape{"ReportResult", kReportResultFields},
    Shape{"ReportResults", kReportResultsFields},
    Shape{"TaskReport", kTaskReportFields, {}, true},
    Shape{"TaskFilter", kTaskFilterFields, {}, true},
    Shape{"Rate", kRateFields},
    Shape{"QueueCounts", kQueueCountsFields},
    Shape{"Queue", kQueueFields},
};

}  // namespace

std::span<const Shape> task_shapes() { return kTaskShapes; }

}  // namespace pawl::wire
