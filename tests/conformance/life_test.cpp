// The usual life of a task, on every store.

#include "tests/support/harness.hpp"

namespace pawl::testing {

using core::AttemptOutcome;
using core::ProblemCode;
using core::ReportAction;
using core::TaskStatus;

using Life = EngineTest;

TEST_P(Life, FromEnqueueToCompleteKeepsEveryByte) {
  const std::string payload = R"({"n":12345678901234567890,"x":1.50,"a":1,"a":2,"s":"\u0000 ü"})";
  core::TaskSpec spec = task_of("email.send", payload);
  spec.labels = {{"region", "eu"}};
  const core::Task task = enqueue(spec);
  EXPECT_EQ(task.status, TaskStatus::pending);
  EXPECT_EQ(task.payload.text, payload);

  clock.advance(1s);
  const core::Task claimed = claim_one();
  EXPECT_EQ(claimed.id, task.id);
  EXPECT_EQ(claimed.status, TaskStatus::claimed);
  EXPECT_EQ(claimed.attempt, 1);
  EXPECT_EQ(claimed.lease->fence, 1);
  EXPECT_EQ(claimed.payload.text, payload);

  EXPECT_EQ(report(claimed, ReportAction::start)->status, TaskStatus::running);
  EXPECT_EQ(queue().counts.running, 1);
  const auto done =
      report("w1", {.task_id = task.id, .fence = 1, .action = ReportAction::complete, .output = {"[1.0]"}});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->status, TaskStatus::completed);

  const auto ended = get(task.id);
  EXPECT_EQ(ended.task.output.text, "[1.0]");
  EXPECT_EQ(ended.task.labels.at("region"), "eu");
  ASSERT_EQ(ended.attempts.size(), 1U);
  EXPECT_EQ(ended.attempts[0].outcome, AttemptOutcome::completed);
  EXPECT_TRUE(queue().counts.is_zero());
}

TEST_P(Life, AFailureIsRetriedAfterItsBackoffUntilMaxAttempts) {
  core::TaskSpec spec = task_of("t");
  spec.retry.max_attempts = 2;
  const core::Task task = enqueue(spec);
  ASSERT_TRUE(fail(claim_one()).ok());
  EXPECT_EQ(status_of(task.id), TaskStatus::pending);
  EXPECT_EQ(queue().counts.scheduled, 1);
  EXPECT_TRUE(claim().empty());
  clock.advance(2s);
  tick();
  EXPECT_EQ(fail(claim_one())->status, TaskStatus::dead_letter);
  EXPECT_EQ(get(task.id).attempts.size(), 2U);
  EXPECT_EQ(queue().counts.dead_letter, 1);
}

TEST_P(Life, ALostLeaseIsRecordedAndTheTaskRedelivered) {
  const core::Task task = enqueue(task_of("t"));
  const core::Task first = claim_one("w1", 10s);
  clock.advance(11s);
  tick();
  EXPECT_EQ(status_of(task.id), TaskStatus::pending);
  const core::Task second = claim_one("w2");
  EXPECT_EQ(second.lease->fence, 3);
  EXPECT_EQ(report(first, ReportAction::complete).problem().code, ProblemCode::stale_lease);
  EXPECT_TRUE(report(second, ReportAction::complete).ok());
  EXPECT_EQ(get(task.id).attempts[0].outcome, AttemptOutcome::lease_expired);
  EXPECT_EQ(api().list_checkpoints("default", task.id)->at(0).type, "error_boundary");
}

TEST_P(Life, TasksOfOneKeyRunOneAtATimeInOrder) {
  core::TaskSpec spec = task_of("t");
  spec.key = "entity";
  const core::Task a = enqueue(spec);
  const core::Task b = enqueue(spec);
  const core::Task c = enqueue(spec);
  EXPECT_EQ(b.status, TaskStatus::blocked);
  const auto claimed = claim();
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed[0].task.id, a.id);
  ASSERT_TRUE(api().cancel_task("default", b.id).ok());
  ASSERT_TRUE(report(claimed[0].task, ReportAction::complete).ok());
  const core::Task next = claim_one();
  EXPECT_EQ(next.id, c.id);
  ASSERT_TRUE(report(next, ReportAction::complete).ok());
  EXPECT_TRUE(queue().counts.is_zero());
}

PAWL_ON_EVERY_STORE(Life);

}  // namespace pawl::testing
