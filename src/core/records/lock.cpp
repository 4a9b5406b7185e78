#include "core/records/lock.hpp"

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/json/body.hpp"
#include "core/task/command.hpp"

namespace pawl::core {

namespace {

RawJson encode(const Lock& lock) {
  Body body;
  body.put("key", lock.key);
  body.put("holder", lock.holder);
  body.put("fence", lock.fence);
  body.put("expires_at", lock.expires_at);
  return body.text();
}

RecordDecision put(const std::string& ns, const Lock& lock) {
  RawJson body = encode(lock);
  RecordDecision decision{.answer = body};
  decision.changes.push_back({.ref = lock_ref(ns, lock.key), .body = std::move(body)});
  return decision;
}

// The lock, if `holder` has it at `fence` now.
Result<Lock> held_by(const std::string& key, const std::string& holder, std::int64_t fence,
                     FoundRecords found, TimePoint now) {
  if (!found[0])
    return Problem{.code = ProblemCode::not_found, .detail = fmt::format("there is no lock {}", key)};
  Lock lock = lock_at(*found[0], now);
  std::string detail;
  if (lock.fence != fence && !planted(Canary::lock_fence_not_compared)) {
    detail = fmt::format("lock {} is at fence {}, the request carried {}", key, lock.fence, fence);
  } else if (lock.holder.empty()) {
    detail = fmt::format("lock {} has expired or was released", key);
  } else if (lock.holder != holder) {
    detail = fmt::format("lock {} is not held by {}", key, holder);
  }
  if (!detail.empty()) return Problem{.code = ProblemCode::stale_lease, .detail = std::move(detail)};
  return lock;
}

Status check_names(const std::string& ns, const std::string& key, const std::string& holder) {
  return first_of({check_namespace(ns), check_key("key", key), check_key("holder", holder)});
}

}  // namespace

RecordRef lock_ref(const std::string& ns, const std::string& key) {
  return {.kind = RecordKind::lock, .ns = ns, .key = key};
}

Status check(const AcquireLock& request) {
  return first_of({check_names(request.ns, request.key, request.holder),
                   check_duration("ttl", request.ttl, kLeaseMin, kLeaseMax)});
}

Status check(const RenewLock& request) {
  return first_of({check_names(request.ns, request.key, request.holder),
                   check_duration("ttl", request.ttl, kLeaseMin, kLeaseMax)});
}

Status check(const ReleaseLock& request) { return check_names(request.ns, request.key, request.holder); }

Lock lock_from(const RawJson& answer) {
  const Body body{answer};
  return {.key = body.text_of("key"),
          .holder = body.text_of("holder"),
          .fence = body.get<std::int64_t>("fence"),
          .expires_at = body.optional_time_of("expires_at")};
}

Lock lock_at(const Record& record, TimePoint now) {
  Lock lock = lock_from(record.body);
  if (lock.expires_at && *lock.expires_at <= now && !planted(Canary::lock_never_expires)) {
    lock.holder.clear();
    lock.expires_at = std::nullopt;
  }
  return lock;
}

Result<RecordDecision> decide_acquire(const AcquireLock& request, FoundRecords found, TimePoint now) {
  Lock lock = found[0] ? lock_at(*found[0], now) : Lock{.key = request.key};
  if (!lock.holder.empty() && lock.holder != request.holder) return RecordDecision{.answer = encode(lock)};
  // A holder that acquires its own lock again extends it under the same fence.
  if (lock.holder.empty() && !planted(Canary::lock_fence_not_raised)) ++lock.fence;
  lock.holder = request.holder;
  lock.expires_at = now + request.ttl;
  return put(request.ns, lock);
}

Result<RecordDecision> decide_renew(const RenewLock& request, FoundRecords found, TimePoint now) {
  auto lock = held_by(request.key, request.holder, request.fence, found, now);
  if (!lock) return lock.problem();
  lock->expires_at = now + request.ttl;
  return put(request.ns, *lock);
}

Result<RecordDecision> decide_release(const ReleaseLock& request, FoundRecords found, TimePoint now) {
  auto lock = held_by(request.key, request.holder, request.fence, found, now);
  if (!lock) return lock.problem();
  lock->holder.clear();
  lock->expires_at = std::nullopt;
  return put(request.ns, *lock);
}

}  // namespace pawl::core
