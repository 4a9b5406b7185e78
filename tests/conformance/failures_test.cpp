// Failures and retries (by policy, by the worker's report, by an operator), and cancels.

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::AttemptOutcome;
using core::ProblemCode;
using core::ReportAction;
using core::TaskStatus;

using Failure = Conformance;

TEST_P(Failure, BacksOffByItsPolicyBetweenAttempts) {
  core::TaskSpec spec = task_of("t");
  spec.retry = {
      .max_attempts = 4, .initial_interval = 10s, .backoff = 3.0, .max_interval = 60s, .jitter = 0.0};
  const core::Task task = enqueue(spec);
  for (const core::Duration wait : {10s, 30s, 60s}) {
    ASSERT_EQ(fail(claim_one())->status, TaskStatus::pending);
    EXPECT_EQ(get(task.id).task.available_at, clock.now() + wait);
    clock.advance(wait - 1us);
    tick();
    EXPECT_TRUE(claim().empty());
    clock.advance(1us);
    tick();
  }
  EXPECT_EQ(fail(claim_one())->status, TaskStatus::dead_letter);
  const auto dead = get(task.id);
  EXPECT_EQ(dead.task.error,
            (core::TaskError{.code = "boom", .message = "it went wrong", .retryable = true}));
  EXPECT_EQ(dead.task.attempt, 4);
  EXPECT_EQ(dead.attempts.size(), 4U);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(dead.attempts.at(static_cast<std::size_t>(i)).attempt, i + 1);
}

TEST_P(Failure, WithRetryAfterWaitsThatLong) {
  enqueue(task_of("t"));
  core::Report failed = report_of(claim_one(), ReportAction::fail);
  failed.retry_after = 7h;
  ASSERT_TRUE(report("w1", failed).ok());
  EXPECT_EQ(get(failed.task_id).task.available_at, clock.now() + 7h);
  clock.advance(7h);
  tick();
  failed = report_of(claim_one(), ReportAction::fail);
  failed.retry_after = 0s;
  ASSERT_TRUE(report("w1", failed).ok());
  EXPECT_EQ(claim_one().attempt, 3) << "at once";
}

TEST_P(Failure, EndsTheTaskImmediatelyIfNotRetryable) {
  core::TaskSpec spec = task_of("t");
  spec.retry.non_retryable = {"invalid_card"};
  const core::Task by_policy = enqueue(spec);
  EXPECT_EQ(fail(claim_one(), "invalid_card")->status, TaskStatus::failed);
  EXPECT_FALSE(get(by_policy.id).task.error->retryable);
  const core::Task by_word = enqueue(spec);
  EXPECT_EQ(fail(claim_one(), "other", false)->status, TaskStatus::failed);
  const auto ended = get(by_word.id);
  EXPECT_EQ(ended.task.error->code, "other");
  EXPECT_EQ(ended.task.finished_at, clock.now());
  EXPECT_EQ(ended.attempts.at(0).outcome, AttemptOutcome::failed);
  EXPECT_TRUE(queue().counts.is_zero());
}

TEST_P(Failure, WithNegativeMaxAttemptsIsRetriedForever) {
  core::TaskSpec spec = task_of("t");
  spec.retry = {.max_attempts = -1, .initial_interval = 0s, .max_interval = 0s};
  const core::Task task = enqueue(spec);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(fail(claim_one())->status, TaskStatus::pending);
  EXPECT_EQ(get(task.id).task.attempt, 50);
}

TEST_P(Failure, FollowedBySuccessClearsTheError) {
  const core::Task task = enqueue(task_of("t"));
  ASSERT_TRUE(fail(claim_one()).ok());
  EXPECT_EQ(get(task.id).task.error->code, "boom");
  clock.advance(1min);
  tick();
  complete(claim_one());
  EXPECT_EQ(get(task.id).task.error, std::nullopt);
}

using OperatorRetry = Conformance;

TEST_P(OperatorRetry, ResetsTheAttemptsAndKeepsTheHistory) {
  core::TaskSpec spec = task_of("t");
  spec.retry = {.max_attempts = 2, .initial_interval = 0s, .max_interval = 0s};
  const core::Task task = enqueue(spec);
  for (int i = 0; i < 2; ++i) (void)fail(claim_one());
  ASSERT_EQ(status_of(task.id), TaskStatus::dead_letter);
  clock.advance(1h);
  const auto revived = api().retry_task("default", task.id);
  ASSERT_TRUE(revived.ok());
  EXPECT_EQ(revived->status, TaskStatus::pending);
  EXPECT_EQ(revived->available_at, clock.now());
  EXPECT_EQ(revived->finished_at, std::nullopt);
  expect_counts_kept();
  const core::Task third = claim_one();
  EXPECT_EQ(third.attempt, 3);
  EXPECT_EQ(fail(third)->status, TaskStatus::pending) << "one more is left";
  EXPECT_EQ(fail(claim_one())->status, TaskStatus::dead_letter);
  const auto dead = get(task.id);
  ASSERT_EQ(dead.attempts.size(), 4U);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(dead.attempts.at(static_cast<std::size_t>(i)).attempt, i + 1);
}

