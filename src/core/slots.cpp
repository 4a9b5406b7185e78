#include "core/slots.hpp"

#include <algorithm>

#include "core/canary.hpp"

namespace pawl::core {

namespace {

// Local and universal time are never further apart.
constexpr std::chrono::hours kOffsetMost{26};

LocalTime local_at(TimePoint time, std::chrono::seconds offset) {
  return LocalTime{std::chrono::floor<std::chrono::seconds>(time).time_since_epoch() + offset};
}
TimePoint moment_of(LocalTime time, std::chrono::seconds offset) {
  return TimePoint{time.time_since_epoch() - offset};
}

// Those that touch the time between, the first one first.
std::vector<OffsetPeriod> periods_between(const Zone& zone, TimePoint from, TimePoint to) {
  std::vector<OffsetPeriod> periods{zone.period_at(from)};
  while (periods.back().end <= to && periods.back().end < kTimeMax)
    periods.push_back(zone.period_at(periods.back().end));
  return periods;
}

}  // namespace

TimePoint first_moment(const Zone& zone, LocalTime time) {
  const TimePoint near = moment_of(time, std::chrono::seconds{0});
  const auto periods = periods_between(zone, near - kOffsetMost, near + kOffsetMost);
  for (const OffsetPeriod& period : periods) {
    const TimePoint moment = moment_of(time, period.offset);
    if (moment < period.begin && !planted(Canary::spring_slot_shifted))
      return period.begin;  // in the gap before it
    if (moment < period.end) return moment;
  }
  return moment_of(time, periods.back().offset);
}

std::optional<TimePoint> next_slot(const Cron& cron, const Zone& zone, TimePoint after) {
  // From the earliest that the clocks show about then: what they showed already is left out below.
  const auto periods = periods_between(zone, after, after + kOffsetMost);
  const auto least = std::min_element(periods.begin(), periods.end(), [](const auto& one, const auto& other) {
    return one.offset < other.offset;
  });
  for (auto time = cron.next(local_at(after, least->offset)); time; time = cron.next(*time))
    if (const TimePoint moment = first_moment(zone, *time); moment > after) return moment;
  return std::nullopt;
}

std::optional<TimePoint> previous_slot(const Cron& cron, const Zone& zone, TimePoint before) {
  const auto periods = periods_between(zone, before - kOffsetMost, before);
  const auto most = std::max_element(periods.begin(), periods.end(), [](const auto& one, const auto& other) {
    return one.offset < other.offset;
  });
  const LocalTime from = local_at(before, most->offset) + std::chrono::seconds{1};
  for (auto time = cron.previous(from); time; time = cron.previous(*time))
    if (const TimePoint moment = first_moment(zone, *time); moment < before) return moment;
  return std::nullopt;
}

}  // namespace pawl::core
