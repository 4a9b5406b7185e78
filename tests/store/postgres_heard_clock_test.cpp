// The server's clock as a node tells it between answers.
#include <gtest/gtest.h>

#include "store/postgres/heard_clock.hpp"

namespace pawl::store::postgres {
namespace {

using namespace std::chrono_literals;

const core::TimePoint kNoon = core::time_from_micros(1'800'000'000'000'000);
const core::MonotonicTime kStart{1'000s};

TEST(HeardClock, TellsNothingBeforeItHeard) {
  const HeardClock clock;
  EXPECT_FALSE(clock.at(kStart));
}

TEST(HeardClock, GoesOnFromWhatItHeard) {
  HeardClock clock;
  clock.hear(kNoon, kStart);
  EXPECT_EQ(clock.at(kStart + 250ms), kNoon + 250ms);
}

TEST(HeardClock, IsNotBehindAnythingItHeard) {
  HeardClock clock;
  clock.hear(kNoon, kStart);               // came at once
  clock.hear(kNoon + 5ms, kStart + 20ms);  // was 15 ms on its way
  EXPECT_EQ(clock.at(kStart + 20ms), kNoon + 20ms);
  clock.hear(kNoon + 60ms, kStart + 50ms);  // the first was slower than this one
  EXPECT_EQ(clock.at(kStart + 50ms), kNoon + 60ms);
}

TEST(HeardClock, TellsNothingAfterASilence) {
  HeardClock clock;
  clock.hear(kNoon, kStart);
  EXPECT_TRUE(clock.at(kStart + 999ms));
  EXPECT_FALSE(clock.at(kStart + 1s));
}

TEST(HeardClock, BelievesAServerThatWasSetBackAfterASilence) {
  HeardClock clock;
  clock.hear(kNoon, kStart);
  clock.hear(kNoon - 10min, kStart + 2s);
  EXPECT_EQ(clock.at(kStart + 3s - 1ms), kNoon - 10min + 999ms);
}

}  // namespace
}  // namespace pawl::store::postgres
