#pragma once
// Estimates the server's clock from its recent answers, so that a group can be decided before the server has
// answered.
//
// An estimate is never less than any time that was heard or returned before, unless `forget` was called. It
// is still an estimate: clocks drift and are set, and our monotonic clock stops while the machine is
// suspended. A transaction that uses an estimate has the server compare it. Thread-safe.

#include <mutex>
#include <optional>

#include "core/base/time.hpp"

namespace pawl::store::postgres {

class HeardClock {
 public:
  // The server read its clock before the answer arrived, so estimates tend to lag behind the server's clock.
  void hear(core::TimePoint server, core::MonotonicTime received_at);
  // None if the last answer is too old.
  [[nodiscard]] std::optional<core::TimePoint> tell(core::MonotonicTime now);

  // The tolerance for a group that uses an estimate: how far two clocks may drift apart between two answers,
  // with a margin, and the time to decide a group. Leases are much longer.
  static constexpr core::Duration kEarlyMax = std::chrono::milliseconds{5};
  static constexpr core::Duration kLateMax = std::chrono::milliseconds{50};
  // Called when an estimate was wrong.
  void forget();

 private:
  [[nodiscard]] bool is_good(core::MonotonicTime now) const;

  std::mutex mutex_;
  std::optional<core::MonotonicTime> heard_at_;
  // Lower bounds for how far the server's clock is ahead of ours: the highest one of the current second and
  // of the one before. A maximum over all time would only grow, and drift away.
  core::Duration ahead_ = core::Duration::min();
  core::Duration ahead_before_ = core::Duration::min();
  core::MonotonicTime since_ = {};
  core::TimePoint told_ = core::TimePoint::min();
};

}  // namespace pawl::store::postgres
