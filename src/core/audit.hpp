#pragma once
// Who did what: append-only, written in the same commit as what was done.
//
// Always: the sequence rises by one, and each entry's hash covers the hash of the one before it and all its
// own fields, so that no entry can be changed, added or taken out without all later ones showing it.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  std::int64_t sequence = 0;  // given when it is chained
  TimePoint at = {};          // the same
  std::string ns = {};
  std::string actor = {};  // the id of a token; empty: nobody in particular
  std::string role = {};
  std::string action = {};  // such as token.create
  std::string object = {};
  std::string request_id = {};
  std::string outcome = "ok";  // or the code of the problem
  RawJson detail = {};
  std::string hash = {};  // given when it is chained

  bool operator==(const AuditEntry&) const = default;
};

// Which entries are listed.
struct AuditFilter {
  std::vector<std::string> namespaces = {};  // none: all, and what is of no namespace
  std::optional<std::string> actor = {};
  std::optional<std::string> action = {};  // one that ends in * is for all that begin so
  std::optional<std::string> object = {};
  std::optional<std::string> outcome = {};
  std::optional<TimePoint> created_after = {};   // or at it
  std::optional<TimePoint> created_before = {};  // and not at it

  bool operator==(const AuditFilter&) const = default;
};
[[nodiscard]] bool matches(const AuditFilter& filter, const AuditEntry& entry);

// The last entry so far; kept as a record, whose lock is where all who write down something queue up.
struct AuditEnd {
  std::int64_t sequence = 0;
  std::string hash = {};
};

// Gives the entry its place behind the end, which it becomes.
void chain(AuditEnd& end, AuditEntry& entry, TimePoint now);
// What the hash of an entry must be.
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
