#include "store/postgres/heard_clock.hpp"

#include <algorithm>

namespace pawl::store::postgres {

namespace {

constexpr core::Duration kGoodFor = std::chrono::seconds{1};

}  // namespace

bool HeardClock::is_good(core::MonotonicTime now) const { return heard_at_ && now - *heard_at_ < kGoodFor; }

void HeardClock::hear(core::TimePoint server, core::MonotonicTime received_at) {
  const core::Duration ahead = server.time_since_epoch() - received_at.time_since_epoch();
  const std::lock_guard lock{mutex_};
  ahead_ = is_good(received_at) ? std::max(ahead_, ahead) : ahead;
  heard_at_ = received_at;
}

std::optional<core::TimePoint> HeardClock::at(core::MonotonicTime now) const {
  const std::lock_guard lock{mutex_};
  if (!is_good(now)) return std::nullopt;
  return core::TimePoint{now.time_since_epoch() + ahead_};
}

}  // namespace pawl::store::postgres
