#include "worker/lease.hpp"

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::worker {
namespace {

using namespace std::chrono_literals;

class HeldLease : public ::testing::Test {
 protected:
  testing::ManualClock clock_;
  Lease lease_{{.task_id = "t", .fence = 1, .until = clock_.monotonic() + 30s}, clock_};
};

TEST_F(HeldLease, IsLostWhenItsTimeIsOverAndStaysSo) {
  clock_.advance(29s);
  EXPECT_FALSE(lease_.must_stop());
  clock_.advance(1s);
  EXPECT_EQ(lease_.state(), LeaseState::lost);
  lease_.renew(clock_.monotonic() + 30s);
  EXPECT_EQ(lease_.state(), LeaseState::lost);
}

TEST_F(HeldLease, LastsAsLongAsItIsRenewed) {
  clock_.advance(20s);
  lease_.renew(clock_.monotonic() + 30s);
  clock_.advance(29s);
  EXPECT_EQ(lease_.state(), LeaseState::held);
}

TEST_F(HeldLease, ARenewalThatCameLateShortensNothing) {
  lease_.renew(clock_.monotonic() + 1s);
  clock_.advance(20s);
  EXPECT_EQ(lease_.state(), LeaseState::held);
}

TEST_F(HeldLease, ThatIsCancelledCanStillBeLost) {
  lease_.end(LeaseState::cancelled);
  EXPECT_EQ(lease_.state(), LeaseState::cancelled);
  lease_.end(LeaseState::abandoned);
  EXPECT_EQ(lease_.state(), LeaseState::cancelled);
  clock_.advance(30s);
  EXPECT_EQ(lease_.state(), LeaseState::lost);
}

TEST_F(HeldLease, CallsOnceWhenItEnds) {
  int calls = 0;
  lease_.when_ended([&] { ++calls; });
  lease_.end(LeaseState::cancelled);
  lease_.end(LeaseState::lost);
  EXPECT_EQ(calls, 1);
  lease_.when_ended([&] { ++calls; });
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace pawl::worker
