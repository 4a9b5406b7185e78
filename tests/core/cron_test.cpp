#include "core/schedule/cron.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

LocalTime at(int year, unsigned month, unsigned day, int hour = 0, int minute = 0, int second = 0) {
  return std::chrono::local_days{std::chrono::year{year} / static_cast<int>(month) / static_cast<int>(day)} +
         std::chrono::hours{hour} + std::chrono::minutes{minute} + std::chrono::seconds{second};
}

Cron cron(const std::string& text) {
  auto parsed = Cron::parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.problem());
  return *parsed;
}

std::vector<LocalTime> first(const std::string& text, LocalTime after, int count) {
  const Cron parsed = cron(text);
  std::vector<LocalTime> times;
  for (auto time = parsed.next(after); time && std::ssize(times) < count; time = parsed.next(*time))
    times.push_back(*time);
  return times;
}

std::string refusal(const std::string& text) {
  const auto parsed = Cron::parse(text);
  EXPECT_FALSE(parsed.ok()) << text;
  return parsed.ok() ? "" : parsed.problem();
}

using Times = std::vector<LocalTime>;

TEST(Cron, MatchesMinutesHoursAndDays) {
  EXPECT_EQ(first("30 9 * * MON-FRI", at(2026, 1, 2, 12), 2),
            (Times{at(2026, 1, 5, 9, 30), at(2026, 1, 6, 9, 30)}));
  EXPECT_EQ(first("*/20 0 1 1 *", at(2026, 1, 1, 0, 10), 3),
            (Times{at(2026, 1, 1, 0, 20), at(2026, 1, 1, 0, 40), at(2027, 1, 1)}));
  EXPECT_EQ(first("5/25 3 * * *", at(2026, 1, 1), 3),
            (Times{at(2026, 1, 1, 3, 5), at(2026, 1, 1, 3, 30), at(2026, 1, 1, 3, 55)}));
  EXPECT_EQ(first("0 0 29 feb *", at(2026, 1, 1), 2), (Times{at(2028, 2, 29), at(2032, 2, 29)}));
}

TEST(Cron, AcceptsSecondsAsASixthField) {
  EXPECT_EQ(first("*/30 59 23 31 12 *", at(2026, 1, 1), 3),
            (Times{at(2026, 12, 31, 23, 59, 0), at(2026, 12, 31, 23, 59, 30), at(2027, 12, 31, 23, 59, 0)}));
}

TEST(Cron, MatchesEitherDayIfBothAreGiven) {
  EXPECT_EQ(first("0 0 13 * FRI", at(2026, 2, 1), 3),
            (Times{at(2026, 2, 6), at(2026, 2, 13), at(2026, 2, 20)}));
  EXPECT_EQ(first("0 0 13 * ?", at(2026, 2, 1), 1), (Times{at(2026, 2, 13)}));
}

TEST(Cron, SupportsLastDays) {
  EXPECT_EQ(first("0 0 L * *", at(2028, 1, 31), 2), (Times{at(2028, 2, 29), at(2028, 3, 31)}));
  EXPECT_EQ(first("0 0 L-2 * *", at(2026, 2, 1), 1), (Times{at(2026, 2, 26)}));
  EXPECT_EQ(first("0 0 * * 5L", at(2026, 1, 1), 2), (Times{at(2026, 1, 30), at(2026, 2, 27)}));
  EXPECT_EQ(first("0 0 LW * *", at(2026, 1, 1), 2), (Times{at(2026, 1, 30), at(2026, 2, 27)}));
}

TEST(Cron, SupportsTheNearestWeekdayOfTheSameMonth) {
  EXPECT_EQ(first("0 0 15W * *", at(2026, 2, 1), 1), (Times{at(2026, 2, 16)}));  // the 15th is a Sunday
  EXPECT_EQ(first("0 0 15W * *", at(2026, 8, 1), 1), (Times{at(2026, 8, 14)}));  // the 15th is a Saturday
  EXPECT_EQ(first("0 0 1W * *", at(2026, 7, 31), 1), (Times{at(2026, 8, 3)}));   // not in July
  EXPECT_EQ(first("0 0 31W * *", at(2026, 5, 1), 1), (Times{at(2026, 5, 29)}));  // not in June
}

