// Shapes of problems, the service itself, and administration.

#include "wire/shapes.hpp"

namespace pawl::wire {

namespace {

constexpr std::array kHealthFields{
    has("status", "HealthStatus"),
};
constexpr std::array kFieldErrorFields{
    has("field", "string", "a path such as tasks[3].retry.backoff"),
    has("message", "string"),
    maybe("line", "integer", "of the text that was sent, from 1"),
};
constexpr std::array kProblemFields{
    has("title", "string"),
    has("status", "integer", "the HTTP status"),
    has("code", "ProblemCode"),
    has("detail", "string"),
    maybe("request_id", "string", "also in the log of the server"),
    maybe("errors", "[FieldError]", "each field of the request that is not valid"),
};
constexpr std::array kBulkResultFields{
    has("matched", "integer"),
    has("changed", "integer"),
};

constexpr std::array kTokenFields{
    has("id", "string"),
    has("role", "Role"),
    has("namespaces", "[string]"),
    has("queues", "[string]", "that it is bound to; none: all"),
    has("name", "string"),
    has("created_at", "time"),
    has("expires_at", "time?"),
    has("revoked_at", "time?"),
    has("rotated_at", "time?"),
    has("previous_until", "time?", "until then the secret before the rotation is valid"),
    has("last_used_at", "time?"),
};
constexpr std::array kTokenSecretFields{
    has("token", "string?", "the secret, shown once; null when the request is a repeated one"),
};
constexpr std::array kNamespaceFields{
    has("strict_types", "boolean"),           has("payload_max", "integer?"),
    has("retention_completed", "duration?"),  has("retention_failed", "duration?"),
    has("retention_audit", "duration?"),      has("retention_dead_letter", "duration?"),
    has("retention_cancelled", "duration?"),  has("retention_runs", "duration?"),
    has("retention_checkpoints", "integer?"), has("retention_queues", "{duration}"),
};
constexpr std::array kAuditFields{
    has("sequence", "integer"),
    has("at", "time"),
    has("namespace", "string?"),
    has("actor", "string?", "the id of a token"),
    has("role", "string?"),
    has("action", "string"),
    has("object", "string"),
    has("request_id", "string?"),
    has("outcome", "string", "ok, or the code of a problem"),
    has("detail", "json"),
    has("hash", "string?"),
};
constexpr std::array kNodeFields{
    has("node_id", "string"),    has("hostname", "string"),   has("started_at", "time"),
    has("heartbeat_at", "time"), has("is_leader", "boolean"), has("leader_until", "time?"),
    has("term", "integer?"),     has("version", "string"),    has("clock_skew_ms", "integer"),
};
constexpr std::array kTableVitalsFields{
    has("name", "string"),
    has("rows", "integer"),
    has("dead_rows", "integer"),
    has("bytes", "integer"),
};
constexpr std::array kOldestTransactionFields{
    has("who", "string"),
    has("age", "duration"),
};
constexpr std::array kStoreClockFields{
    has("steps", "integer"),      has("steps_back", "integer"), has("largest_step", "duration"),
    has("last_step_at", "time?"), has("ahead", "duration"),
};
constexpr std::array kStoreVitalsFields{
    has("now", "time"),
    has("bytes", "integer"),
    has("free_bytes", "integer"),
    has("log_bytes", "integer"),
    has("tables", "[TableVitals]"),
    has("oldest_transaction", "OldestTransaction?"),
    has("clock", "StoreClock"),
};
constexpr std::array kErasedKindFields{
    has("namespace", "string?"),
    has("kind", "string"),
    has("count", "integer"),
};
constexpr std::array kSweepResultFields{
    has("check", "RecoveryCheck"),
    has("examined", "integer"),
    has("changed", "integer"),
    maybe("erased", "[ErasedKind]", "only of retention"),
};
constexpr std::array kViolationFields{
    has("object", "string"),
    has("message", "string"),
};
constexpr std::array kVerdictFields{
    has("id", "string"),
    has("examined", "integer"),
    maybe("vacuous", "boolean", "nothing was examined"),
    has("violations", "[Violation]"),
};
constexpr std::array kVerificationFields{
    has("ok", "boolean"),
    has("checks", "[Verdict]"),
};

constexpr std::array kServiceShapes{
    Shape{"Health", kHealthFields},
    Shape{"FieldError", kFieldErrorFields},
    Shape{"Problem", kProblemFields},
    Shape{"BulkResult", kBulkResultFields},
    Shape{"Empty", {}},
    Shape{"Token", kTokenFields},
    Shape{"TokenWithSecret", kTokenSecretFields, "Token"},
    Shape{"NamespaceSettings", kNamespaceFields},
    Shape{"AuditEntry", kAuditFields},
    Shape{"Node", kNodeFields},
    Shape{"TableVitals", kTableVitalsFields},
    Shape{"OldestTransaction", kOldestTransactionFields},
    Shape{"StoreClock", kStoreClockFields},
    Shape{"StoreVitals", kStoreVitalsFields},
    Shape{"ErasedKind", kErasedKindFields},
    Shape{"SweepResult", kSweepResultFields},
    Shape{"Violation", kViolationFields},
    Shape{"Verdict", kVerdictFields},
    Shape{"Verification", kVerificationFields},
};

}  // namespace

std::span<const Shape> service_shapes() { return kServiceShapes; }

}  // namespace pawl::wire
