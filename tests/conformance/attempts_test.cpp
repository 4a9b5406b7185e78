// A task's attempts as the API lists them, including the current one.
#include <functional>
#include <utility>

#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::AttemptOutcome;
using core::AttemptView;
using core::ReportAction;

using Attempts = Conformance;

TEST_P(Attempts, ListTheAttemptInProgressFromTheClaimOn) {
  enqueue(task_of("t"));
  EXPECT_TRUE(get(list({}).front().id).attempts.empty());
  const core::Task task = claim_one("w1");
  const AttemptView claimed{.attempt = 1, .fence = 1, .worker_id = "w1", .claimed_at = *task.claimed_at};
  EXPECT_EQ(get(task.id).attempts, std::vector<AttemptView>{claimed});

  clock.advance(2s);
  ASSERT_TRUE(report(task, ReportAction::start).ok());
  AttemptView started = claimed;
  started.started_at = clock.now();
  EXPECT_EQ(get(task.id).attempts, std::vector<AttemptView>{started});

  clock.advance(2s);
  ASSERT_TRUE(report(task, ReportAction::heartbeat).ok());
  EXPECT_EQ(get(task.id).attempts, std::vector<AttemptView>{started});
}

TEST_P(Attempts, CompleteTheSameEntryAtTheEnd) {
  core::TaskSpec spec = task_of("t");
  spec.retry.max_attempts = 5;
  const core::TaskId id = enqueue(spec).id;
  const auto end_of_last = [&](const std::function<void(const core::Task&)>& end) {
    const core::Task task = claim_one("w1");
    EXPECT_TRUE(report(task, ReportAction::start).ok());
    const auto before = get(id).attempts;
    clock.advance(1s);
    end(task);
    auto after = get(id).attempts;
    EXPECT_EQ(after.size(), before.size());
    AttemptView ended = after.back();
    EXPECT_EQ(ended.finished_at, clock.now());
    EXPECT_TRUE(ended.status_after.has_value());
    const auto outcome = std::exchange(ended.outcome, std::nullopt);
    ended.finished_at.reset();
    ended.status_after.reset();
    ended.error.reset();
    after.back() = ended;
    EXPECT_EQ(after, before);
    clock.advance(1min);
    tick();
    return outcome;
  };
  EXPECT_EQ(end_of_last([&](const core::Task& task) { (void)fail(task); }), AttemptOutcome::failed);
  EXPECT_EQ(end_of_last([&](const core::Task& task) { (void)report(task, ReportAction::release); }),
            AttemptOutcome::released);
  EXPECT_EQ(end_of_last([&](const core::Task&) {
              clock.advance(31s);
              tick();
            }),
            AttemptOutcome::lease_expired);
  EXPECT_EQ(end_of_last([&](const core::Task& task) { (void)report(task, ReportAction::complete); }),
            AttemptOutcome::completed);
  EXPECT_EQ(get(id).attempts.size(), 4U);
}

TEST_P(Attempts, ShowTheAttemptOfATaskWhoseCancelWasRequested) {
  enqueue(task_of("t"));
  const core::Task task = claim_one("w1");
  ASSERT_TRUE(api().cancel_task("default", task.id).ok());
  ASSERT_EQ(get(task.id).attempts.size(), 1U);
  EXPECT_EQ(get(task.id).attempts[0].outcome, std::nullopt);
  ASSERT_TRUE(report(task, ReportAction::release).ok());
  ASSERT_EQ(get(task.id).attempts.size(), 1U);
  EXPECT_EQ(get(task.id).attempts[0].outcome, AttemptOutcome::cancelled);
}

TEST_P(Attempts, CountTheClaimAsTheFirstHeartbeat) {
  enqueue(task_of("t"));
  const core::Task task = claim_one("w1");
  EXPECT_EQ(task.lease->heartbeat_at, task.lease->acquired_at);
  EXPECT_EQ(get(task.id).task.lease->heartbeat_at, task.lease->acquired_at);
  EXPECT_EQ(list({}).front().lease->heartbeat_at, task.lease->acquired_at);
  clock.advance(3s);
  ASSERT_TRUE(report(task, ReportAction::start).ok());
  EXPECT_EQ(get(task.id).task.lease->heartbeat_at, task.lease->acquired_at) << "a start is no heartbeat";
  ASSERT_TRUE(report(task, ReportAction::heartbeat).ok());
  EXPECT_EQ(list({}).front().lease->heartbeat_at, clock.now());
}

PAWL_ON_EVERY_STORE(Attempts);

}  // namespace
}  // namespace pawl::testing
