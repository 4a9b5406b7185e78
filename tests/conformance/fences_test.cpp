// Which reports are accepted: fences, holders, expired leases, and repeated reports.

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ProblemCode;
using core::ReportAction;
using core::TaskStatus;

namespace {

constexpr std::array kReports{ReportAction::heartbeat, ReportAction::start, ReportAction::complete,
                              ReportAction::fail, ReportAction::release};

}  // namespace

using Fences = Conformance;

TEST_P(Fences, AreStaleIfTheyDoNotMatch) {
  enqueue(task_of("t"));
  const core::Task task = claim_one();
  for (const ReportAction action : kReports) {
    for (const std::int64_t fence :
         {std::int64_t{-1}, std::int64_t{0}, std::int64_t{2}, std::int64_t{1} << 40}) {
      core::Report report = report_of(task, action);
      report.fence = fence;
      expect_refused(task.id, "w1", report, ProblemCode::stale_lease);
    }
  }
  EXPECT_TRUE(report(task, ReportAction::complete).ok());
}

TEST_P(Fences, OfAnotherWorkerAreStale) {
  enqueue(task_of("t"));
  const core::Task task = claim_one("w1");
  for (const ReportAction action : kReports)
    expect_refused(task.id, "w2", report_of(task, action), ProblemCode::stale_lease);
}

TEST_P(Fences, ExpireWithTheLeaseEvenBeforeTheSweep) {
  enqueue(task_of("t"));
  const core::Task task = claim_one("w1", 10s);
  clock.advance(10s);
  for (const ReportAction action : kReports)
    expect_refused(task.id, "w1", report_of(task, action), ProblemCode::stale_lease);
  clock.step_wall(-1us);
  EXPECT_TRUE(report(task, ReportAction::heartbeat).ok()) << "the last microsecond is still the holder's";
}

TEST_P(Fences, IncreaseAtEveryClaimAndEveryExpiry) {
  const core::Task task = enqueue(task_of("t"));
  EXPECT_EQ(claim_one("w1", 10s).lease->fence, 1);
  clock.advance(10s);
  tick();
  const core::Task second = claim_one("w1");
  EXPECT_EQ(second.lease->fence, 3);
  EXPECT_TRUE(report(second, ReportAction::release).ok());
  EXPECT_EQ(claim_one("w1").lease->fence, 4);
  EXPECT_EQ(get(task.id).task.lease->fence, 4);
}

TEST_P(Fences, OfAnEarlierAttemptAreStaleForever) {
  enqueue(task_of("t"));
  const core::Task first = claim_one("w1", 10s);
  clock.advance(10s);
  tick();
  for (const ReportAction action : kReports)
    expect_refused(first.id, "w1", report_of(first, action), ProblemCode::stale_lease);
  const core::Task second = claim_one("w1");
  for (const ReportAction action : kReports)
    expect_refused(first.id, "w1", report_of(first, action), ProblemCode::stale_lease);
  complete(second);
  for (const ReportAction action : kReports)
    expect_refused(first.id, "w1", report_of(first, action), ProblemCode::stale_lease);
}

TEST_P(Fences, OfATaskEndedByTheSweepAreStaleAndNotAlreadyCompleted) {
  core::TaskSpec spec = task_of("t");
  spec.retry.max_attempts = 1;
  enqueue(spec);
  const core::Task task = claim_one("w1", 10s);
  clock.advance(10s);
  tick();
  ASSERT_EQ(status_of(task.id), TaskStatus::dead_letter);
  for (const ReportAction action : kReports)
    expect_refused(task.id, "w1", report_of(task, action), ProblemCode::stale_lease);
}

TEST_P(Fences, OfATaskCancelledByTheSweepAreStale) {
  enqueue(task_of("t"));
  const core::Task task = claim_one("w1", 10s);
  ASSERT_TRUE(api().cancel_task("default", task.id).ok());
  clock.advance(10s);
  tick();
  ASSERT_EQ(status_of(task.id), TaskStatus::cancelled);
  for (const ReportAction action : kReports)
    expect_refused(task.id, "w1", report_of(task, action), ProblemCode::stale_lease);
}

TEST_P(Fences, OfAMissingTaskAreNotFound) {
  const core::Task task = enqueue(task_of("t"));
  core::TaskId other = task.id;
  other.bytes[15] ^= 1U;
  EXPECT_EQ(report("w1", {.task_id = other, .fence = 1}).problem().code, ProblemCode::not_found);
}

using Repeats = Conformance;

TEST_P(Repeats, OfACompletionReturnTheSameResultAndKeepTheFirstOutput) {
  enqueue(task_of("t"));
  const core::Task task = claim_one();
  core::Report done = report_of(task, ReportAction::complete);
  done.output = {"1"};
  const auto first = report("w1", done);
  clock.advance(1h);
  done.output = {"2"};
  EXPECT_EQ(report("w1", done), first);
  const auto stored = get(task.id);
  EXPECT_EQ(stored.task.output.text, "1");
  EXPECT_EQ(stored.attempts.size(), 1U);
  expect_refused(task.id, "w2", done, ProblemCode::stale_lease);
}

