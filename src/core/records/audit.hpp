#pragma once
// The audit log: an append-only record of each action and its caller, written in the same commit as the
// action.
//
// Invariant: the sequence rises by one, and each entry's hash covers the previous entry's hash and all its
// own fields, so that changing, inserting or removing an entry invalidates all later ones.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.hpp"
#include "core/json/json.hpp"

namespace pawl::core {

// The caller of a request; all fields are empty in a process that uses no tokens.
struct Actor {
  std::string id = {};  // of the token
  std::string role = {};
  std::string request_id = {};
};

struct AuditEntry {
  std::int64_t sequence = 0;  // set by chain()
  TimePoint at = {};          // set by chain()
  std::string ns = {};
  std::string actor = {};  // the id of a token; empty: no token
  std::string role = {};
  std::string action = {};  // such as token.create
  std::string object = {};
  std::string request_id = {};
  std::string outcome = "ok";  // or the problem's code
  RawJson detail = {};
  std::string hash = {};  // set by chain()

  bool operator==(const AuditEntry&) const = default;
};

// Selects the entries of a list.
struct AuditFilter {
  std::vector<std::string> namespaces = {};  // empty: all, including entries without a namespace
  std::optional<std::string> actor = {};
  std::optional<std::string> action = {};  // a trailing * matches every action with that prefix
  std::optional<std::string> object = {};
  std::optional<std::string> outcome = {};
  std::optional<TimePoint> created_after = {};   // inclusive
  std::optional<TimePoint> created_before = {};  // exclusive

  bool operator==(const AuditFilter&) const = default;
};
[[nodiscard]] bool matches(const AuditFilter& filter, const AuditEntry& entry);

// The last entry so far, stored as a record. All writers of the audit log serialize on its lock.
struct AuditEnd {
  std::int64_t sequence = 0;
  std::string hash = {};
};

// Appends the entry: sets its sequence, time and hash, and makes it the new end.
void chain(AuditEnd& end, AuditEntry& entry, TimePoint now);
// Computes the hash that an entry must have.
[[nodiscard]] std::string audit_hash(const std::string& hash_before, const AuditEntry& entry);

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
