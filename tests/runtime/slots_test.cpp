// Slots in real time zones, compared minute by minute with the local time of the C library, an independent
// implementation of the same rules.
#include "core/schedule/slots.hpp"

#include <array>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/zones.hpp"
#include "tests/support/env.hpp"

namespace pawl::runtime {
namespace {

using namespace std::chrono_literals;
using core::LocalTime;
using core::TimePoint;

TimePoint at(const std::string& text) { return *core::parse_time(text); }

std::vector<std::string> slots(const std::string& cron, const std::string& zone, const std::string& after,
                               int count, core::Dst dst = {}) {
  const auto found = find_zone(zone);
  std::vector<std::string> out;
  std::optional<TimePoint> time = at(after);
  while (std::ssize(out) < count && (time = core::next_slot(*core::Cron::parse(cron), *found, dst, *time))) {
    const std::string text = core::format_time(*time);
    out.push_back(text.substr(0, text.size() - std::string_view{":00.000000Z"}.size()));
  }
  return out;
}

using Times = std::vector<std::string>;

TEST(Slots, SkippedInSpringFireOnceAfterTheGap) {
  EXPECT_EQ(slots("30 2 * * *", "Europe/Berlin", "2026-03-28T02:00:00Z", 2),
            (Times{"2026-03-29T01:00", "2026-03-30T00:30"}));
  EXPECT_EQ(slots("10,50 2 * * *", "Europe/Berlin", "2026-03-28T02:00:00Z", 2),
            (Times{"2026-03-29T01:00", "2026-03-30T00:10"}));
}

TEST(Slots, RepeatedInAutumnFireTheFirstTime) {
  EXPECT_EQ(slots("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2),
            (Times{"2026-10-25T00:30", "2026-10-26T01:30"}));
}

// Like Vixie cron: the hourly job runs in each elapsed hour, and no job runs twice for a gap.
TEST(Slots, OfAWildcardFollowElapsedTimeAcrossChanges) {
  EXPECT_EQ(slots("0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", 4),
            (Times{"2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00", "2026-10-25T03:00"}));
  EXPECT_EQ(slots("*/30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 5),
            (Times{"2026-10-25T00:00", "2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30",
                   "2026-10-26T01:00"}));
  EXPECT_EQ(slots("15 * * * *", "Europe/Berlin", "2026-03-28T23:30:00Z", 3),
            (Times{"2026-03-29T00:15", "2026-03-29T01:15", "2026-03-29T02:15"}));
  EXPECT_EQ(slots("*/30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 1), (Times{"2026-03-30T00:00"}));
  EXPECT_EQ(slots("30 */2 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 1), (Times{"2026-03-29T02:30"}));
}

TEST(Slots, OfAListOfAllHoursEqualThoseOfAWildcard) {
  EXPECT_EQ(slots("30 0-23 * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", 3),
            (Times{"2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"}));
}

TEST(Slots, OfAWildcardDoNotDependOnTheRulesForFixedTimes) {
  const core::Dst dst{.gap = core::DstGap::shift, .fold = core::DstFold::last};
  EXPECT_EQ(slots("0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", 3, dst),
            (Times{"2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00"}));
}

TEST(Slots, OfFixedTimesFollowTheDstRulesOfTheirSchedule) {
  using core::DstFold;
  using core::DstGap;
  EXPECT_EQ(slots("30 2 * * *", "Europe/Berlin", "2026-03-28T02:00:00Z", 1, {.gap = DstGap::skip}),
            (Times{"2026-03-30T00:30"}));
  EXPECT_EQ(slots("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2, {.fold = DstFold::last}),
            (Times{"2026-10-25T01:30", "2026-10-26T01:30"}));
  EXPECT_EQ(slots("10,40 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 5, {.fold = DstFold::both}),
            (Times{"2026-10-25T00:10", "2026-10-25T00:40", "2026-10-25T01:10", "2026-10-25T01:40",
                   "2026-10-26T01:10"}));
}

TEST(Slots, FollowAHalfHourChange) {
  EXPECT_EQ(slots("*/15 * * * *", "Australia/Lord_Howe", "2026-04-04T14:40:00Z", 4),
            (Times{"2026-04-04T14:45", "2026-04-04T15:00", "2026-04-04T15:15", "2026-04-04T15:30"}));
  EXPECT_EQ(slots("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00Z", 2),
            (Times{"2026-04-04T14:45", "2026-04-05T15:15"}));
  EXPECT_EQ(slots("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", 1),
            (Times{"2026-10-03T15:30"}));
}

// Tehran has not changed its UTC offset since 2022.
TEST(Slots, OfAZoneWithoutFurtherChangesAreConstant) {
  EXPECT_EQ(slots("30 2 * * *", "Asia/Tehran", "2026-03-28T02:00:00Z", 1, {.fold = core::DstFold::last}),
            (Times{"2026-03-28T23:00"}));
}

TEST(Slots, InsideEveryGapAreSearchedInBoundedTime) {
  const auto times = slots("*/30 2 * 3 SUNL", "Europe/Berlin", "2026-01-01T00:00:00Z", 1);
  EXPECT_TRUE(times.empty() || times[0] > "2037");
}

TEST(Slots, OfAnUnknownZoneDoNotExist) {
  EXPECT_EQ(find_zone("Europe/Berlyn"), nullptr);
  EXPECT_EQ(find_zone(""), nullptr);
  EXPECT_EQ(find_zone("../../etc/passwd"), nullptr);
}

// Sets TZ for its lifetime.
class LibraryClock {
 public:
  explicit LibraryClock(const std::string& zone) {
    setenv("TZ", (":" + zone).c_str(), 1);
    tzset();
  }
  LibraryClock(const LibraryClock&) = delete;
  LibraryClock& operator=(const LibraryClock&) = delete;
  ~LibraryClock() {
    unsetenv("TZ");
    tzset();
  }

  [[nodiscard]] LocalTime shown(std::time_t time) const {
    std::tm parts{};
    localtime_r(&time, &parts);
    const auto day = std::chrono::year{parts.tm_year + 1900} / (parts.tm_mon + 1) / parts.tm_mday;
    return LocalTime{std::chrono::local_days{day}} + std::chrono::hours{parts.tm_hour} +
           std::chrono::minutes{parts.tm_min} + std::chrono::seconds{parts.tm_sec};
  }
};

struct Span {
  std::time_t from = 0;
  std::time_t to = 0;
};

// The local time at each minute of a span, and in the 26 hours before and after it.
struct Shown {
  static constexpr std::time_t kAround = 26 * 3600;

  Shown(const LibraryClock& clock, Span span) : first(span.from - kAround) {
    for (std::time_t time = first; time <= span.to + kAround; time += 60)
      minutes.push_back(clock.shown(time));
    highest = minutes;
    lowest = minutes;
    for (std::size_t i = 1; i < minutes.size(); ++i) highest[i] = std::max(highest[i], highest[i - 1]);
    for (std::size_t i = minutes.size() - 1; i > 0; --i) lowest[i - 1] = std::min(lowest[i], lowest[i - 1]);
  }

  std::time_t first;
  std::vector<LocalTime> minutes;
  std::vector<LocalTime> highest;  // the maximum up to and including each minute
  std::vector<LocalTime> lowest;   // the minimum from each minute on
};

bool is_due(const core::Cron& cron, core::Dst dst, const Shown& shown, std::size_t i) {
  const LocalTime now = shown.minutes[i];
  const LocalTime before = shown.highest[i - 1];
  if (cron.is_wildcard()) return cron.match(now);
  if (dst.gap == core::DstGap::shift)
    for (LocalTime left_out = before + 1min; left_out < now; left_out += 1min)
      if (cron.match(left_out)) return true;
  if (!cron.match(now)) return false;
  if (dst.fold == core::DstFold::first) return now > before;
  return dst.fold == core::DstFold::both || now < shown.lowest[i + 1];
}

std::vector<std::time_t> expected(const core::Cron& cron, core::Dst dst, const LibraryClock& clock,
                                  Span span) {
  const Shown shown{clock, span};
  std::vector<std::time_t> fired;
  for (std::time_t time = span.from + 60; time <= span.to; time += 60)
    if (is_due(cron, dst, shown, static_cast<std::size_t>((time - shown.first) / 60))) fired.push_back(time);
  return fired;
}

std::vector<std::time_t> found(const core::Cron& cron, core::Dst dst, const core::Zone& zone, Span span) {
  std::vector<std::time_t> fired;
  const TimePoint end{std::chrono::seconds{span.to}};
  for (auto time = core::next_slot(cron, zone, dst, TimePoint{std::chrono::seconds{span.from}});
       time && *time <= end; time = core::next_slot(cron, zone, dst, *time)) {
    fired.push_back(std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count());
    EXPECT_EQ(core::previous_slot(cron, zone, dst, *time + 1us), time);
  }
  return fired;
}

core::Dst some_rules(testing::SeededRandom& random) {
  return {.gap = static_cast<core::DstGap>(random.next() % core::kDstGapCount),
          .fold = static_cast<core::DstFold>(random.next() % core::kDstFoldCount)};
}

struct Years {
  std::time_t from = 0;
  std::time_t to = 0;
};

// A day around a change of the UTC offset, or a random day of these years.
Span some_day(const core::Zone& zone, Years years, testing::SeededRandom& random) {
  const auto seconds = static_cast<std::uint64_t>(years.to - years.from);
  std::time_t from = years.from + static_cast<std::time_t>(random.next() % seconds);
  const auto period = zone.period_at(TimePoint{std::chrono::seconds{from}});
  const auto change = std::chrono::duration_cast<std::chrono::seconds>(period.end.time_since_epoch()).count();
  if (random.next() % 4 != 0 && change < years.to) from = change - 3 * 3600;
  from -= from % 60;
  return {.from = from, .to = from + 24 * 3600};
}

void compare_with_library(Years years) {
  constexpr std::array kCrons{"*/15 * * * *",          "30 2 * * *",     "0 0 L * *",
                              "15 1-3 * * SUN#2,SUNL", "*/20 0-3 * * *", "0,30 0-4 * * *"};
  testing::SeededRandom random{20'261'115};
  std::int64_t instants = 0;
  int zones = 0;
  for (const std::string& name : zone_names()) {
    const LibraryClock clock{name};
    const auto zone = find_zone(name);
    ASSERT_NE(zone, nullptr) << name;
    ++zones;
    for (const char* text : kCrons) {
      const auto cron = core::Cron::parse(text);
      const Span span = some_day(*zone, years, random);
      const core::Dst dst = some_rules(random);
      EXPECT_EQ(found(*cron, dst, *zone, span), expected(*cron, dst, clock, span))
          << name << ": " << text << " from " << span.from << ", gap " << core::to_string(dst.gap)
          << ", fold " << core::to_string(dst.fold);
      instants += (span.to - span.from) / 60;
    }
  }
  EXPECT_GT(zones, 300);
  EXPECT_GE(instants, 1'000'000);
}

TEST(Slots, AgreeWithTheStandardLibraryInEveryZone) {
  compare_with_library({.from = 946'684'800, .to = 2'106'684'800});  // 2000 to 2036
}

TEST(Slots, AreThoseOfTheLibrarysClockAfterTheLastListedChange) {
  compare_with_library({.from = 2'145'916'800, .to = 4'260'211'200});  // 2038 to 2104
}

}  // namespace
}  // namespace pawl::runtime