TEST_P(Repeats, OfAFailureReturnTheSameResultEvenDuringTheNextAttempt) {
  enqueue(task_of("t"));
  const core::Task first = claim_one();
  const auto answer = fail(first);
  EXPECT_EQ(answer->status, TaskStatus::pending);
  EXPECT_EQ(fail(first), answer);
  clock.advance(5s);
  tick();
  const core::Task second = claim_one("w2");
  EXPECT_EQ(fail(first), answer);
  complete(second);
  EXPECT_EQ(fail(first), answer);
  EXPECT_EQ(get(first.id).attempts.size(), 2U);
  expect_refused(first.id, "w1", report_of(first, ReportAction::complete), ProblemCode::stale_lease);
  expect_refused(first.id, "w1", report_of(first, ReportAction::release), ProblemCode::stale_lease);
}

TEST_P(Repeats, OfALastFailureReturnTheSameResult) {
  const core::Task dead = run_to_dead_letter(task_of("t"));
  EXPECT_EQ(fail(dead)->status, TaskStatus::dead_letter);
  const core::Task failed = run_to_failed(task_of("t"));
  EXPECT_EQ(fail(failed, "boom", false)->status, TaskStatus::failed);
  EXPECT_EQ(get(failed.id).attempts.size(), 1U);
}

TEST_P(Repeats, OfAReleaseReturnTheSameResult) {
  enqueue(task_of("t"));
  const core::Task first = claim_one();
  const auto answer = report(first, ReportAction::release);
  EXPECT_EQ(answer->status, TaskStatus::pending);
  EXPECT_EQ(report(first, ReportAction::release), answer);
  EXPECT_EQ(get(first.id).task.attempt, 0);
  const core::Task second = claim_one("w2");
  EXPECT_EQ(report(first, ReportAction::release), answer);
  EXPECT_EQ(get(first.id).task.lease->worker_id, "w2");
  expect_refused(first.id, "w1", report_of(first, ReportAction::complete), ProblemCode::stale_lease);
  complete(second);
}

TEST_P(Repeats, OfAStartOrAHeartbeatAreAcceptedWhileTheLeaseLasts) {
  enqueue(task_of("t"));
  const core::Task task = claim_one();
  EXPECT_EQ(report(task, ReportAction::start), report(task, ReportAction::start));
  EXPECT_EQ(report(task, ReportAction::heartbeat), report(task, ReportAction::heartbeat));
}

TEST_P(Repeats, WithAnotherActionOnAFinishedTaskAreAlreadyCompleted) {
  enqueue(task_of("t"));
  const core::Task done = claim_one();
  complete(done);
  const core::Task failed = run_to_failed(task_of("t"));
  for (const ReportAction action : kReports) {
    if (action != ReportAction::complete) {
      expect_refused(done.id, "w1", report_of(done, action), ProblemCode::already_completed);
    }
    if (action != ReportAction::fail) {
      expect_refused(failed.id, "w1", report_of(failed, action), ProblemCode::already_completed);
    }
    expect_refused(failed.id, "w2", report_of(failed, action), ProblemCode::stale_lease);
  }
}

TEST_P(Repeats, OfAReportThatEndedInACancelAreRecognizedByTheirAction) {
  enqueue(task_of("t"));
  const core::Task failed = claim_one();
  ASSERT_TRUE(api().cancel_task("default", failed.id).ok());
  EXPECT_EQ(fail(failed)->status, TaskStatus::cancelled);
  EXPECT_EQ(fail(failed)->status, TaskStatus::cancelled);
  expect_refused(failed.id, "w1", report_of(failed, ReportAction::release), ProblemCode::already_completed);

  enqueue(task_of("t"));
  const core::Task released = claim_one();
  ASSERT_TRUE(api().cancel_task("default", released.id).ok());
  EXPECT_EQ(report(released, ReportAction::release)->status, TaskStatus::cancelled);
  EXPECT_EQ(report(released, ReportAction::release)->status, TaskStatus::cancelled);
  expect_refused(released.id, "w1", report_of(released, ReportAction::fail), ProblemCode::already_completed);
}

TEST_P(Repeats, ThroughAnotherNodeReturnTheSameResult) {
  const auto other = another_node(2);
  enqueue(task_of("t"));
  const core::Task task = claim_one();
  const auto answer = report_to(other->api(), "w1", report_of(task, ReportAction::complete));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(report(task, ReportAction::complete), answer);
  EXPECT_EQ(report_to(other->api(), "w1", report_of(task, ReportAction::fail)).problem().code,
            ProblemCode::already_completed);

  enqueue(task_of("t"));
  const core::Task second = claim_one();
  const auto failed = fail(second);
  EXPECT_EQ(report_to(other->api(), "w1", report_of(second, ReportAction::fail)), failed);
}

TEST_P(Repeats, WithinOneReportAreAnsweredSeparately) {
  enqueue(task_of("t"));
  const core::Task task = claim_one();
  const core::Report complete = report_of(task, ReportAction::complete);
  core::Report bad = complete;
  bad.output = {"{"};
  const auto answers = api().report(
      {.worker_id = "w1", .reports = {bad, complete, complete, report_of(task, ReportAction::fail)}});
  ASSERT_TRUE(answers.ok());
  EXPECT_EQ(answers->at(0).problem().errors.at(0).field, "reports[0].output");
  EXPECT_EQ(answers->at(1)->status, TaskStatus::completed);
  EXPECT_EQ(answers->at(2), answers->at(1));
  EXPECT_EQ(answers->at(3).problem().code, ProblemCode::already_completed);
}

PAWL_ON_EVERY_STORE(Fences);
PAWL_ON_EVERY_STORE(Repeats);

}  // namespace pawl::testing
