#include "core/schedule/zone_rule.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

TimePoint at(const std::string& text) { return *parse_time(text); }

// The offset at a time, and until when it lasts: "2038-03-28T01:00:00.000000Z +60".
std::string period(const std::string& rule, const std::string& time) {
  const auto parsed = ZoneRule::parse(rule);
  if (!parsed) return "refused";
  const OffsetPeriod period = parsed->period_at(at(time));
  EXPECT_LE(period.begin, at(time));
  EXPECT_GT(period.end, at(time));
  const auto minutes = period.offset / 1min;
  return format_time(period.end).substr(0, 16) + (minutes < 0 ? " " : " +") + std::to_string(minutes);
}

std::string file_with(const std::string& footer) {
  return std::string{"TZif2"} + std::string(39, '\0') + "data\n\0" + "\n" + footer + "\n";
}

TEST(ZoneRule, ChangesTheClocksOnTheSameDaysOfEachYear) {
  constexpr auto kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";
  EXPECT_EQ(period(kBerlin, "2038-01-01T00:00:00Z"), "2038-03-28T01:00 +60");
  EXPECT_EQ(period(kBerlin, "2038-03-28T00:59:59Z"), "2038-03-28T01:00 +60");
  EXPECT_EQ(period(kBerlin, "2038-03-28T01:00:00Z"), "2038-10-31T01:00 +120");
  EXPECT_EQ(period(kBerlin, "2100-12-31T23:59:59Z"), "2101-03-27T01:00 +60");
  EXPECT_EQ(period("EST5EDT,M3.2.0,M11.1.0", "2050-07-01T00:00:00Z"), "2050-11-06T06:00 -240");
  EXPECT_EQ(period("EST5EDT4,M3.2.0/2:00:00,M11.1.0/2", "2050-07-01T00:00:00Z"), "2050-11-06T06:00 -240");
}

TEST(ZoneRule, MayHaveItsSummerAtTheTurnOfTheYear) {
  constexpr auto kLordHowe = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0";
  EXPECT_EQ(period(kLordHowe, "2050-01-01T00:00:00Z"), "2050-04-02T15:00 +660");
  EXPECT_EQ(period(kLordHowe, "2050-04-02T15:00:00Z"), "2050-10-01T15:30 +630");
}

TEST(ZoneRule, MayChangeTheClocksOnAnotherDayThanItNames) {
  EXPECT_EQ(period("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2038-01-01T00:00:00Z"), "2038-03-28T01:00 -120");
  EXPECT_EQ(period("EET-2EEST,M3.4.4/50,M10.4.4/50", "2038-01-01T00:00:00Z"), "2038-03-27T00:00 +120");
  EXPECT_EQ(period("AAA0BBB,0/-167,J365/167", "2038-12-31T00:00:00Z"), "2039-01-06T22:00 +60");
}

TEST(ZoneRule, CountsFebruary29OnlyInOneWayOfNamingADay) {
  EXPECT_EQ(period("AAA0BBB,J60/0,J300", "2040-01-01T00:00:00Z"), "2040-03-01T00:00 +0");
  EXPECT_EQ(period("AAA0BBB,J60/0,J300", "2041-01-01T00:00:00Z"), "2041-03-01T00:00 +0");
  EXPECT_EQ(period("AAA0BBB,59/0,300", "2040-01-01T00:00:00Z"), "2040-02-29T00:00 +0");
  EXPECT_EQ(period("AAA0BBB,59/0,300", "2041-01-01T00:00:00Z"), "2041-03-01T00:00 +0");
}

TEST(ZoneRule, WithoutDaylightSavingTimeNeverEnds) {
  EXPECT_EQ(period("<+0330>-3:30", "2038-01-01T00:00:00Z"), "9999-12-31T23:59 +210");
  EXPECT_EQ(period("<+01>-1", "0000-01-01T00:00:00Z"), "9999-12-31T23:59 +60");
}

TEST(ZoneRule, MayKeepDaylightSavingTimeAllYear) {
  for (const auto* time : {"2038-01-01T04:59:59Z", "2038-01-01T05:00:00Z", "2038-07-01T00:00:00Z"})
    EXPECT_EQ(period("XXX3EDT4,0/0,J365/23", time).substr(16), " -240") << time;
}

