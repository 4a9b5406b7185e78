#pragma once
// The server's clock as this node heard it last, so that a group can be worked out before the server has
// answered.
//
// Always: what it tells is not behind anything that it heard or told, unless it was made to forget. It
// is a guess nevertheless: clocks drift, are set, and ours stands still while the machine is suspended.
// Whoever goes by it has the server compare it. Any thread.

#include <mutex>
#include <optional>

#include "core/time.hpp"

namespace pawl::store::postgres {

class HeardClock {
 public:
  // The server read its clock before the answer came, so that what is told is rather late than early.
  void hear(core::TimePoint server, core::MonotonicTime received_at);
  // After a silence it tells nothing.
  [[nodiscard]] std::optional<core::TimePoint> tell(core::MonotonicTime now);

  // How wrong it may be for a group to go by it: what two clocks may drift apart between two answers, with
  // room to spare, and the time a group takes to be worked out. Leases last much longer.
  static constexpr core::Duration kEarlyMax = std::chrono::milliseconds{5};
  static constexpr core::Duration kLateMax = std::chrono::milliseconds{50};
  // It was wrong.
  void forget();

 private:
  [[nodiscard]] bool is_good(core::MonotonicTime now) const;

  std::mutex mutex_;
  std::optional<core::MonotonicTime> heard_at_;
  // How far the server's clock is ahead of ours, at least: by what was heard in this second and in the one
  // before. Of all time it would only grow, and drift away.
  core::Duration ahead_ = core::Duration::min();
  core::Duration ahead_before_ = core::Duration::min();
  core::MonotonicTime since_ = {};
  core::TimePoint told_ = core::TimePoint::min();
};

}  // namespace pawl::store::postgres
