// Leases: heartbeats, expiry, releases, and attempts that time out.

#include <nlohmann/json.hpp>

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::AttemptOutcome;
using core::ProblemCode;
using core::ReportAction;
using core::TaskStatus;

using Heartbeat = Conformance;

TEST_P(Heartbeat, ExtendsTheLeaseByItsCurrentLength) {
  enqueue(task_of("t"));
  const core::Task task = claim_one("w1", 45s);
  clock.advance(30s);
  const auto answer = report(task, ReportAction::heartbeat);
  EXPECT_EQ(answer->lease_expires_at, clock.now() + 45s);
  EXPECT_EQ(answer->status, TaskStatus::claimed);
  EXPECT_FALSE(answer->cancel_requested);
  const core::Task seen = get(task.id).task;
  EXPECT_EQ(seen.lease->expires_at, clock.now() + 45s);
  EXPECT_EQ(seen.lease->heartbeat_at, clock.now());
  EXPECT_EQ(seen.lease->renewals, 1);
  EXPECT_EQ(seen.lease->acquired_at, task.lease->acquired_at);
  clock.advance(44s);
  EXPECT_EQ(report(task, ReportAction::heartbeat)->lease_expires_at, clock.now() + 45s);
  EXPECT_EQ(get(task.id).task.lease->renewals, 2);
}

TEST_P(Heartbeat, MayChangeTheLengthOfTheLease) {
  enqueue(task_of("t"));
  const core::Task task = claim_one("w1", 45s);
  core::Report longer = report_of(task, ReportAction::heartbeat);
  longer.lease = 5min;
  EXPECT_EQ(report("w1", longer)->lease_expires_at, clock.now() + 5min);
  clock.advance(10s);
  EXPECT_EQ(report(task, ReportAction::heartbeat)->lease_expires_at, clock.now() + 5min);
  longer.lease = 1s;
  EXPECT_EQ(report("w1", longer)->lease_expires_at, clock.now() + 1s);
}

TEST_P(Heartbeat, DoesNotAffectOthersIfInvalid) {
  enqueue(task_of("t"));
  const core::Task task = claim_one();
  core::Report bad = report_of(task, ReportAction::heartbeat);
  bad.lease = 1us;
  const auto answers =
      api().report({.worker_id = "w1", .reports = {bad, report_of(task, ReportAction::heartbeat)}});
  EXPECT_EQ(answers->at(0).problem().errors.at(0).field, "reports[0].lease");
  EXPECT_TRUE(answers->at(1).ok());
  EXPECT_EQ(get(task.id).task.lease->renewals, 1);
}

using Start = Conformance;

TEST_P(Start, RecordsTheFirstStartOfTheTaskAndTheStartOfEachAttempt) {
  const core::Task task = enqueue(task_of("t"));
  clock.advance(1s);
  const core::Task first = claim_one();
  clock.advance(1s);
  const core::TimePoint first_start = clock.now();
  EXPECT_EQ(report(first, ReportAction::start)->status, TaskStatus::running);
  EXPECT_EQ(get(task.id).task.started_at, first_start);
  ASSERT_TRUE(fail(first).ok());
  clock.advance(1min);
  tick();
  const core::Task second = claim_one();
  EXPECT_EQ(get(task.id).task.started_at, first_start);
  clock.advance(1s);
  const core::TimePoint second_start = clock.now();
  ASSERT_TRUE(report(second, ReportAction::start).ok());
  complete(second);
  const auto ended = get(task.id);
  EXPECT_EQ(ended.task.started_at, first_start);
  EXPECT_EQ(ended.task.finished_at, clock.now());
  ASSERT_EQ(ended.attempts.size(), 2U);
  EXPECT_EQ(ended.attempts[0].started_at, first_start);
  EXPECT_EQ(ended.attempts[1].started_at, second_start);
}

using Release = Conformance;

