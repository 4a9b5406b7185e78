// Store time across steps of the wall clock.
#include "core/base/store_clock.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart = time_from_micros(1'800'000'000'000'000);

// A wall clock, the monotonic time, and a node that records the steps that its detector finds.
class StoreTime : public ::testing::Test {
 protected:
  void pass(Duration time) {
    clock += time;
    elapsed += time;
  }
  void set(Duration by) { clock += by; }
  TimePoint read(Duration round_trip = 0us) {
    const ClockReading reading{.clock = clock, .sent = elapsed, .received = elapsed + round_trip};
    if (const auto step = detector.observe(reading, state)) {
      state = with_step(state, clock, *step);
      EXPECT_EQ(detector.observe(reading, state), std::nullopt) << "a recorded step is no news";
    }
    return store_time(state, clock);
  }

  TimePoint clock = kStart;
  MonotonicTime elapsed{};
  ClockState state;
  StepDetector detector;
};

TEST_F(StoreTime, FollowsTheClockBetweenSteps) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(read(), clock);
    pass(1min);
  }
  EXPECT_EQ(state, ClockState{});
}

TEST_F(StoreTime, ContinuesAcrossAStepBackAndSlowsDownUntilBothAgree) {
  (void)read();
  set(-1h);
  EXPECT_EQ(read(), kStart);
  EXPECT_EQ(state.steps_back, 1);
  EXPECT_EQ(state.largest, 1h);
  pass(4min);
  EXPECT_EQ(read(), kStart + 3min);
  EXPECT_EQ(ahead_of(state, read()), 59min);
  pass(4h - 4min);
  EXPECT_EQ(read(), clock);
  EXPECT_EQ(ahead_of(state, read()), 0s);
  EXPECT_EQ(state.steps, 1);
}

TEST_F(StoreTime, FollowsAStepForwardAndReportsTheSkippedTime) {
  (void)read();
  pass(10s);
  set(1h);
  EXPECT_EQ(read(), kStart + 10s + 1h);
  EXPECT_EQ(jumped_since(state, kStart), 1h);
  EXPECT_EQ(jumped_since(state, kStart + 10s), 1h);
  EXPECT_EQ(jumped_since(state, read()), 0s);
}

TEST_F(StoreTime, AbsorbsAStepBackThatIsReverted) {
  (void)read();
  set(-10s);
  EXPECT_EQ(read(), kStart);
  set(15s);
  EXPECT_EQ(read(), kStart + 5s);
  EXPECT_EQ(jumped_since(state, kStart), 5s);
  EXPECT_EQ(state.steps, 2);
  EXPECT_EQ(ahead_at(state, clock), 0s);
}

TEST_F(StoreTime, DoesNotStayAheadForYearsAfterAWrongDate) {
  (void)read();
  set(-24h * 365);
  EXPECT_EQ(read(), clock);
  EXPECT_EQ(state.steps_back, 1);
}

TEST_F(StoreTime, DetectsNoStepInASlowReplyOrInDrift) {
  (void)read();
  pass(5s);
  clock -= 4s;  // the server read its clock early in a round trip of five seconds
  const ClockReading slow{.clock = clock, .sent = elapsed - 5s, .received = elapsed};
  EXPECT_EQ(detector.observe(slow, state), std::nullopt);
  clock += 4s;
  pass(1h);
  clock += 3s;  // less than a millisecond per second
  EXPECT_EQ(read(), clock);
  EXPECT_EQ(state.steps, 0);
}

TEST_F(StoreTime, IgnoresMeasurementsOfSlowReplies) {
  pass(10s);
  const ClockReading late{.clock = clock, .sent = elapsed - 2s, .received = elapsed};
  EXPECT_EQ(detector.observe(late, state), std::nullopt);
  pass(10ms);
  (void)read();
  EXPECT_EQ(state.steps, 0);
  set(1h);
  (void)read(2s);
  EXPECT_EQ(state.steps, 1) << "a step is seen in a slow answer too";
}

TEST_F(StoreTime, DetectsNoStepThatAnotherNodeRecorded) {
  StepDetector other;
  (void)other.observe({.clock = clock, .sent = {}, .received = {}}, state);
  (void)read();
  set(-1h);
  (void)read();
  EXPECT_EQ(other.observe({.clock = clock, .sent = elapsed, .received = elapsed}, state), std::nullopt);
}

TEST_F(StoreTime, RoundTripsThroughItsRecord) {
  (void)read();
  for (int i = 0; i < 20; ++i) {
    set(i % 3 == 0 ? -1min : 2min);
    pass(1s);
    (void)read();
  }
  EXPECT_EQ(state.steps, 20);
  EXPECT_EQ(state.recent.size(), kClockStepsKept);
  EXPECT_EQ(clock_state_from(encode(state)), state);
}

}  // namespace
}  // namespace pawl::core
