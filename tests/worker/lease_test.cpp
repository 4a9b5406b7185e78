#include "worker/lease.hpp"

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::worker {
namespace {

using namespace std::chrono_literals;

class HeldLease : public ::testing::Test {
 protected:
  testing::ManualClock clock;
  Lease lease{{.task_id = "t", .fence = 1, .until = clock.monotonic() + 30s}, clock};
};

TEST_F(HeldLease, IsLostForGoodWhenItExpires) {
  clock.advance(29s);
  EXPECT_FALSE(lease.must_stop());
  clock.advance(1s);
  EXPECT_EQ(lease.state(), LeaseState::lost);
  lease.renew(clock.monotonic() + 30s);
  EXPECT_EQ(lease.state(), LeaseState::lost);
}

TEST_F(HeldLease, LastsAsLongAsItIsRenewed) {
  clock.advance(20s);
  lease.renew(clock.monotonic() + 30s);
  clock.advance(29s);
  EXPECT_EQ(lease.state(), LeaseState::held);
}

TEST_F(HeldLease, IsNotShortenedByALateRenewal) {
  lease.renew(clock.monotonic() + 1s);
  clock.advance(20s);
  EXPECT_EQ(lease.state(), LeaseState::held);
}

TEST_F(HeldLease, CanBeLostAfterACancel) {
  lease.end(LeaseState::cancelled);
  EXPECT_EQ(lease.state(), LeaseState::cancelled);
  lease.end(LeaseState::abandoned);
  EXPECT_EQ(lease.state(), LeaseState::cancelled);
  clock.advance(30s);
  EXPECT_EQ(lease.state(), LeaseState::lost);
}

TEST_F(HeldLease, TimesOutWithItsAttemptAndCanBeLostLater) {
  lease.set_timeout(clock.monotonic() + 10s);
  clock.advance(9s);
  EXPECT_EQ(lease.state(), LeaseState::held);
  EXPECT_EQ(lease.look_again_at(), clock.monotonic() + 1s);
  clock.advance(1s);
  EXPECT_EQ(lease.state(), LeaseState::timed_out);
  clock.advance(20s);
  EXPECT_EQ(lease.state(), LeaseState::lost);
}

TEST_F(HeldLease, CallsItsCallbackOnceWhenItEnds) {
  int calls = 0;
  lease.when_ended([&] { ++calls; });
  lease.end(LeaseState::cancelled);
  lease.end(LeaseState::lost);
  EXPECT_EQ(calls, 1);
  lease.when_ended([&] { ++calls; });
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace pawl::worker