TEST_P(Release, CostsNoAttemptAndMakesTheTaskClaimableImmediately) {
  core::TaskSpec spec = task_of("t");
  spec.retry.max_attempts = 1;
  const core::Task task = enqueue(spec);
  for (int i = 0; i < 5; ++i) {
    const core::Task claimed = claim_one();
    EXPECT_EQ(claimed.attempt, 1);
    EXPECT_EQ(claimed.lease->fence, i + 1);
    EXPECT_EQ(report(claimed, ReportAction::release)->status, TaskStatus::pending);
  }
  const auto seen = get(task.id);
  EXPECT_EQ(seen.task.attempt, 0);
  ASSERT_EQ(seen.attempts.size(), 5U);
  EXPECT_EQ(seen.attempts[4].outcome, AttemptOutcome::released);
  EXPECT_EQ(seen.attempts[4].error, std::nullopt);
  expect_counts_kept();
}

using LeaseExpiry = Conformance;

TEST_P(LeaseExpiry, RecordsTheAttemptAndWritesAnErrorBoundary) {
  const core::Task task = enqueue(task_of("t"));
  const core::Task claimed = claim_one("worker \"x\"", 10s);
  ASSERT_TRUE(report(claimed, ReportAction::start).ok());
  clock.advance(12s);
  tick();
  const auto seen = get(task.id);
  EXPECT_EQ(seen.task.status, TaskStatus::pending);
  EXPECT_EQ(seen.task.lease, std::nullopt);
  EXPECT_EQ(seen.task.error->code, "worker_lost");
  ASSERT_EQ(seen.attempts.size(), 1U);
  const core::AttemptView& lost = seen.attempts[0];
  EXPECT_EQ(lost.attempt, 1);
  EXPECT_EQ(lost.fence, 1);
  EXPECT_EQ(lost.worker_id, "worker \"x\"");
  EXPECT_EQ(lost.outcome, AttemptOutcome::lease_expired);
  EXPECT_EQ(lost.claimed_at, claimed.lease->acquired_at);
  EXPECT_EQ(lost.started_at, claimed.lease->acquired_at);
  EXPECT_EQ(lost.finished_at, clock.now());
  EXPECT_EQ(lost.error->code, "worker_lost");

  const auto checkpoints = api().list_checkpoints("default", task.id);
  ASSERT_EQ(checkpoints->size(), 1U);
  EXPECT_EQ(checkpoints->at(0).type, "error_boundary");
  EXPECT_EQ(checkpoints->at(0).sequence, 1);
  EXPECT_EQ(checkpoints->at(0).created_at, clock.now());
  const auto snapshot = nlohmann::json::parse(checkpoints->at(0).snapshot.text);
  EXPECT_EQ(snapshot.at("worker_id"), "worker \"x\"");
  EXPECT_EQ(snapshot.at("retry"), 1);
}

TEST_P(LeaseExpiry, RedeliversTwiceImmediatelyAndThenWithABackoff) {
  const core::Task task = enqueue(task_of("t"));
  for (int loss = 1; loss <= 3; ++loss) {
    (void)claim_one("w1", 10s);
    clock.advance(10s);
    tick();
    const core::Task after = get(task.id).task;
    EXPECT_EQ(after.status, TaskStatus::pending);
    EXPECT_EQ(after.available_at > clock.now(), loss == 3) << "loss " << loss;
  }
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(api().list_checkpoints("default", task.id)->size(), 3U);
}

TEST_P(LeaseExpiry, OfTheLastAttemptMakesADeadLetterWithTheReason) {
  core::TaskSpec spec = task_of("t");
  spec.retry.max_attempts = 2;
  const core::Task task = enqueue(spec);
  for (int i = 0; i < 2; ++i) {
    (void)claim_one("w1", 10s);
    clock.advance(10s);
    tick();
  }
  const auto dead = get(task.id);
  EXPECT_EQ(dead.task.status, TaskStatus::dead_letter);
  EXPECT_EQ(dead.task.error->code, "worker_lost");
  EXPECT_EQ(dead.task.finished_at, clock.now());
  EXPECT_EQ(dead.attempts.size(), 2U);
  EXPECT_EQ(api().list_checkpoints("default", task.id)->size(), 2U);
  expect_counts_kept();
}

