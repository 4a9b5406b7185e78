#include "store/postgres/heard_clock.hpp"

#include <algorithm>
#include <utility>

namespace pawl::store::postgres {

namespace {

constexpr core::Duration kGoodFor = std::chrono::seconds{1};
// What two clocks may drift apart in that time, with room to spare; leases last a hundred times as long.
constexpr core::Duration kEarlyMax = std::chrono::milliseconds{5};
constexpr core::Duration kLateMax = std::chrono::seconds{1};

}  // namespace

bool HeardClock::is_good(core::MonotonicTime now) const { return heard_at_ && now - *heard_at_ < kGoodFor; }

void HeardClock::begin(core::Duration ahead, core::MonotonicTime at) {
  ahead_ = ahead;
  ahead_before_ = core::Duration::min();
  since_ = at;
  heard_at_ = at;
  told_ = core::TimePoint::min();
}

void HeardClock::hear(core::TimePoint server, core::MonotonicTime received_at) {
  const core::Duration ahead = server.time_since_epoch() - received_at.time_since_epoch();
  const std::lock_guard lock{mutex_};
  if (!is_good(received_at)) return begin(ahead, received_at);
  if (received_at - since_ >= kGoodFor) {
    ahead_before_ = std::exchange(ahead_, ahead);
    since_ = received_at;
  }
  ahead_ = std::max(ahead_, ahead);
  heard_at_ = std::max(*heard_at_, received_at);
}

std::optional<core::TimePoint> HeardClock::tell(core::MonotonicTime now) {
  const std::lock_guard lock{mutex_};
  if (!is_good(now)) return std::nullopt;
  told_ = std::max(told_, core::TimePoint{now.time_since_epoch() + std::max(ahead_, ahead_before_)});
  return told_;
}

bool HeardClock::is_right(core::TimePoint told, core::TimePoint server) {
  return told - server <= kEarlyMax && server - told <= kLateMax;
}

void HeardClock::start_over(core::TimePoint server, core::MonotonicTime received_at) {
  const std::lock_guard lock{mutex_};
  begin(server.time_since_epoch() - received_at.time_since_epoch(), received_at);
}

}  // namespace pawl::store::postgres
