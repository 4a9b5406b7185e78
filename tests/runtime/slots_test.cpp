// Slots in real time zones, against the clock of the C library: another reader of the same rules, asked
// minute by minute what a clock on the wall shows.
#include "core/slots.hpp"

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
                               int count) {
  const auto found = find_zone(zone);
  std::vector<std::string> out;
  std::optional<TimePoint> time = at(after);
  while (std::ssize(out) < count && (time = core::next_slot(*core::Cron::parse(cron), *found, *time)))
    out.push_back(core::format_time(*time));
  return out;
}

using Times = std::vector<std::string>;

TEST(Slots, LeftOutBySpringFireOnceAtTheFirstMomentAfter) {
  EXPECT_EQ(slots("30 2 * * *", "Europe/Berlin", "2026-03-28T02:00:00Z", 2),
            (Times{"2026-03-29T01:00:00.000000Z", "2026-03-30T00:30:00.000000Z"}));
  EXPECT_EQ(slots("*/30 * * * *", "Europe/Berlin", "2026-03-29T00:30:00Z", 2),
            (Times{"2026-03-29T01:00:00.000000Z", "2026-03-29T01:30:00.000000Z"}));
}

TEST(Slots, ThatComeTwiceInAutumnFireTheFirstTime) {
  EXPECT_EQ(slots("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2),
            (Times{"2026-10-25T00:30:00.000000Z", "2026-10-26T01:30:00.000000Z"}));
}

TEST(Slots, OfAZoneThatIsNone) {
  EXPECT_EQ(find_zone("Europe/Berlyn"), nullptr);
  EXPECT_EQ(find_zone(""), nullptr);
  EXPECT_EQ(find_zone("../../etc/passwd"), nullptr);
}

// TZ for as long as it lives.
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

// A minute fires when a clock first shows it or jumps over it: when what it shows is later than ever before.
std::vector<std::time_t> expected(const core::Cron& cron, const LibraryClock& clock, Span span) {
  LocalTime highest = clock.shown(span.from);
  for (std::time_t time = span.from - 26 * 3600; time < span.from; time += 60)
    highest = std::max(highest, clock.shown(time));
  std::vector<std::time_t> fired;
  for (std::time_t time = span.from + 60; time <= span.to; time += 60) {
    const LocalTime now = clock.shown(time);
    bool is_due = false;
    for (LocalTime minute = highest + 1min; minute <= now; minute += 1min)
      is_due = is_due || cron.match(minute);
    if (is_due) fired.push_back(time);
    highest = std::max(highest, now);
  }
  return fired;
}

std::vector<std::time_t> found(const core::Cron& cron, const core::Zone& zone, Span span) {
  std::vector<std::time_t> fired;
  const TimePoint end{std::chrono::seconds{span.to}};
  for (auto time = core::next_slot(cron, zone, TimePoint{std::chrono::seconds{span.from}});
       time && *time <= end; time = core::next_slot(cron, zone, *time)) {
    fired.push_back(std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count());
    EXPECT_EQ(core::previous_slot(cron, zone, *time + 1us), time);
  }
  return fired;
}

// A day about a change of the clocks, or any day of these years.
Span some_day(const core::Zone& zone, testing::SeededRandom& random) {
  constexpr std::time_t kFrom = 946'684'800;  // 2000
  constexpr std::uint64_t kSeconds = 1'160'000'000;
  std::time_t from = kFrom + static_cast<std::time_t>(random.next() % kSeconds);
  const auto period = zone.period_at(TimePoint{std::chrono::seconds{from}});
  const auto change = std::chrono::duration_cast<std::chrono::seconds>(period.end.time_since_epoch()).count();
  if (random.next() % 4 != 0 && change < kFrom + static_cast<std::time_t>(kSeconds)) from = change - 3 * 3600;
  from -= from % 60;
  return {.from = from, .to = from + 24 * 3600};
}

TEST(Slots, AreThoseOfTheLibrarysClockInEveryZone) {
  constexpr std::array kCrons{"*/15 * * * *", "30 2 * * *", "0 0 L * *", "15 1-3 * * SUN#2,SUNL"};
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
      const Span span = some_day(*zone, random);
      EXPECT_EQ(found(*cron, *zone, span), expected(*cron, clock, span))
          << name << ": " << text << " from " << span.from;
      instants += (span.to - span.from) / 60;
    }
  }
  EXPECT_GT(zones, 300);
  EXPECT_GE(instants, 1'000'000);
}

}  // namespace
}  // namespace pawl::runtime
