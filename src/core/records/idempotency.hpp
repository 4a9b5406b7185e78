#pragma once
// Idempotency keys for workers' own calls: begin, make the call, complete. A later begin returns the stored
// result.
//
// Invariants: of concurrent begins of one key only one may proceed. An expired key is treated as absent.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/records/record.hpp"
#include "core/task/command.hpp"

namespace pawl::core {

enum class IdempotencyStatus : std::uint8_t { pending, completed, failed };
[[nodiscard]] std::string_view to_string(IdempotencyStatus status);

struct BeginIdempotency {
  std::string ns = "default";
  std::string key = {};
  std::string request_hash = {};  // such as sha256:…
  Duration ttl = std::chrono::hours{24};
  std::optional<TaskId> task_id = {};      // begun for this task; once its lease is lost, others may begin
  std::vector<std::string> bound_to = {};  // the queues of the caller's token; empty: all
};
struct EndIdempotency {
  std::string ns = "default";
  std::string key = {};
  RawJson response = {};
  std::vector<std::string> bound_to = {};
};

struct IdempotencyKey {
  std::string key = {};
  IdempotencyStatus status = IdempotencyStatus::pending;
  std::string request_hash = {};
  RawJson response = {};
  std::string task_id = {};     // empty: none
  std::string queue = {};       // of that task
  std::int64_t task_fence = 0;  // of the lease under which it was begun; 0: none
  TimePoint created_at = {};
  std::optional<TimePoint> completed_at = {};
  TimePoint expires_at = {};

  bool operator==(const IdempotencyKey&) const = default;
};
struct IdempotencyBegun {
  bool begun = false;  // true: proceed; false: it was completed before
  IdempotencyKey key = {};

  bool operator==(const IdempotencyBegun&) const = default;
};

// The leases of the tasks concerned, read before the decision. Both facts stay true: a lost lease never
// becomes valid again.
struct IdempotencyLeases {
  std::int64_t own_fence = 0;     // of the lease on the request's task; 0: it has no lease
  std::string own_queue = {};     // of that task; empty: there is no task
  std::int64_t lost_version = 0;  // version of the record if its task has lost its lease; 0: otherwise
};

// A token that is bound to queues can access only the keys of tasks in these queues.
[[nodiscard]] Status check_reach(const std::vector<std::string>& bound_to, const IdempotencyKey& key);
[[nodiscard]] RecordRef idempotency_ref(const std::string& ns, const std::string& key);
[[nodiscard]] Status check(const BeginIdempotency& request);
[[nodiscard]] Status check(const EndIdempotency& request);

// The key at `now`; nullopt if it has expired.
[[nodiscard]] std::optional<IdempotencyKey> idempotency_at(const Record& record, TimePoint now);

// Each decision receives the key's record; its answer is read with `idempotency_from`.
[[nodiscard]] Result<RecordDecision> decide_begin(const BeginIdempotency& request,
                                                  const IdempotencyLeases& leases, FoundRecords found,
                                                  TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_complete(const EndIdempotency& request, FoundRecords found,
                                                     TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_fail(const EndIdempotency& request, FoundRecords found,
                                                 TimePoint now);
[[nodiscard]] IdempotencyBegun idempotency_from(const RawJson& answer);

// For DoOnce: the stored part of the first answer; nullopt if the command must be executed.
[[nodiscard]] Result<std::optional<RawJson>> look_up(const DoOnce& once, const std::optional<Record>& found,
                                                     TimePoint now);
[[nodiscard]] RecordChange kept(const DoOnce& once, const RawJson& response, TimePoint now);

// Erases expired records.
[[nodiscard]] Result<RecordDecision> decide_expire(FoundRecords found, TimePoint now);

}  // namespace pawl::core
