#pragma once
// Who did what: append-only, written in the same commit as what was done.

#include <cstdint>
#include <string>
#include <utility>

#include "core/json.hpp"
#include "core/time.hpp"

namespace pawl::core {

// Who asks; all empty inside a process that knows no tokens.
struct Actor {
  std::string id = {};  // of a token
  std::string role = {};
  std::string request_id = {};
};

struct AuditEntry {
  std::int64_t sequence = 0;  // given by the store; rises, and may have gaps
  TimePoint at = {};          // given by the store
  std::string ns = {};
  std::string actor = {};  // the id of a token; empty: nobody in particular
  std::string role = {};
  std::string action = {};  // such as token.create
  std::string object = {};
  std::string request_id = {};
  std::string outcome = "ok";  // or the code of the problem
  RawJson detail = {};

  bool operator==(const AuditEntry&) const = default;
};

[[nodiscard]] inline AuditEntry audit_of(const Actor& by, std::string ns, std::string action,
                                         std::string object) {
  return {.ns = std::move(ns),
          .actor = by.id,
          .role = by.role,
          .action = std::move(action),
          .object = std::move(object),
          .request_id = by.request_id};
}

}  // namespace pawl::core
