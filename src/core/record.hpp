#pragma once
// Records: everything small and named that is not a task (locks, workers, declared types, tokens and so on).
// They share one table and one command; what a body means is known to its noun alone.
//
// Always: the version rises by one at each change, and a change is compared with the version it was decided
// on.

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/audit.hpp"
#include "core/ids.hpp"
#include "core/json.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace pawl::core {

// Kept by name: a new kind may stand anywhere in the list.
enum class RecordKind : std::uint8_t {
  lock,
  idempotency,
  worker,
  worker_process,  // which worker a process of a host is registered as
  task_type,
  token,
  namespace_settings,
  audit_end,  // the last entry of the audit, where the next one is chained to
  node,
  leader,
  definition,          // the latest version of a workflow's
  definition_version,  // each of them
  schedule,
  schedule_id,    // which name it belongs to
  firing,         // of a schedule
  code_workflow,  // a workflow that some worker has offered as code
  inbox,          // a call that was made inside a transaction of the database
  inbox_key,      // which of those has a key that none but the first may have
  clock,          // the steps of the store's clock
};
inline constexpr int kRecordKindCount = 19;

[[nodiscard]] std::string_view to_string(RecordKind kind);
[[nodiscard]] std::optional<RecordKind> record_kind_from(std::string_view name);

struct RecordRef {
  RecordKind kind = RecordKind::lock;
  std::string ns = {};  // empty for what belongs to no namespace
  std::string key = {};

  auto operator<=>(const RecordRef&) const = default;
};

struct Record {
  RecordRef ref = {};
  std::int64_t version = 0;
  RawJson body = {};
  std::optional<TimePoint> expires_at =
      {};  // when somebody is to look at it; its noun says what happens then
  TimePoint created_at = {};
  TimePoint updated_at = {};

  bool operator==(const Record&) const = default;
};

// What a decision wants done to one record.
struct RecordChange {
  RecordRef ref = {};
  std::optional<RawJson> body = {};  // none: the record is erased
  std::optional<TimePoint> expires_at = {};
};

// What becomes of tasks that are taken from a worker by force.
enum class Eviction : std::uint8_t {
  none,
  release,  // back in line, the attempt not spent: the worker said good-bye
  recover,  // as if their leases had expired: the worker is lost
};

struct RecordDecision {
  RawJson answer = {};
  std::vector<RecordChange> changes = {};
  std::vector<AuditEntry> audit = {};
  Eviction eviction = Eviction::none;
  TimePoint spared_after = TimePoint::max();  // what was claimed or renewed after it stays with its worker
};

using FoundRecords = std::span<const std::optional<Record>>;
// Pure: no clock, no chance, no I/O. It is called again when its group is tried again.
using DecideRecords = std::function<Result<RecordDecision>(FoundRecords found, TimePoint now)>;

struct HeldTasks {
  std::string ns = {};
  std::string worker_id = {};
  std::vector<TaskId> ids = {};
};

// Decides on records under lock: `found` is in the order of `refs`, nothing where there is none.
struct ChangeRecords {
  std::vector<RecordRef> refs = {};
  DecideRecords decide = {};
  HeldTasks held = {};  // what an eviction takes away, as far as that worker still holds it
};
struct RecordAnswer {
  RawJson body = {};
  int evicted = 0;
  bool has_changed = false;  // a record; false of an answer that was kept

  bool operator==(const RecordAnswer&) const = default;
};

[[nodiscard]] RecordRef audit_end_ref();
[[nodiscard]] AuditEnd audit_end_from(const std::optional<Record>& record);
[[nodiscard]] RawJson body_of(const AuditEnd& end);

}  // namespace pawl::core
