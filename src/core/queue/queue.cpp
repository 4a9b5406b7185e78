#include "core/queue/queue.hpp"

#include <algorithm>

namespace pawl::core {

QueueSettings patched(QueueSettings settings, const QueuePatch& patch) {
  if (patch.paused) settings.paused = *patch.paused;
  if (patch.max_concurrency) settings.max_concurrency = *patch.max_concurrency;
  if (patch.type_concurrency) {
    settings.type_concurrency = patch.type_concurrency->value_or(std::map<std::string, std::int64_t>{});
  }
  if (patch.rate) {
    settings.rate = *patch.rate;
    settings.rate_spent_until = TimePoint{};  // a new rate starts with a full bucket
  }
  return settings;
}

QueueCounts& QueueCounts::operator+=(const QueueCounts& other) {
  pending += other.pending;
  scheduled += other.scheduled;
  blocked += other.blocked;
  claimed += other.claimed;
  running += other.running;
  dead_letter += other.dead_letter;
  return *this;
}

RateGrant rate_allows(const Rate& rate, TimePoint spent_until, std::int64_t wanted, TimePoint now) {
  // Rounded up: rounding may undershoot a rate, but never exceeds it.
  const Duration each{std::max<std::int64_t>(1, (rate.per.count() + rate.limit - 1) / rate.limit)};
  const TimePoint from = std::max(spent_until, now);
  const Duration room = rate.per - (from - now);
  const std::int64_t most = std::clamp<std::int64_t>(wanted, 0, rate.limit);  // `wanted` may be negative
  const std::int64_t granted = std::clamp<std::int64_t>(room / each, 0, most);
  return {.granted = granted, .spent_until = granted > 0 ? from + each * granted : spent_until};
}

}  // namespace pawl::core
