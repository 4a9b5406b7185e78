// Store time over steps of the clock.
#include "core/store_clock.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart = time_from_micros(1'800'000'000'000'000);

// A clock, the monotonic time beside it, and a node that records what its detector finds.
class StoreTime : public ::testing::Test {
 protected:
  void pass(Duration time) {
    clock_ += time;
    elapsed_ += time;
  }
  void set(Duration by) { clock_ += by; }
  TimePoint read(Duration round_trip = 0us) {
    const ClockReading reading{.clock = clock_, .sent = elapsed_, .received = elapsed_ + round_trip};
    if (const auto step = detector_.observe(reading, state_)) {
      state_ = with_step(state_, clock_, *step);
      EXPECT_EQ(detector_.observe(reading, state_), std::nullopt) << "a recorded step is no news";
    }
    return store_time(state_, clock_);
  }

  TimePoint clock_ = kStart;
  MonotonicTime elapsed_{};
  ClockState state_;
  StepDetector detector_;
};

TEST_F(StoreTime, IsTheClockWhileItIsNotSet) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(read(), clock_);
    pass(1min);
  }
  EXPECT_EQ(state_, ClockState{});
}

TEST_F(StoreTime, GoesOnOverAStepBackAndRunsSlowerUntilBothAgree) {
  (void)read();
  set(-1h);
  EXPECT_EQ(read(), kStart);
  EXPECT_EQ(state_.steps_back, 1);
  EXPECT_EQ(state_.largest, 1h);
  pass(4min);
  EXPECT_EQ(read(), kStart + 3min);
  EXPECT_EQ(ahead_of(state_, read()), 59min);
  pass(4h - 4min);
  EXPECT_EQ(read(), clock_);
  EXPECT_EQ(ahead_of(state_, read()), 0s);
  EXPECT_EQ(state_.steps, 1);
}

TEST_F(StoreTime, FollowsAStepForwardAndTellsWhatItSkipped) {
  (void)read();
  pass(10s);
  set(1h);
  EXPECT_EQ(read(), kStart + 10s + 1h);
  EXPECT_EQ(jumped_since(state_, kStart), 1h);
  EXPECT_EQ(jumped_since(state_, kStart + 10s), 1h);
  EXPECT_EQ(jumped_since(state_, read()), 0s);
}

TEST_F(StoreTime, TakesUpAStepBackThatIsTakenBack) {
  (void)read();
  set(-10s);
  EXPECT_EQ(read(), kStart);
  set(15s);
  EXPECT_EQ(read(), kStart + 5s);
  EXPECT_EQ(jumped_since(state_, kStart), 5s);
  EXPECT_EQ(state_.steps, 2);
  EXPECT_EQ(ahead_at(state_, clock_), 0s);
}

TEST_F(StoreTime, DoesNotStayAheadForYearsAfterAWrongDate) {
  (void)read();
  set(-24h * 365);
  EXPECT_EQ(read(), clock_);
  EXPECT_EQ(state_.steps_back, 1);
}

TEST_F(StoreTime, SeesNoStepInASlowAnswerOrInDrift) {
  (void)read();
  pass(5s);
  clock_ -= 4s;  // the server read its clock early in a round trip of five seconds
  const ClockReading slow{.clock = clock_, .sent = elapsed_ - 5s, .received = elapsed_};
  EXPECT_EQ(detector_.observe(slow, state_), std::nullopt);
  clock_ += 4s;
  pass(1h);
  clock_ += 3s;  // less than a millisecond in each second
  EXPECT_EQ(read(), clock_);
  EXPECT_EQ(state_.steps, 0);
}

TEST_F(StoreTime, SeesNoStepWhereAnotherNodeRecordedIt) {
  StepDetector other;
  (void)other.observe({.clock = clock_, .sent = {}, .received = {}}, state_);
  (void)read();
  set(-1h);
  (void)read();
  EXPECT_EQ(other.observe({.clock = clock_, .sent = elapsed_, .received = elapsed_}, state_), std::nullopt);
}

TEST_F(StoreTime, IsKeptInARecord) {
  (void)read();
  for (int i = 0; i < 20; ++i) {
    set(i % 3 == 0 ? -1min : 2min);
    pass(1s);
    (void)read();
  }
  EXPECT_EQ(state_.steps, 20);
  EXPECT_EQ(state_.recent.size(), kClockStepsKept);
  EXPECT_EQ(clock_state_from(encode(state_)), state_);
}

}  // namespace
}  // namespace pawl::core