TEST(Cron, SupportsTheNthDayOfTheWeek) {
  EXPECT_EQ(first("0 0 * * MON#2", at(2026, 1, 1), 2), (Times{at(2026, 1, 12), at(2026, 2, 9)}));
  // Only a February whose 29th is a Monday has five Mondays; there is none in 2100, which is no leap year.
  EXPECT_EQ(first("0 0 * 2 MON#5", at(2080, 1, 1), 1), (Times{at(2112, 2, 29)}));
}

TEST(Cron, AcceptsSundayAsZeroAndSeven) {
  EXPECT_EQ(first("0 0 * * 7", at(2026, 1, 1), 1), first("0 0 * * 0", at(2026, 1, 1), 1));
  EXPECT_EQ(first("0 0 * * 6-7", at(2026, 1, 1), 2), (Times{at(2026, 1, 3), at(2026, 1, 4)}));
}

TEST(Cron, SupportsShorthandsLikeDaily) {
  EXPECT_EQ(first("@hourly", at(2026, 1, 1, 0, 30), 1), (Times{at(2026, 1, 1, 1)}));
  EXPECT_EQ(first("@Daily", at(2026, 1, 1, 0, 30), 1), (Times{at(2026, 1, 2)}));
  EXPECT_EQ(first("@weekly", at(2026, 1, 1), 1), (Times{at(2026, 1, 4)}));
  EXPECT_EQ(first("@monthly", at(2026, 1, 1), 1), (Times{at(2026, 2, 1)}));
  EXPECT_EQ(first("@yearly", at(2026, 1, 1), 1), (Times{at(2027, 1, 1)}));
}

TEST(Cron, FindsThePreviousTimeAsTheInverseOfTheNext) {
  for (const char* text :
       {"*/7 * * * *", "30 2 L * *", "0 0 15W 3,9 *", "0 12 * * FRI#1,MONL", "1-59/13 1 2 3 4 *"}) {
    const Cron parsed = cron(text);
    LocalTime time = at(2026, 1, 1, 0, 0, 1);
    for (int i = 0; i < 200; ++i) {
      const auto next = parsed.next(time);
      ASSERT_TRUE(next) << text;
      EXPECT_TRUE(parsed.match(*next)) << text;
      EXPECT_EQ(parsed.previous(*next + 1s), next) << text;
      time = *next;
    }
  }
}

TEST(Cron, RejectsWithTheFieldAndItsRange) {
  EXPECT_EQ(refusal("60 * * * *"), "the minute \"60\" is not 0 to 59");
  EXPECT_EQ(refusal("0 22-2 * * *"), "the hour \"22-2\" is a range whose end is before its start");
  EXPECT_EQ(refusal("0 0 * FOO *"), "the month \"FOO\" is not 1 to 12 or JAN to DEC");
  EXPECT_EQ(refusal("0 0 * * MON#6"), "the day of the week \"MON#6\" must end in #1 to #5");
  EXPECT_EQ(refusal("0 0 * * L"), "the day of the week \"L\" needs a day before it: 5L is the last Friday");
  EXPECT_EQ(refusal("0 0 L-31 * *"), "the day of the month \"L-31\" is not L-1 to L-30");
  EXPECT_EQ(refusal("*/0 * * * *"), "the minute \"*/0\" has a step that is not 1 to 59");
  for (const char* text : {"", "* * *", "* * * * * * *", "@dayly", "0 0 1,,2 * *", "0 0 1- * *", "-1 * * * *",
                           "0x5 * * * *", "0 0 0 * *", "0 0 32 * *", "0 0 * 13 *", "0 0 * * 8", "0 24 * * *"})
    EXPECT_NE(refusal(text), "") << text;
}

TEST(Cron, RejectsDatesThatNeverOccur) {
  for (const char* text : {"0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 30W 2 *"})
    EXPECT_EQ(refusal(text), "matches no date that ever occurs") << text;
}

}  // namespace
}  // namespace pawl::core
