#include "worker/lease_keeper.hpp"

#include <map>
#include <mutex>

#include <gtest/gtest.h>

#include "runtime/env.hpp"
#include "tests/runtime/fixture.hpp"
#include "tests/support/env.hpp"
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
  core::Status tell_alive(const Heartbeat&, core::Duration) override { return core::Done{}; }
  void cancel() override {}

 private:
  std::atomic<int>& renewals_;
};

// What the server stores of the heartbeats, each counted once for its key. The first reply is lost.
struct Counted {
  std::mutex mutex = {};
  std::map<std::string, WorkerCounts> by_key = {};
  int received = 0;

  int sum() {
    const std::lock_guard lock{mutex};
    int sum = 0;
    for (const auto& [key, counts] : by_key) sum += counts.completed;
    return sum;
  }
};

class LosingAReply final : public LeaseCalls {
 public:
  LosingAReply(Counted& counted, core::ProblemCode first) : counted_(counted), first_(first) {}
  core::Result<std::vector<core::Result<ReportResult>>> renew(const std::vector<HeldTask>& /*tasks*/,
                                                              core::Duration, core::Duration) override {
    return std::vector<core::Result<ReportResult>>{};
  }
  core::Status tell_alive(const Heartbeat& heartbeat, core::Duration) override {
    const std::lock_guard lock{counted_.mutex};
    const bool is_first = counted_.received++ == 0;
    if (is_first && first_ == core::ProblemCode::not_found)
      return core::Problem{.code = first_, .detail = "no such worker"};
    const auto [known, is_new] = counted_.by_key.emplace(heartbeat.key, heartbeat.counts);
    EXPECT_TRUE(is_new || (known->second.active == heartbeat.counts.active &&
                           known->second.completed == heartbeat.counts.completed))
        << "another heartbeat under the same key";
    if (is_first) return core::Problem{.code = first_, .detail = "timed out"};
    return core::Done{};
  }
  void cancel() override {}

 private:
  Counted& counted_;
  core::ProblemCode first_;
};

// After the first heartbeat one task more is completed than before it.
void expect_two_counted(core::ProblemCode first) {
  Counted counted;
  runtime::SystemClock clock;
  testing::SeededRandom random{1};
  LeaseKeeper keeper{
      {.lease = 60ms, .is_enlisted = true}, std::make_unique<LosingAReply>(counted, first), clock, random};
  const auto received = [&counted](int count) {
    return eventually([&counted, count] {
      const std::lock_guard lock{counted.mutex};
      return counted.received >= count;
    });
  };
  keeper.count(true);
  ASSERT_TRUE(received(1));
  keeper.count(true);
  ASSERT_TRUE(eventually([&counted] { return counted.sum() >= 2; }));
  ASSERT_TRUE(received(5));
  EXPECT_EQ(counted.sum(), 2);
}

TEST(KeeperCounts, AreCountedOnceIfTheReplyToAHeartbeatIsLost) {
  expect_two_counted(core::ProblemCode::unavailable);
}

TEST(KeeperCounts, AreReportedAgainAfterARejectedHeartbeat) {
  expect_two_counted(core::ProblemCode::not_found);
}

class Keeper : public ::testing::Test {
 protected:
  std::shared_ptr<Lease> hold(const std::string& task) {
    return keeper.hold({.task_id = task, .fence = 1, .until = clock.monotonic() + 1h});
  }

  runtime::SystemClock clock;
  testing::SeededRandom random{1};
  std::atomic<int> renewals = 0;
  LeaseKeeper keeper{{.lease = 1h}, std::make_unique<Canceling>(renewals), clock, random};
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
