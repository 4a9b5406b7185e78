// Rate limits, and changes of a queue's settings.

#include "core/queue/queue.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

struct Rates : ::testing::Test {
  testing::ManualClock clock;
  TimePoint spent;

  std::int64_t take(const Rate& rate, std::int64_t wanted) {
    const RateGrant grant = rate_allows(rate, spent, wanted, clock.now());
    spent = grant.spent_until;
    return grant.granted;
  }
};

TEST_F(Rates, AllowABurstAndThenTheRate) {
  const Rate rate{.limit = 10, .per = 1s};
  EXPECT_EQ(take(rate, 100), 10);
  EXPECT_EQ(take(rate, 1), 0);
  clock.advance(100ms);
  EXPECT_EQ(take(rate, 100), 1);
  clock.advance(500ms);
  EXPECT_EQ(take(rate, 3), 3);
  EXPECT_EQ(take(rate, 100), 2);
  clock.advance(1h);
  EXPECT_EQ(take(rate, 100), 10) << "what was not used is not saved up beyond one burst";
}

TEST_F(Rates, KeepTheirStateWhenTheyGrantNothing) {
  const Rate rate{.limit = 1, .per = 1h};
  EXPECT_EQ(take(rate, 1), 1);
  const TimePoint before = spent;
  EXPECT_EQ(take(rate, 5), 0);
  EXPECT_EQ(spent, before);
  EXPECT_EQ(take(rate, 0), 0);
}

TEST_F(Rates, GrantNothingForANegativeRequest) {
  EXPECT_EQ(take({.limit = 5, .per = 1s}, -3), 0);
  EXPECT_EQ(spent, TimePoint{});
}

TEST_F(Rates, AreNeverExceededInAnyWindow) {
  testing::SeededRandom random{17};
  for (int round = 0; round < 200; ++round) {
    const Rate rate{.limit = 1 + static_cast<std::int64_t>(random.below(50)),
                    .per = Duration{1'000 + static_cast<std::int64_t>(random.below(5'000'000))}};
    spent = {};
    std::vector<TimePoint> claims;
    for (int i = 0; i < 60; ++i) {
      clock.advance(Duration{
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rate.per.count()) / 4))});
      const auto granted = take(rate, static_cast<std::int64_t>(random.below(20)));
      claims.insert(claims.end(), static_cast<std::size_t>(granted), clock.now());
    }
    const double a_micro = static_cast<double>(rate.limit) / static_cast<double>(rate.per.count());
    for (std::size_t from = 0; from < claims.size(); ++from) {
      for (std::size_t to = from; to < claims.size(); ++to) {
        const auto window = static_cast<double>((claims[to] - claims[from]).count());
        ASSERT_LE(static_cast<double>(to - from + 1),
                  static_cast<double>(rate.limit) + a_micro * window + 1e-6)
            << "round " << round;
      }
    }
  }
}

TEST_F(Rates, SurviveAClockThatStepsBack) {
  const Rate rate{.limit = 2, .per = 1s};
  EXPECT_EQ(take(rate, 2), 2);
  clock.step_wall(-1h);
  EXPECT_EQ(take(rate, 2), 0);
}

TEST_F(Rates, FasterThanOnePerMicrosecondWork) {
  const Rate rate{.limit = 1'000'000, .per = 1ms};
  EXPECT_GT(take(rate, 100), 0);
}

TEST(APatch, KeepsAbsentFieldsAndClearsNullFields) {
  QueueSettings settings;
  settings = patched(settings, {.paused = true, .max_concurrency = {{5}}});
  settings = patched(settings, {.type_concurrency = {{{{"a", 2}}}}, .rate = {{Rate{.limit = 3}}}});
  EXPECT_TRUE(settings.paused);
  EXPECT_EQ(settings.max_concurrency, 5);
  EXPECT_EQ(settings.type_concurrency.at("a"), 2);
  EXPECT_EQ(settings.rate->limit, 3);
  EXPECT_TRUE(settings.has_limits());

  QueuePatch clears;
  clears.max_concurrency.emplace(std::nullopt);
  clears.type_concurrency.emplace(std::nullopt);
  clears.rate.emplace(std::nullopt);
  settings = patched(settings, clears);
  EXPECT_TRUE(settings.paused);
  EXPECT_EQ(settings.max_concurrency, std::nullopt);
  EXPECT_TRUE(settings.type_concurrency.empty());
  EXPECT_EQ(settings.rate, std::nullopt);
  EXPECT_FALSE(settings.has_limits());
}

TEST(APatch, OfTheRateRefillsItsBucket) {
  QueueSettings settings{.rate = Rate{}, .rate_spent_until = time_from_micros(77)};
  EXPECT_EQ(patched(settings, {.paused = true}).rate_spent_until, time_from_micros(77));
  EXPECT_EQ(patched(settings, {.rate = {{Rate{.limit = 9}}}}).rate_spent_until, TimePoint{});
}

TEST(APatch, ReplacesAllTypeLimits) {
  const QueueSettings settings{.type_concurrency = {{"a", 1}, {"b", 2}}};
  const QueueSettings after = patched(settings, {.type_concurrency = {{{{"c", 3}}}}});
  EXPECT_EQ(after.type_concurrency, (std::map<std::string, std::int64_t>{{"c", 3}}));
}

TEST(Counts, AddUp) {
  QueueCounts counts{.pending = 1, .running = 2};
  counts +=
      QueueCounts{.pending = -1, .scheduled = 3, .blocked = 4, .claimed = 5, .running = -2, .dead_letter = 6};
  EXPECT_EQ(counts, (QueueCounts{.scheduled = 3, .blocked = 4, .claimed = 5, .dead_letter = 6}));
  EXPECT_FALSE(counts.is_zero());
  EXPECT_TRUE(QueueCounts{}.is_zero());
}

}  // namespace
}  // namespace pawl::core
