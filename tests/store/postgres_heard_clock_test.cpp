// The server's clock as a node extrapolates it between answers.
#include <gtest/gtest.h>

#include "store/postgres/heard_clock.hpp"

namespace pawl::store::postgres {
namespace {

using namespace std::chrono_literals;

const core::TimePoint kNoon = core::time_from_micros(1'800'000'000'000'000);
const core::MonotonicTime kStart{1'000s};

TEST(HeardClock, HasNoTimeBeforeItsFirstReading) {
  HeardClock clock;
  EXPECT_FALSE(clock.tell(kStart));
}

TEST(HeardClock, AdvancesFromItsLastReading) {
  HeardClock clock;
  clock.hear(kNoon, kStart);
  EXPECT_EQ(clock.tell(kStart + 250ms), kNoon + 250ms);
}

TEST(HeardClock, IsNeverBehindAReading) {
  HeardClock clock;
  clock.hear(kNoon, kStart);               // arrived without delay
  clock.hear(kNoon + 5ms, kStart + 20ms);  // took 15 ms to arrive
  EXPECT_EQ(clock.tell(kStart + 20ms), kNoon + 20ms);
  clock.hear(kNoon + 60ms, kStart + 50ms);  // took less time than the first
  EXPECT_EQ(clock.tell(kStart + 50ms), kNoon + 60ms);
}

TEST(HeardClock, DropsReadingsAfterTwoSecondsWithoutSteppingBack) {
  HeardClock clock;
  clock.hear(kNoon + 3ms, kStart);  // 3 ms ahead of all later readings
  core::TimePoint last = *clock.tell(kStart);
  for (int i = 1; i <= 30; ++i) {
    clock.hear(kNoon + i * 100ms, kStart + i * 100ms);
    const core::TimePoint told = *clock.tell(kStart + i * 100ms);
    EXPECT_GT(told, last);
    last = told;
  }
  EXPECT_EQ(last, kNoon + 3s);
}

TEST(HeardClock, HasNoTimeAfterASilence) {
  HeardClock clock;
  clock.hear(kNoon, kStart);
  EXPECT_TRUE(clock.tell(kStart + 999ms));
  EXPECT_FALSE(clock.tell(kStart + 1s));
}

TEST(HeardClock, FollowsAServerThatWasSetBackAfterASilence) {
  HeardClock clock;
  clock.hear(kNoon, kStart);
  clock.hear(kNoon - 10min, kStart + 2s);
  EXPECT_EQ(clock.tell(kStart + 3s - 1ms), kNoon - 10min + 999ms);
}

TEST(HeardClock, FollowsNewReadingsAfterAReset) {
  HeardClock clock;
  clock.hear(kNoon, kStart);
  clock.forget();
  EXPECT_FALSE(clock.tell(kStart + 10ms));
  clock.hear(kNoon - 10min, kStart + 20ms);
  EXPECT_EQ(clock.tell(kStart + 30ms), kNoon - 10min + 10ms);
}

}  // namespace
}  // namespace pawl::store::postgres
