#include "core/schedule/slots.hpp"

#include <algorithm>

#include "core/base/canary.hpp"
#include "core/base/enum_names.hpp"

namespace pawl::core {

namespace {

using std::chrono::seconds;

constexpr std::array<std::string_view, kDstGapCount> kGapNames{"shift", "skip"};
constexpr std::array<std::string_view, kDstFoldCount> kFoldNames{"first", "last", "both"};

// Local and universal time never differ by more, and no change of the clocks is larger.
constexpr std::chrono::hours kOffsetMost{26};
// A search ends after this many periods: an expression may name only times that every gap omits.
constexpr int kPeriodsMost = 1'000;

// Periods begin and end at whole seconds.
bool has_one_before(const OffsetPeriod& period) { return period.begin > kTimeMin; }
bool has_one_after(const OffsetPeriod& period) { return period.end < std::chrono::floor<seconds>(kTimeMax); }

// The first local second that is not before `time`.
LocalTime local_at(TimePoint time, seconds offset) {
  return LocalTime{std::chrono::ceil<seconds>(time).time_since_epoch() + offset};
}
TimePoint moment_of(LocalTime time, seconds offset) { return TimePoint{time.time_since_epoch() - offset}; }

// The latest local time that the clocks showed before a period, exclusive; its begin if there was no earlier
// period.
LocalTime shown_before(const Zone& zone, const OffsetPeriod& period) {
  LocalTime latest = LocalTime::min();
  OffsetPeriod before = period;
  while (has_one_before(before) && period.begin - before.begin < kOffsetMost) {
    before = zone.period_at(before.begin - Duration{1});
    latest = std::max(latest, local_at(before.end, before.offset));
  }
  return latest == LocalTime::min() ? local_at(period.begin, period.offset) : latest;
}

// The earliest local time that the clocks show after a period; its end if there is no later period.
LocalTime shown_after(const Zone& zone, const OffsetPeriod& period) {
  LocalTime earliest = LocalTime::max();
  OffsetPeriod after = period;
  while (has_one_after(after) && after.end - period.end < kOffsetMost) {
    after = zone.period_at(after.end);
    earliest = std::min(earliest, local_at(after.begin, after.offset));
  }
  return earliest == LocalTime::max() ? local_at(period.end, period.offset) : earliest;
}

// The local times that fire during one offset period.
struct Window {
  LocalTime begin = {};     // the local time at the begin of the period
  LocalTime gap_from = {};  // omitted times from here to `begin` fire at the begin
  LocalTime from = {};
  LocalTime until = {};  // exclusive
};

Window window_of(const Zone& zone, const OffsetPeriod& period, Dst dst) {
  const LocalTime begin = local_at(period.begin, period.offset);
  const LocalTime end = local_at(period.end, period.offset);
  const LocalTime before = shown_before(zone, period);
  Window window{.begin = begin, .gap_from = begin, .from = begin, .until = end};
  if (dst.gap == DstGap::shift && !planted(Canary::spring_slot_shifted))
    window.gap_from = std::min(begin, before);
  if (dst.fold == DstFold::first) window.from = std::max(begin, before);
  if (dst.fold == DstFold::last) window.until = std::min(end, shown_after(zone, period));
  return window;
}

bool fires_after_gap(const Cron& cron, const Window& window) {
  if (window.gap_from >= window.begin) return false;
  const auto time = cron.next(window.gap_from - seconds{1});
  return time && *time < window.begin;
}

Dst rules_for(const Cron& cron, Dst dst) {
  return cron.is_wildcard() ? Dst{.gap = DstGap::skip, .fold = DstFold::both} : dst;
}

}  // namespace

std::string_view to_string(DstGap gap) { return kGapNames.at(static_cast<std::size_t>(gap)); }
std::optional<DstGap> dst_gap_from(std::string_view name) { return enum_from<DstGap>(kGapNames, name); }
std::string_view to_string(DstFold fold) { return kFoldNames.at(static_cast<std::size_t>(fold)); }
std::optional<DstFold> dst_fold_from(std::string_view name) { return enum_from<DstFold>(kFoldNames, name); }

std::optional<TimePoint> next_slot(const Cron& cron, const Zone& zone, Dst dst, TimePoint after) {
  dst = rules_for(cron, dst);
  TimePoint from = after + Duration{1};
  for (int i = 0; i < kPeriodsMost; ++i) {
    const OffsetPeriod period = zone.period_at(from);
    const Window window = window_of(zone, period, dst);
    if (from <= period.begin && fires_after_gap(cron, window)) return period.begin;
    const auto time = cron.next(std::max(window.from, local_at(from, period.offset)) - seconds{1});
    if (time && *time < window.until) return moment_of(*time, period.offset);
    if (!time || !has_one_after(period)) return std::nullopt;
    from = period.end;
  }
  return std::nullopt;
}

std::optional<TimePoint> previous_slot(const Cron& cron, const Zone& zone, Dst dst, TimePoint before) {
  dst = rules_for(cron, dst);
  TimePoint until = before;
  for (int i = 0; i < kPeriodsMost; ++i) {
    const OffsetPeriod period = zone.period_at(until - Duration{1});
    const Window window = window_of(zone, period, dst);
    const auto time = cron.previous(std::min(window.until, local_at(until, period.offset)));
    if (time && *time >= window.from) return moment_of(*time, period.offset);
    if (fires_after_gap(cron, window)) return period.begin;
    if (!time || !has_one_before(period)) return std::nullopt;
    until = period.begin;
  }
  return std::nullopt;
}

}  // namespace pawl::core
