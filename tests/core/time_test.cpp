// Times and durations in the formats of the API.

#include "core/base/time.hpp"

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

TEST(Times, AreWrittenInUtcWithMicroseconds) {
  EXPECT_EQ(format_time(time_from_micros(1'769'680'800'000'000)), "2026-01-29T10:00:00.000000Z");
  EXPECT_EQ(format_time(time_from_micros(0)), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(format_time(time_from_micros(-1)), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(format_time(time_from_micros(951'782'400'000'007)), "2000-02-29T00:00:00.000007Z");
}

TEST(Times, AreParsedInEverySpellingOfRfc3339) {
  const auto ten = time_from_micros(1'769'680'800'000'000);
  EXPECT_EQ(parse_time("2026-01-29T10:00:00.000000Z"), ten);
  EXPECT_EQ(parse_time("2026-01-29T10:00:00Z"), ten);
  EXPECT_EQ(parse_time("2026-01-29t10:00:00z"), ten);
  EXPECT_EQ(parse_time("2026-01-29T12:00:00+02:00"), ten);
  EXPECT_EQ(parse_time("2026-01-29T04:30:00-05:30"), ten);
  EXPECT_EQ(parse_time("2026-01-29T10:00:00.5Z"), ten + 500ms);
  EXPECT_EQ(parse_time("2026-01-29T10:00:00.123456789Z"), ten + 123456us) << "what is finer is cut";
  EXPECT_EQ(parse_time("2024-02-29T00:00:00Z"), time_from_micros(1'709'164'800'000'000));
  EXPECT_TRUE(parse_time("9999-12-31T23:59:59.999999Z"));
  EXPECT_TRUE(parse_time("0001-01-01T00:00:00Z"));
}

TEST(Times, AreRejectedIfInvalid) {
  for (const char* text : {"",
                           "now",
                           "2026-01-29",
                           "2026-01-29T10:00:00",
                           "2026-01-29 10:00:00Z",
                           "2026-1-29T10:00:00Z",
                           "2026-02-29T10:00:00Z",
                           "2026-13-01T10:00:00Z",
                           "2026-00-01T10:00:00Z",
                           "2026-01-00T10:00:00Z",
                           "2026-04-31T10:00:00Z",
                           "2026-01-29T24:00:00Z",
                           "2026-01-29T10:60:00Z",
                           "2026-01-29T10:00:60Z",
                           "2026-01-29T10:00:00.Z",
                           "2026-01-29T10:00:00,5Z",
                           "2026-01-29T10:00:00ZZ",
                           "2026-01-29T10:00:00+0200",
                           "2026-01-29T10:00:00+24:00",
                           "2026-01-29T10:00:00+02:60",
                           "2026-01-29T10:00:00 Z",
                           "2026/01/29T10:00:00Z",
                           "2026-01-29T10-00-00Z",
                           "+026-01-29T10:00:00Z",
                           "20260129T100000Z",
                           "2026-01-29T10:00Z",
                           "2026-01-29T10:00:0"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_time(std::string_view{"2026-01-29T10:00:00Z\0", 21}), std::nullopt);
}

TEST(Times, RoundTripThroughText) {
  testing::SeededRandom random{11};
  for (int i = 0; i < 10'000; ++i) {
    const auto time = time_from_micros(static_cast<std::int64_t>(random.below(250'000'000'000'000'000)));
    ASSERT_EQ(parse_time(format_time(time)), time) << format_time(time);
  }
}

TEST(Durations, AreWrittenInTheirShortestExactForm) {
  EXPECT_EQ(format_duration(0us), "0s");
  EXPECT_EQ(format_duration(1500ms), "1500ms");
  EXPECT_EQ(format_duration(30s), "30s");
  EXPECT_EQ(format_duration(60s), "60s");
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(24h), "1d");
  EXPECT_EQ(format_duration(25h), "25h");
  EXPECT_EQ(format_duration(7 * 24h), "7d");
  EXPECT_EQ(format_duration(1us), "0.001ms");
  EXPECT_EQ(format_duration(1234567us), "1234.567ms");
}

TEST(Durations, AreParsedInEveryUnit) {
  EXPECT_EQ(parse_duration("1500ms"), 1500ms);
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("5m"), 5min);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("7d"), 168h);
  EXPECT_EQ(parse_duration("0s"), 0s);
  EXPECT_EQ(parse_duration("007s"), 7s);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("0.25ms"), 250us);
  EXPECT_EQ(parse_duration("36500d"), kDurationMax);
}

TEST(Durations, AreRejectedIfInvalid) {
  for (const char* text :
       {"",    "s",      "ms",   "5",    "-5s",  "+5s",   " 5s",    "5s ",
        "5 s", "5S",     "5sec", "5us",  "5w",   "1e3s",  "0x5s",   ".5s",
        "5.s", "1.2.3s", "1,5s", "infs", "nans", "5m30s", "36501d", "99999999999999999999999999999999999999s",
        "1d1h"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_duration(std::string_view{"5\0s", 3}), std::nullopt);
  EXPECT_EQ(parse_duration("5µs"), std::nullopt);
  EXPECT_EQ(parse_duration(std::string(5'000, '9') + "s"), std::nullopt);
}

TEST(Durations, RoundTripThroughText) {
  testing::SeededRandom random{12};
  for (int i = 0; i < 10'000; ++i) {
    const auto bound = std::uint64_t{1} << (1 + random.below(51));
    const Duration duration{static_cast<std::int64_t>(random.below(bound))};
    ASSERT_EQ(parse_duration(format_duration(duration)), duration) << format_duration(duration);
  }
}

}  // namespace
}  // namespace pawl::core
