#pragma once
// Locks for anyone, with an expiry and a fence.
//
// Always: a lock's fence never falls, also across release and expiry, so its record stays when nobody holds
// it.

#include <cstdint>
#include <optional>
#include <string>

#include "core/record.hpp"

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
  std::string holder = {};  // empty: nobody holds it
  std::int64_t fence = 0;   // given last
  std::optional<TimePoint> expires_at = {};

  bool operator==(const Lock&) const = default;
};
struct LockAnswer {
  bool acquired = false;
  Lock lock = {};  // the holder's own, or the one that is in the way

  bool operator==(const LockAnswer&) const = default;
};

[[nodiscard]] RecordRef lock_ref(const std::string& ns, const std::string& key);
[[nodiscard]] Status check(const AcquireLock& request);
[[nodiscard]] Status check(const RenewLock& request);
[[nodiscard]] Status check(const ReleaseLock& request);

// As it stands at `now`: one that is over is held by nobody.
[[nodiscard]] Lock lock_at(const Record& record, TimePoint now);

// Each is shown the lock's record and answers with a Lock; whether an acquire succeeded is seen by its
// holder.
[[nodiscard]] Result<RecordDecision> decide_acquire(const AcquireLock& request, FoundRecords found,
                                                    TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_renew(const RenewLock& request, FoundRecords found,
                                                  TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_release(const ReleaseLock& request, FoundRecords found,
                                                    TimePoint now);
[[nodiscard]] Lock lock_from(const RawJson& answer);

}  // namespace pawl::core
