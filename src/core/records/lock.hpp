#pragma once
// Locks for users' own purposes, with an expiry and a fence.
//
// Invariant: a lock's fence never falls, not even across release and expiry, so the record of a released lock
// is kept.

#include <cstdint>
#include <optional>
#include <string>

#include "core/records/record.hpp"

namespace pawl::core {

struct AcquireLock {
  std::string ns = "default";
  std::string key = {};
  std::string holder = {};
  Duration ttl = std::chrono::seconds{30};
};
struct RenewLock {
  std::string ns = "default";
  std::string key = {};
  std::string holder = {};
  std::int64_t fence = 0;
  Duration ttl = std::chrono::seconds{30};
};
struct ReleaseLock {
  std::string ns = "default";
  std::string key = {};
  std::string holder = {};
  std::int64_t fence = 0;
};

struct Lock {
  std::string key = {};
  std::string holder = {};  // empty: not held
  std::int64_t fence = 0;   // of the last acquisition
  std::optional<TimePoint> expires_at = {};

  bool operator==(const Lock&) const = default;
};
struct LockAnswer {
  bool acquired = false;
  Lock lock = {};  // the holder's own, or the one that prevented the acquisition

  bool operator==(const LockAnswer&) const = default;
};

[[nodiscard]] RecordRef lock_ref(const std::string& ns, const std::string& key);
[[nodiscard]] Status check(const AcquireLock& request);
[[nodiscard]] Status check(const RenewLock& request);
[[nodiscard]] Status check(const ReleaseLock& request);

// The lock at `now`: an expired lock has no holder.
[[nodiscard]] Lock lock_at(const Record& record, TimePoint now);

// Each decision receives the lock's record and answers with a Lock. An acquire has succeeded if the answer
// names the caller as the holder.
[[nodiscard]] Result<RecordDecision> decide_acquire(const AcquireLock& request, FoundRecords found,
                                                    TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_renew(const RenewLock& request, FoundRecords found,
                                                  TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_release(const ReleaseLock& request, FoundRecords found,
                                                    TimePoint now);
[[nodiscard]] Lock lock_from(const RawJson& answer);

}  // namespace pawl::core
