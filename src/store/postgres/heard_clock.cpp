#include "store/postgres/heard_clock.hpp"

#include <algorithm>
#include <utility>

#include "core/base/canary.hpp"

namespace pawl::store::postgres {

namespace {

constexpr core::Duration kGoodFor = std::chrono::seconds{1};

}  // namespace

bool HeardClock::is_good(core::MonotonicTime now) const { return heard_at_ && now - *heard_at_ < kGoodFor; }

void HeardClock::hear(core::TimePoint server, core::MonotonicTime received_at) {
  const core::Duration ahead = server.time_since_epoch() - received_at.time_since_epoch();
  const std::lock_guard lock{mutex_};
  if (!is_good(received_at)) {
    ahead_ = ahead_before_ = core::Duration::min();
    told_ = core::TimePoint::min();
    since_ = received_at;
    heard_at_ = received_at;
  }
  if (received_at - since_ >= kGoodFor) {
    ahead_before_ = std::exchange(ahead_, core::Duration::min());
    since_ = received_at;
  }
  ahead_ = core::planted(core::Canary::heard_clock_steps_back) ? ahead : std::max(ahead_, ahead);
  heard_at_ = std::max(*heard_at_, received_at);
}

std::optional<core::TimePoint> HeardClock::tell(core::MonotonicTime now) {
  const std::lock_guard lock{mutex_};
  if (!is_good(now)) return std::nullopt;
  told_ = std::max(told_, core::TimePoint{now.time_since_epoch() + std::max(ahead_, ahead_before_)});
  return told_;
}

void HeardClock::forget() {
  const std::lock_guard lock{mutex_};
  heard_at_.reset();
}

}  // namespace pawl::store::postgres
