// Shapes of locks, idempotency keys, workers, types and checkpoints.

#include "wire/shapes.hpp"

namespace pawl::wire {

namespace {

constexpr std::array kLockFields{
    has("acquired", "boolean"), has("key", "string"),       has("holder", "string?"),
    has("fence", "integer"),    has("expires_at", "time?"),
};
constexpr std::array kIdempotencyKeyFields{
    has("key", "string"),          has("status", "IdempotencyStatus"),
    has("request_hash", "string"), has("response", "json"),
    has("task_id", "uuid?"),       has("created_at", "time"),
    has("completed_at", "time?"),  has("expires_at", "time"),
};
constexpr std::array kWorkerFields{
    has("worker_id", "string"),
    has("status", "WorkerStatus"),
    has("queues", "[string]"),
    has("task_types", "[string]"),
    has("workflow_types", "[string]"),
    has("hostname", "string"),
    has("pid", "integer"),
    has("version", "string"),
    has("max_concurrent", "integer", "0: no cap"),
    has("labels", "{string}"),
    has("active_count", "integer"),
    has("total_completed", "integer"),
    has("total_failed", "integer"),
    has("is_minimal", "boolean", "known by its claims alone"),
    has("is_replaced", "boolean", "by a later incarnation"),
    has("token_id", "string?", "of the token that registered it"),
    has("registered_at", "time"),
    has("heartbeat_at", "time"),
};
constexpr std::array kNoticesFields{
    has("task_ids", "[uuid]", "tasks that are canceled or taken from the worker"),
};
constexpr std::array kTaskTypeFields{
    has("name", "string"),       has("required", "[string]"), has("schema", "json"),
    has("queue", "string?"),     has("priority", "integer?"), has("retry", "RetryPolicy?"),
    has("timeout", "duration?"), has("lease", "duration?"),
};
constexpr std::array kAppendedCheckpointFields{
    has("checkpoint_id", "string"),
    has("sequence", "integer"),
};
constexpr std::array kCheckpointFields{
    has("checkpoint_id", "string"), has("task_id", "uuid?"),   has("run_id", "uuid?"),
    has("sequence", "integer"),     has("type", "string"),     has("snapshot", "json"),
    has("metadata", "json"),        has("created_at", "time"),
};
constexpr std::array kCheckpointSummaryFields{
    has("total", "integer"), has("max_sequence", "integer"), has("first_at", "time?"),
    has("last_at", "time?"), has("by_type", "{integer}"),
};

constexpr std::array kRecordShapes{
    Shape{"Lock", kLockFields},
    Shape{"IdempotencyKey", kIdempotencyKeyFields},
    Shape{"Worker", kWorkerFields},
    Shape{"Notices", kNoticesFields},
    Shape{"TaskType", kTaskTypeFields},
    Shape{"AppendedCheckpoint", kAppendedCheckpointFields},
    Shape{"Checkpoint", kCheckpointFields},
    Shape{"CheckpointSummary", kCheckpointSummaryFields},
};

}  // namespace

std::span<const Shape> record_shapes() { return kRecordShapes; }

}  // namespace pawl::wire
