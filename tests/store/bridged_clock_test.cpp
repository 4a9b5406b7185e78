// A process's store time while its clock is stepped or misread.
#include "store/bridged_clock.hpp"

#include <chrono>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;

// Shows another time in one reading.
class FlickeringClock final : public core::Clock {
 public:
  [[nodiscard]] core::TimePoint now() override { return inner_.now() + std::exchange(wrong_by_, 0s); }
  [[nodiscard]] core::MonotonicTime monotonic() override { return inner_.monotonic(); }
  void flicker(core::Duration by) { wrong_by_ = by; }
  void step(core::Duration by) { inner_.step_wall(by); }

 private:
  testing::ManualClock inner_;
  core::Duration wrong_by_{0};
};

TEST(BridgedClock, IgnoresASingleWrongReading) {
  FlickeringClock clock;
  BridgedClock bridged{clock};
  const core::TimePoint time = bridged.now();
  clock.flicker(-30s);
  EXPECT_EQ(bridged.now(), time);
  EXPECT_EQ(bridged.state()->steps, 0);
  clock.step(-30s);
  EXPECT_EQ(bridged.now(), time);
  EXPECT_EQ(bridged.state()->steps, 1);
}

TEST(BridgedClock, AdoptsTheStepsRecordedByAnotherProcess) {
  testing::ManualClock clock;
  BridgedClock first{clock};
  BridgedClock second{clock};
  const core::TimePoint time = first.now();
  (void)second.now();
  clock.step_wall(-1h);
  EXPECT_EQ(first.now(), time);
  second.adopt(*first.state());
  EXPECT_EQ(second.now(), time);
  EXPECT_EQ(*second.state(), *first.state());
  second.adopt({});
  EXPECT_EQ(second.state()->steps, 1) << "it has more steps";
}

}  // namespace
}  // namespace pawl::store