TEST_P(LeaseExpiry, IsHandledOnceByManyNodes) {
  const auto second = another_node(2);
  const auto third = another_node(3);
  core::EnqueueTasks batch;
  batch.tasks.assign(20, task_of("t"));
  ASSERT_TRUE(api().enqueue_batch(batch).ok());
  (void)claim("w1", 100, 10s);
  clock.advance(10s);
  const int found = engine().sweeper().tick(100).leases + second->engine().sweeper().tick(100).leases +
                    third->engine().sweeper().tick(100).leases;
  EXPECT_EQ(found, 20);
  for (const core::Task& task : list({})) EXPECT_EQ(get(task.id).attempts.size(), 1U);
  expect_counts_kept();
}

TEST_P(LeaseExpiry, DoesNotAffectALiveLease) {
  enqueue(task_of("t"));
  const core::Task task = claim_one("w1", 10s);
  clock.advance(9s);
  ASSERT_TRUE(report(task, ReportAction::heartbeat).ok());
  clock.advance(9s);
  EXPECT_EQ(engine().sweeper().tick(100).leases, 0);
  complete(task);
}

using Timeout = Conformance;

core::TaskSpec with_timeout(core::Duration timeout) {
  core::TaskSpec spec = task_of("t");
  spec.timeout = timeout;
  spec.retry.max_attempts = 2;
  return spec;
}

TEST_P(Timeout, EndsAnAttemptThatRunsTooLongDespiteItsHeartbeats) {
  const core::Task task = enqueue(with_timeout(20s));
  const core::Task first = claim_one("w1", 15s);
  ASSERT_TRUE(report(first, ReportAction::start).ok());
  clock.advance(10s);
  ASSERT_TRUE(report(first, ReportAction::heartbeat).ok());
  tick();
  EXPECT_EQ(status_of(task.id), TaskStatus::running);
  clock.advance(10s);
  tick();
  auto seen = get(task.id);
  EXPECT_EQ(seen.task.status, TaskStatus::pending);
  EXPECT_GT(seen.task.available_at, clock.now()) << "it waits as a failure does";
  EXPECT_EQ(seen.attempts.at(0).outcome, AttemptOutcome::timed_out);
  EXPECT_EQ(seen.attempts.at(0).error->code, "timeout");
  expect_refused(task.id, "w1", report_of(first, ReportAction::complete), ProblemCode::stale_lease);

  clock.advance(10s);
  tick();
  (void)claim_one("w2", 1h);
  clock.advance(20s);
  tick();
  seen = get(task.id);
  EXPECT_EQ(seen.task.status, TaskStatus::dead_letter);
  EXPECT_EQ(seen.task.error->code, "timeout");
}

TEST_P(Timeout, IsMeasuredFromTheStart) {
  enqueue(with_timeout(20s));
  const core::Task task = claim_one("w1", 1h);
  clock.advance(19s);
  ASSERT_TRUE(report(task, ReportAction::start).ok());
  clock.advance(19s);
  tick();
  EXPECT_EQ(status_of(task.id), TaskStatus::running);
  clock.advance(1s);
  tick();
  EXPECT_EQ(status_of(task.id), TaskStatus::pending);
}

TEST_P(Timeout, LosesAgainstACompletionBeforeTheSweep) {
  enqueue(with_timeout(20s));
  const core::Task task = claim_one("w1", 1h);
  clock.advance(21s);
  complete(task);
  tick();
  EXPECT_EQ(status_of(task.id), TaskStatus::completed);
}

PAWL_ON_EVERY_STORE(Heartbeat);
PAWL_ON_EVERY_STORE(Start);
PAWL_ON_EVERY_STORE(Release);
PAWL_ON_EVERY_STORE(LeaseExpiry);
PAWL_ON_EVERY_STORE(Timeout);

}  // namespace pawl::testing
