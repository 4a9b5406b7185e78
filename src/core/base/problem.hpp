#pragma once
// Problems: every answer that is not a success, in one table of codes. The table is the only source of HTTP
// status, exit code and title.

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
  method_not_allowed,
  conflict,
  invalid_state,
  already_completed,
  stale_lease,
  precondition_failed,
  payload_too_large,
  uri_too_long,
  unsupported_media_type,
  misdirected_request,
  idempotency_mismatch,
  resource_exhausted,
  header_too_large,
  internal,
  unavailable,
  timeout,
  version_not_supported,
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
    ProblemKind{ProblemCode::not_found, "not_found", 404, 1, "Not found"},
    ProblemKind{ProblemCode::method_not_allowed, "method_not_allowed", 405, 1,
                "The path does not have this method"},
    ProblemKind{ProblemCode::conflict, "conflict", 409, 1, "The request conflicts with another"},
    ProblemKind{ProblemCode::invalid_state, "invalid_state", 409, 1, "The state does not allow this"},
    ProblemKind{ProblemCode::already_completed, "already_completed", 409, 1, "Already ended"},
    ProblemKind{ProblemCode::stale_lease, "stale_lease", 409, 1, "The lease is not held any more"},
    ProblemKind{ProblemCode::precondition_failed, "precondition_failed", 412, 1,
                "A precondition does not hold"},
    ProblemKind{ProblemCode::payload_too_large, "payload_too_large", 413, 1, "The payload is too large"},
    ProblemKind{ProblemCode::uri_too_long, "uri_too_long", 414, 2, "The request line is too long"},
    ProblemKind{ProblemCode::unsupported_media_type, "unsupported_media_type", 415, 2,
                "Unsupported content type"},
    ProblemKind{ProblemCode::misdirected_request, "misdirected_request", 421, 1,
                "The request is for a server of another name"},
    ProblemKind{ProblemCode::idempotency_mismatch, "idempotency_mismatch", 422, 1,
                "The idempotency key belongs to another request"},
    ProblemKind{ProblemCode::resource_exhausted, "resource_exhausted", 429, 1,
                "Too many or too large requests"},
    ProblemKind{ProblemCode::header_too_large, "header_too_large", 431, 2, "The header is too large"},
    ProblemKind{ProblemCode::internal, "internal", 500, 1, "A bug in Pawl"},
    ProblemKind{ProblemCode::unavailable, "unavailable", 503, 3, "The store cannot be reached"},
    ProblemKind{ProblemCode::timeout, "timeout", 504, 1, "The request timed out"},
    ProblemKind{ProblemCode::version_not_supported, "version_not_supported", 505, 2,
                "Only HTTP/1.1 and HTTP/1.0 are supported"},
};

[[nodiscard]] const ProblemKind& kind_of(ProblemCode code);
[[nodiscard]] std::optional<ProblemCode> problem_code_from(std::string_view name);

struct FieldError {
  std::string field;  // a path such as tasks[3].retry.backoff
  std::string message;
  int line = 0;  // in the submitted text, from 1; only of files written by hand

  bool operator==(const FieldError&) const = default;
};

struct Problem {
  ProblemCode code = ProblemCode::internal;
  std::string detail;
  std::vector<FieldError> errors = {};

  bool operator==(const Problem&) const = default;
};

// Whether a retry may succeed soon.
[[nodiscard]] bool is_passing(ProblemCode code);

// An invalid_argument that names one field.
[[nodiscard]] Problem invalid_field(std::string field, std::string message);

}  // namespace pawl::core