TEST(ZoneRule, HasPeriodsThatFollowEachOther) {
  for (const auto* rule :
       {"CET-1CEST,M3.5.0,M10.5.0/3", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "XXX3EDT4,0/0,J365/23",
        "AAA24BBB-24,365/167,0/-167", "AAA0BBB,J1,J1", "AAA0BBB,M1.1.0/-167,M12.5.6/167"}) {
    const ZoneRule parsed = ZoneRule::parse(rule).value();
    TimePoint time = at("2037-06-01T00:00:00Z");
    for (int i = 0; i < 100; ++i) {
      const OffsetPeriod one = parsed.period_at(time);
      ASSERT_LT(one.begin, one.end) << rule;
      const OffsetPeriod next = parsed.period_at(one.end);
      ASSERT_EQ(next.begin, one.end) << rule;
      const OffsetPeriod same = parsed.period_at(next.begin - Duration{1});
      ASSERT_EQ(same.begin, one.begin) << rule;
      ASSERT_EQ(same.offset, one.offset) << rule;
      time = one.end;
    }
  }
}

TEST(ZoneRule, IsBoundedToTheTimesOfPawl) {
  const ZoneRule rule = ZoneRule::parse("CET-1CEST,M3.5.0,M10.5.0/3").value();
  EXPECT_EQ(rule.period_at(kTimeMin).begin, kTimeMin);
  EXPECT_EQ(rule.period_at(kTimeMax).end, std::chrono::floor<std::chrono::seconds>(kTimeMax));
  EXPECT_EQ(rule.period_at(TimePoint::max()).offset, 1h);
  EXPECT_EQ(rule.period_at(TimePoint::min()).offset, 1h);
}

TEST(ZoneRule, RejectsAnInvalidRule) {
  for (const std::string text : {"",
                                 "UT",
                                 "UTC",
                                 "UTC0 ",
                                 "<UTC0",
                                 "<+0>0",
                                 "1UTC0",
                                 "UTC25",
                                 "UTC0:60",
                                 "UTC0:00:60",
                                 "UTC1000",
                                 "UTC--1",
                                 "CET-1CEST",
                                 "CET-1CEST,",
                                 "CET-1CEST,M3.5.0",
                                 "CET-1CEST,M3.5.0,",
                                 "CET-1CEST,M13.5.0,M10.5.0",
                                 "CET-1CEST,M0.5.0,M10.5.0",
                                 "CET-1CEST,M3.6.0,M10.5.0",
                                 "CET-1CEST,M3.0.0,M10.5.0",
                                 "CET-1CEST,M3.5.7,M10.5.0",
                                 "CET-1CEST,M3.5.0/168,M10.5.0",
                                 "CET-1CEST,M3.5.0/,M10.5.0",
                                 "CET-1CEST,J0,J2",
                                 "CET-1CEST,J366,J2",
                                 "CET-1CEST,366,2",
                                 "CET-1CEST,M3.5.0,M10.5.0/3x",
                                 "CET-1CEST,M3.5.0,M10.5.0,M3.5.0"})
    EXPECT_FALSE(ZoneRule::parse(text)) << text;
  EXPECT_FALSE(ZoneRule::parse("<" + std::string(300, 'A') + ">0"));
}

TEST(ZoneRule, IsTheLastLineOfAFile) {
  ASSERT_TRUE(ZoneRule::of_file(file_with("EST5EDT,M3.2.0,M11.1.0")));
  EXPECT_EQ(ZoneRule::of_file(file_with("JST-9"))->period_at(at("2038-01-01T00:00:00Z")).offset, 9h);
}

TEST(ZoneRule, IsMissingInADamagedFile) {
  const std::string whole = file_with("EST5EDT,M3.2.0,M11.1.0");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(ZoneRule::of_file(whole.substr(0, size))) << size;
  EXPECT_FALSE(ZoneRule::of_file(file_with("")));
  EXPECT_FALSE(ZoneRule::of_file(file_with("EST5EDT,M3.2.0,M11.1")));
  std::string first_version = whole;
  first_version[4] = '\0';
  EXPECT_FALSE(ZoneRule::of_file(first_version));
}

}  // namespace
}  // namespace pawl::core
