// The backoff after a failed attempt, and which attempt is the last.

#include "core/task/retry.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

constexpr double kMiddle = 0.5;  // no jitter in either direction
constexpr double kAlmostOne = 0x1.fffffffffffffp-1;

TEST(RetryDelay, GrowsByItsFactorUpToItsCap) {
  const RetryPolicy policy;  // 1s, 2.0, 60s
  EXPECT_EQ(retry_delay(policy, 1, kMiddle), 1s);
  EXPECT_EQ(retry_delay(policy, 2, kMiddle), 2s);
  EXPECT_EQ(retry_delay(policy, 3, kMiddle), 4s);
  EXPECT_EQ(retry_delay(policy, 6, kMiddle), 32s);
  EXPECT_EQ(retry_delay(policy, 7, kMiddle), 60s);
  EXPECT_EQ(retry_delay(policy, 700, kMiddle), 60s);
}

TEST(RetryDelay, IsJitteredInBothDirections) {
  const RetryPolicy policy;
  EXPECT_EQ(retry_delay(policy, 1, 0.0), 800ms);
  EXPECT_GE(retry_delay(policy, 1, kAlmostOne), 1199ms);
  EXPECT_LE(retry_delay(policy, 1, kAlmostOne), 1200ms);
  const RetryPolicy exact{.jitter = 0.0};
  EXPECT_EQ(retry_delay(exact, 1, 0.0), retry_delay(exact, 1, kAlmostOne));
}

TEST(RetryDelay, IsJitteredAtTheCap) {
  const RetryPolicy policy;
  EXPECT_EQ(retry_delay(policy, 50, 0.0), 48s);
  EXPECT_GT(retry_delay(policy, 50, kAlmostOne), 71s);
  testing::SeededRandom random{5};
  std::set<Duration> distinct;
  for (int i = 0; i < 1'000; ++i) distinct.insert(retry_delay(policy, 50, random.unit()));
  EXPECT_GT(distinct.size(), 990U);
}

TEST(RetryDelay, StaysWithinItsBoundsForAnyPolicy) {
  testing::SeededRandom random{6};
  for (int i = 0; i < 20'000; ++i) {
    const RetryPolicy policy{
        .initial_interval = Duration{static_cast<std::int64_t>(random.below(1ULL << random.below(52)))},
        .backoff = 1.0 + random.unit() * (random.chance(0.5) ? 3.0 : 999.0),
        .max_interval = Duration{static_cast<std::int64_t>(random.below(1ULL << random.below(52)))},
        .jitter = random.unit()};
    const int n = 1 + static_cast<int>(random.below(random.chance(0.5) ? 10 : 1'000'000));
    const double cap = static_cast<double>(policy.max_interval.count());
    const double low =
        std::min(static_cast<double>(policy.initial_interval.count()), cap) * (1.0 - policy.jitter);
    const auto delay = static_cast<double>(retry_delay(policy, n, random.unit()).count());
    ASSERT_GE(delay + 1.0, low) << "round " << i;
    ASSERT_LE(delay, cap * (1.0 + policy.jitter)) << "round " << i;
    ASSERT_GE(delay, 0.0);
  }
}

TEST(RetryDelay, DoesNotOverflow) {
  const RetryPolicy policy{
      .initial_interval = kDurationMax, .backoff = 1'000, .max_interval = kDurationMax, .jitter = 1.0};
  EXPECT_LE(retry_delay(policy, 2'000'000'000, kAlmostOne), 2 * kDurationMax);
  EXPECT_EQ(retry_delay(policy, 2'000'000'000, 0.0), 0s);
  const RetryPolicy nothing{.initial_interval = 0s, .backoff = 1'000, .max_interval = 60s};
  EXPECT_EQ(retry_delay(nothing, 1, kMiddle), 0s);
  EXPECT_EQ(retry_delay(nothing, 2'000'000'000, kMiddle), 0s) << "not the cap: 0 times infinity is no number";
}

TEST(Attempts, AreLimitedByMaxAttempts) {
  EXPECT_FALSE(is_used_up({.max_attempts = 4}, 3));
  EXPECT_TRUE(is_used_up({.max_attempts = 4}, 4));
  EXPECT_TRUE(is_used_up({.max_attempts = 1}, 1));
  EXPECT_FALSE(is_used_up({.max_attempts = -1}, 1'000'000));
  EXPECT_FALSE(is_used_up({.max_attempts = -7}, 1'000'000));
}

TEST(NonRetryable, MatchesWholeCodes) {
  const RetryPolicy policy{.non_retryable = {"invalid_card", "gone"}};
  EXPECT_TRUE(is_non_retryable(policy, "invalid_card"));
  EXPECT_TRUE(is_non_retryable(policy, "gone"));
  EXPECT_FALSE(is_non_retryable(policy, "invalid"));
  EXPECT_FALSE(is_non_retryable({}, "gone"));
}

// B55: tasks that fail in the same second are retried at spread times, at every step and at the maximum
// backoff.
TEST(RetryDelay, B55_SpreadsAThunderingHerdAtTheCap) {
  testing::SeededRandom random{55};
  const RetryPolicy policy;
  constexpr int kTasks = 100'000;
  for (const int n : {4, 7, 50}) {
    std::array<int, 100> seconds{};
    for (int i = 0; i < kTasks; ++i) {
      const Duration at = retry_delay(policy, n, random.unit()) +
                          Duration{static_cast<std::int64_t>(random.below(1'000'000))};
      ++seconds.at(static_cast<std::size_t>(at / 1s));
    }
    const double window =
        2 * policy.jitter * static_cast<double>(std::min<std::int64_t>(60, std::int64_t{1} << (n - 1))) + 1;
    EXPECT_LE(*std::max_element(seconds.begin(), seconds.end()), 2 * kTasks / window) << "retry " << n;
  }
}

}  // namespace
}  // namespace pawl::core
