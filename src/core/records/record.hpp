#pragma once
// Records: every small named object that is not a task (locks, workers, declared types, tokens and so on).
// They share one table and one command; only its noun interprets a record's body.
//
// Invariants: the version rises by one with each change, and a change is applied only to the version on which
// it was decided.

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "core/json/json.hpp"
#include "core/records/audit.hpp"

namespace pawl::core {

// Stored by name: a new kind may be added anywhere in the list.
enum class RecordKind : std::uint8_t {
  lock,
  idempotency,
  worker,
  worker_process,  // the worker as which a process of a host is registered
  task_type,
  token,
  namespace_settings,
  audit_end,  // the last entry of the audit log, to which the next one is chained
  node,
  leader,
  definition,          // the latest version of a workflow's definition
  definition_version,  // each of its versions
  schedule,
  schedule_id,    // the name that belongs to a schedule's id
  firing,         // of a schedule
  code_workflow,  // a workflow that a worker has offered as code
  inbox,          // a call made by an SQL function inside a user's transaction
  inbox_key,      // the key of such a call, reserved by the first one
  clock,          // the steps of the store's clock
};
inline constexpr int kRecordKindCount = 19;

[[nodiscard]] std::string_view to_string(RecordKind kind);
[[nodiscard]] std::optional<RecordKind> record_kind_from(std::string_view name);

struct RecordRef {
  RecordKind kind = RecordKind::lock;
  std::string ns = {};  // empty for objects without a namespace
  std::string key = {};

  auto operator<=>(const RecordRef&) const = default;
};

struct Record {
  RecordRef ref = {};
  std::int64_t version = 0;
  RawJson body = {};
  std::optional<TimePoint> expires_at = {};  // when it is due; its noun defines what happens then
  TimePoint created_at = {};
  TimePoint updated_at = {};

  bool operator==(const Record&) const = default;
};

// A change of one record, as requested by a decision.
struct RecordChange {
  RecordRef ref = {};
  std::optional<RawJson> body = {};  // absent: the record is erased
  std::optional<TimePoint> expires_at = {};
};

// How an eviction treats the tasks of a worker.
enum class Eviction : std::uint8_t {
  none,
  release,  // claimable again, with the attempt not spent: the worker has signed off
  recover,  // as if their leases had expired: the worker is lost
};

struct RecordDecision {
  RawJson answer = {};
  std::vector<RecordChange> changes = {};
  std::vector<AuditEntry> audit = {};
  Eviction eviction = Eviction::none;
  TimePoint spared_after = TimePoint::max();  // tasks claimed or renewed later stay with their worker
};

using FoundRecords = std::span<const std::optional<Record>>;
// Pure: no clock, no randomness, no I/O. It is called again when its group is retried.
using DecideRecords = std::function<Result<RecordDecision>(FoundRecords found, TimePoint now)>;

struct HeldTasks {
  std::string ns = {};
  std::string worker_id = {};
  std::vector<TaskId> ids = {};
};

// Decides on records under lock. `found` is in the order of `refs`; nullopt where there is no record.
struct ChangeRecords {
  std::vector<RecordRef> refs = {};
  DecideRecords decide = {};
  HeldTasks held = {};  // the tasks that an eviction takes from the worker, if it still holds them
};
struct RecordAnswer {
  RawJson body = {};
  int evicted = 0;
  bool has_changed = false;  // a record was changed; false for a stored answer

  bool operator==(const RecordAnswer&) const = default;
};

[[nodiscard]] RecordRef audit_end_ref();
[[nodiscard]] AuditEnd audit_end_from(const std::optional<Record>& record);
[[nodiscard]] RawJson body_of(const AuditEnd& end);

}  // namespace pawl::core
