#pragma once
// Idempotency keys of workers' own calls: begin, do the thing, complete. Whoever begins again is told how it
// ended.
//
// Always: of those who begin one key at a time only one is told to go on. A key that is over is as if it
// never was.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/command.hpp"
#include "core/record.hpp"

namespace pawl::core {

enum class IdempotencyStatus : std::uint8_t { pending, completed, failed };
[[nodiscard]] std::string_view to_string(IdempotencyStatus status);

struct BeginIdempotency {
  std::string ns = "default";
  std::string key = {};
  std::string request_hash = {};  // such as sha256:…
  Duration ttl = std::chrono::hours{24};
  std::optional<TaskId> task_id = {};      // for whose sake; when it loses its lease, another may begin
  std::vector<std::string> bound_to = {};  // the queues of the caller's token; none: all
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
  std::string task_id = {};     // empty: none was named
  std::string queue = {};       // of that task
  std::int64_t task_fence = 0;  // of the lease under which it was begun; 0: none
  TimePoint created_at = {};
  std::optional<TimePoint> completed_at = {};
  TimePoint expires_at = {};

  bool operator==(const IdempotencyKey&) const = default;
};
struct IdempotencyBegun {
  bool begun = false;  // go on; otherwise it was completed before
  IdempotencyKey key = {};

  bool operator==(const IdempotencyBegun&) const = default;
};

// What was seen of the tasks concerned before the decision. Both stay true: a lease that is lost never comes
// back.
struct IdempotencyLeases {
  std::int64_t own_fence = 0;     // of the lease on the request's task; 0: nobody holds it
  std::string own_queue = {};     // of that task; empty: there is none
  std::int64_t lost_version = 0;  // the record's version whose task has lost its lease; 0: none has
};

// A token that is bound to queues reaches the keys of their tasks only.
[[nodiscard]] Status check_reach(const std::vector<std::string>& bound_to, const IdempotencyKey& key);
[[nodiscard]] RecordRef idempotency_ref(const std::string& ns, const std::string& key);
[[nodiscard]] Status check(const BeginIdempotency& request);
[[nodiscard]] Status check(const EndIdempotency& request);

// As it stands at `now`; nothing when it is over.
[[nodiscard]] std::optional<IdempotencyKey> idempotency_at(const Record& record, TimePoint now);

// Each is shown the key's record and answers with what `idempotency_from` reads.
[[nodiscard]] Result<RecordDecision> decide_begin(const BeginIdempotency& request,
                                                  const IdempotencyLeases& leases, FoundRecords found,
                                                  TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_complete(const EndIdempotency& request, FoundRecords found,
                                                     TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_fail(const EndIdempotency& request, FoundRecords found,
                                                 TimePoint now);
[[nodiscard]] IdempotencyBegun idempotency_from(const RawJson& answer);

// A command that is done once. What was kept when it was done before; nothing: it is to be done.
[[nodiscard]] Result<std::optional<RawJson>> look_up(const DoOnce& once, const std::optional<Record>& found,
                                                     TimePoint now);
[[nodiscard]] RecordChange kept(const DoOnce& once, const RawJson& response, TimePoint now);

// Erases what is over.
[[nodiscard]] Result<RecordDecision> decide_expire(FoundRecords found, TimePoint now);

}  // namespace pawl::core