TEST_P(OperatorRetry, OfAFailedTaskRunsItAgain) {
  const core::Task failed = run_to_failed(task_of("t"));
  ASSERT_TRUE(api().retry_task("default", failed.id).ok());
  const core::Task again = claim_one();
  EXPECT_EQ(again.id, failed.id);
  complete(again);
  EXPECT_EQ(get(failed.id).attempts.size(), 2U);
}

TEST_P(OperatorRetry, IsNotUndoneByARepeatedLastReport) {
  const core::Task dead = run_to_dead_letter(task_of("t"));
  ASSERT_TRUE(api().retry_task("default", dead.id).ok());
  EXPECT_EQ(fail(dead)->status, TaskStatus::dead_letter) << "the same answer to the same report";
  EXPECT_EQ(status_of(dead.id), TaskStatus::pending) << "and nothing changed";
  expect_refused(dead.id, "w1", report_of(dead, ReportAction::complete), ProblemCode::stale_lease);
}

using Cancel = Conformance;

TEST_P(Cancel, EndsTasksThatNoWorkerHolds) {
  const core::Task pending = enqueue(task_of("t"));
  core::TaskSpec delayed = task_of("t");
  delayed.delay = 1h;
  const core::Task scheduled = enqueue(delayed);
  clock.advance(1s);
  for (const core::TaskId& id : {pending.id, scheduled.id}) {
    const auto cancelled = api().cancel_task("default", id);
    ASSERT_TRUE(cancelled.ok());
    EXPECT_EQ(cancelled->status, TaskStatus::cancelled);
    EXPECT_EQ(cancelled->finished_at, clock.now());
    EXPECT_EQ(api().cancel_task("default", id).problem().code, ProblemCode::already_completed);
  }
  EXPECT_TRUE(claim().empty());
  clock.advance(2h);
  tick();
  EXPECT_TRUE(claim().empty());
  EXPECT_TRUE(queue().counts.is_zero());
}

TEST_P(Cancel, ReachesTheHolderThroughItsHeartbeat) {
  enqueue(task_of("t"));
  const core::Task task = claim_one();
  const auto asked = api().cancel_task("default", task.id);
  EXPECT_EQ(asked->status, TaskStatus::claimed);
  EXPECT_TRUE(asked->cancel_requested);
  EXPECT_TRUE(api().cancel_task("default", task.id)->cancel_requested) << "twice is once";
  EXPECT_TRUE(report(task, ReportAction::heartbeat)->cancel_requested);
  const auto started = report(task, ReportAction::start);
  EXPECT_TRUE(started->cancel_requested);
  EXPECT_EQ(started->status, TaskStatus::running);
  EXPECT_TRUE(get(task.id).task.cancel_requested);
}

TEST_P(Cancel, LosesAgainstACompletion) {
  enqueue(task_of("t"));
  const core::Task task = claim_one();
  ASSERT_TRUE(api().cancel_task("default", task.id).ok());
  EXPECT_EQ(report(task, ReportAction::complete)->status, TaskStatus::completed);
  EXPECT_EQ(status_of(task.id), TaskStatus::completed);
}

TEST_P(Cancel, IsAppliedWhenTheHolderFailsReleasesOrIsLost) {
  for (const char* end : {"fail", "release", "lost", "timeout"}) {
    SCOPED_TRACE(end);
    core::TaskSpec spec = task_of("t");
    spec.timeout = 20s;
    enqueue(spec);
    const core::Task task = claim_one("w1", 30s);
    ASSERT_TRUE(api().cancel_task("default", task.id).ok());
    if (end == std::string{"fail"}) {
      EXPECT_EQ(fail(task)->status, TaskStatus::cancelled);
    } else if (end == std::string{"release"}) {
      EXPECT_EQ(report(task, ReportAction::release)->status, TaskStatus::cancelled);
    } else {
      clock.advance(end == std::string{"lost"} ? 30s : 20s);
      tick();
    }
    const auto ended = get(task.id);
    EXPECT_EQ(ended.task.status, TaskStatus::cancelled);
    EXPECT_EQ(ended.attempts.at(0).outcome, AttemptOutcome::cancelled);
    EXPECT_EQ(api().retry_task("default", task.id).problem().code, ProblemCode::invalid_state);
  }
  EXPECT_TRUE(queue().counts.is_zero());
}

TEST_P(Cancel, ReachesTheHolderThroughAnotherNode) {
  const auto other = another_node(2);
  enqueue(task_of("t"));
  const core::Task task = claim_one();
  ASSERT_TRUE(other->api().cancel_task("default", task.id).ok());
  EXPECT_TRUE(report(task, ReportAction::heartbeat)->cancel_requested);
}

PAWL_ON_EVERY_STORE(Failure);
PAWL_ON_EVERY_STORE(OperatorRetry);
PAWL_ON_EVERY_STORE(Cancel);

}  // namespace pawl::testing
