#include "worker/lease_keeper.hpp"

#include <gtest/gtest.h>

#include "runtime/env.hpp"
#include "tests/runtime/fixture.hpp"
#include "worker/notice_listener.hpp"

namespace pawl::worker {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

// Replies that a cancel was requested for every task, and counts the renewals.
class Canceling final : public LeaseCalls {
 public:
  explicit Canceling(std::atomic<int>& renewals) : renewals_(renewals) {}
  core::Result<std::vector<core::Result<ReportResult>>> renew(const std::vector<HeldTask>& tasks,
                                                              core::Duration, core::Duration) override {
    renewals_ += static_cast<int>(tasks.size());
    return std::vector<core::Result<ReportResult>>(tasks.size(), ReportResult{.cancel_requested = true});
  }
  core::Status tell_alive(const WorkerCounts&, core::Duration) override { return core::Done{}; }
  void cancel() override {}

 private:
  std::atomic<int>& renewals_;
};

class Keeper : public ::testing::Test {
 protected:
  std::shared_ptr<Lease> hold(const std::string& task) {
    return keeper.hold({.task_id = task, .fence = 1, .until = clock.monotonic() + 1h});
  }

  runtime::SystemClock clock;
  std::atomic<int> renewals = 0;
  LeaseKeeper keeper{{.lease = 1h}, std::make_unique<Canceling>(renewals), clock};
};

TEST_F(Keeper, EndsALeaseWhenItsAttemptTimesOut) {
  const auto lease = hold("a");
  std::atomic<bool> has_ended = false;
  lease->when_ended([&] { has_ended = true; });
  keeper.set_timeout(lease, clock.monotonic() + 5ms);
  EXPECT_TRUE(eventually([&] { return has_ended.load(); }));
  EXPECT_EQ(lease->state(), LeaseState::timed_out);
  EXPECT_EQ(renewals, 0);
}

TEST_F(Keeper, EndsALeaseWhoseTimeoutHasAlreadyPassed) {
  const auto lease = hold("a");
  std::atomic<bool> has_ended = false;
  lease->when_ended([&] { has_ended = true; });
  keeper.set_timeout(lease, clock.monotonic() - 1ms);
  EXPECT_TRUE(eventually([&] { return has_ended.load(); }));
  EXPECT_EQ(renewals, 0) << "it did not wait for the next heartbeat";
}

TEST_F(Keeper, RenewsOnlyTheLeasesNamedInANotice) {
  const auto canceled = hold("a");
  const auto other = hold("b");
  std::atomic<int> waits = 0;
  const NoticeListener listener{{.wait = [&]() -> core::Result<std::vector<std::string>> {
                                   if (waits++ == 0) return std::vector<std::string>{"a"};
                                   return core::Problem{.code = core::ProblemCode::not_found,
                                                        .detail = "no such call"};
                                 },
                                 .cancel = [] {}},
                                keeper};
  EXPECT_TRUE(eventually([&] { return canceled->state() == LeaseState::cancelled; }));
  EXPECT_EQ(other->state(), LeaseState::held);
  EXPECT_EQ(renewals, 1);
}

}  // namespace
}  // namespace pawl::worker
