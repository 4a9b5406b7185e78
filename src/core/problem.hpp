#pragma once
// Problems: every answer that is not a success, as one table of codes. HTTP status, exit code and title are
// looked up there and nowhere else.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::core {

enum class ProblemCode : std::uint8_t {
  invalid_argument,
  unauthorized,
  forbidden,
  not_found,
  conflict,
  invalid_state,
  already_completed,
  stale_lease,
  precondition_failed,
  payload_too_large,
  idempotency_mismatch,
  resource_exhausted,
  internal,
  unavailable,
  timeout,
};

struct ProblemKind {
  ProblemCode code;
  std::string_view name;
  int http_status;
  int exit_code;
  std::string_view title;
};

// Exit codes are those of the command line: 1 the operation failed, 2 wrong usage, 3 cannot reach the server.
inline constexpr std::array kProblemKinds{
    ProblemKind{ProblemCode::invalid_argument, "invalid_argument", 400, 2, "The request is not valid"},
    ProblemKind{ProblemCode::unauthorized, "unauthorized", 401, 1, "A valid token is needed"},
    ProblemKind{ProblemCode::forbidden, "forbidden", 403, 1, "The token does not allow this"},
    ProblemKind{ProblemCode::not_found, "not_found", 404, 1, "There is no such thing"},
    ProblemKind{ProblemCode::conflict, "conflict", 409, 1, "The request conflicts with another"},
    ProblemKind{ProblemCode::invalid_state, "invalid_state", 409, 1, "The state does not allow this"},
    ProblemKind{ProblemCode::already_completed, "already_completed", 409, 1, "It has ended already"},
    ProblemKind{ProblemCode::stale_lease, "stale_lease", 409, 1, "The lease is not held any more"},
    ProblemKind{ProblemCode::precondition_failed, "precondition_failed", 412, 1,
                "A precondition does not hold"},
    ProblemKind{ProblemCode::payload_too_large, "payload_too_large", 413, 1, "The payload is too large"},
    ProblemKind{ProblemCode::idempotency_mismatch, "idempotency_mismatch", 422, 1,
                "The idempotency key belongs to another request"},
    ProblemKind{ProblemCode::resource_exhausted, "resource_exhausted", 429, 1, "Too much at once"},
    ProblemKind{ProblemCode::internal, "internal", 500, 1, "A bug in Pawl"},
    ProblemKind{ProblemCode::unavailable, "unavailable", 503, 3, "The store cannot be reached"},
    ProblemKind{ProblemCode::timeout, "timeout", 504, 1, "It took too long"},
};

[[nodiscard]] const ProblemKind& kind_of(ProblemCode code);
[[nodiscard]] std::optional<ProblemCode> problem_code_from(std::string_view name);

struct FieldError {
  std::string field;  // a path such as tasks[3].retry.backoff
  std::string message;
  int line = 0;  // of the text that was sent, from 1, where it is a file that a person wrote

  bool operator==(const FieldError&) const = default;
};

struct Problem {
  ProblemCode code = ProblemCode::internal;
  std::string detail;
  std::vector<FieldError> errors = {};

  bool operator==(const Problem&) const = default;
};

// Whether the same may succeed in a moment.
[[nodiscard]] bool is_passing(ProblemCode code);

// invalid_argument that names one field.
[[nodiscard]] Problem invalid_field(std::string field, std::string message);

}  // namespace pawl::core
