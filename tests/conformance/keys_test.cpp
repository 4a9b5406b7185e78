// Tasks with the same key: they run one at a time and in order, however each ends.

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ReportAction;
using core::TaskStatus;

class Keys : public Conformance {
 public:
  // Claims all claimable tasks and expects exactly this one.
  core::Task expect_next(const core::TaskId& id, core::Duration lease = 30s) {
    const auto claimed = claim("w1", 100, lease);
    EXPECT_EQ(claimed.size(), 1U);
    if (claimed.size() != 1) throw std::runtime_error{"not one task of the line was claimable"};
    EXPECT_EQ(claimed[0].task.id, id);
    return claimed[0].task;
  }
};

TEST_P(Keys, RunTheirTasksOneAtATimeInCreationOrder) {
  std::vector<core::TaskId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(enqueue_keyed("k").id);
  EXPECT_EQ(queue().counts.blocked, 4);
  for (const core::TaskId& id : ids) {
    complete(expect_next(id));
    expect_counts_kept();
  }
  EXPECT_TRUE(queue().counts.is_zero());
}

TEST_P(Keys, KeepTheirOrderDespitePriorities) {
  core::TaskSpec low = task_of("t");
  low.key = "k";
  core::TaskSpec high = low;
  high.priority = 9;
  const core::Task first = enqueue(low);
  const core::Task second = enqueue(high);
  complete(expect_next(first.id));
  complete(expect_next(second.id));
}

TEST_P(Keys, KeepTheirOrderAcrossRetriesReleasesAndLostLeases) {
  const core::Task first = enqueue_keyed("k");
  const core::Task second = enqueue_keyed("k");
  ASSERT_TRUE(fail(expect_next(first.id)).ok());
  EXPECT_TRUE(claim().empty()) << "the head waits for its retry, and all wait for the head";
  EXPECT_EQ(status_of(second.id), TaskStatus::blocked);
  clock.advance(1min);
  tick();
  ASSERT_TRUE(report(expect_next(first.id), ReportAction::release).ok());
  (void)expect_next(first.id, 10s);
  clock.advance(10s);
  tick();
  complete(expect_next(first.id));
  complete(expect_next(second.id));
}

TEST_P(Keys, AreFreedByAFailedADeadAndACancelledTask) {
  core::TaskSpec spec = task_of("t");
  spec.key = "k";
  spec.retry.max_attempts = 1;
  std::vector<core::TaskId> ids;
  for (int i = 0; i < 6; ++i) ids.push_back(enqueue(spec).id);
  EXPECT_EQ(fail(expect_next(ids[0]), "boom", false)->status, TaskStatus::failed);
  EXPECT_EQ(fail(expect_next(ids[1]))->status, TaskStatus::dead_letter);
  (void)expect_next(ids[2], 10s);
  clock.advance(10s);
  EXPECT_EQ(engine().sweeper().tick(100).leases, 1) << "one transaction ends it and frees the line";
  EXPECT_EQ(status_of(ids[3]), TaskStatus::pending);
  ASSERT_TRUE(api().cancel_task("default", ids[3]).ok());
  const core::Task held = expect_next(ids[4]);
  ASSERT_TRUE(api().cancel_task("default", ids[4]).ok());
  EXPECT_TRUE(claim().empty()) << "asked to stop is not stopped";
  EXPECT_EQ(report(held, ReportAction::release)->status, TaskStatus::cancelled);
  complete(expect_next(ids[5]));
  expect_counts_kept();
}

TEST_P(Keys, SkipCancelledWaitingTasks) {
  std::vector<core::TaskId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(enqueue_keyed("k").id);
  for (const std::size_t i : {1U, 2U, 4U}) ASSERT_TRUE(api().cancel_task("default", ids[i]).ok());
  complete(expect_next(ids[0]));
  complete(expect_next(ids[3]));
  EXPECT_TRUE(claim().empty());
  const core::Task fresh = enqueue_keyed("k");
  EXPECT_EQ(fresh.status, TaskStatus::pending) << "the line is gone";
  complete(expect_next(fresh.id));
}

TEST_P(Keys, AdvanceWhenOneGroupEndsTheHeadAndChangesTheLine) {
  std::vector<core::TaskId> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(enqueue_keyed("k").id);
  const core::Task head = expect_next(ids[0]);
  core::TaskSpec spec = task_of("t");
  spec.key = "k";
  const auto answers = submit_group(
      node(), {core::ReportTasks{.worker_id = "w1", .reports = {report_of(head, ReportAction::complete)}},
               core::CancelTasks{.ids = {ids[1], ids[2]}}, core::EnqueueTasks{.tasks = {spec, spec}}});
  const auto added = std::get<std::vector<core::Enqueued>>(*answers[2].answer());
  EXPECT_EQ(status_of(added[0].id), TaskStatus::pending);
  EXPECT_EQ(status_of(added[1].id), TaskStatus::blocked);
  complete(expect_next(added[0].id));
  complete(expect_next(added[1].id));
  EXPECT_TRUE(queue().counts.is_zero());
}

TEST_P(Keys, OrderRevivedTasksByCreation) {
  core::TaskSpec spec = task_of("t");
  spec.key = "k";
  const core::Task first = run_to_failed(spec);
  const core::Task second = run_to_failed(spec);
  const core::Task third = enqueue(spec);
  const core::Task fourth = enqueue(spec);
  EXPECT_EQ(api().retry_task("default", second.id)->status, TaskStatus::blocked);
  EXPECT_EQ(api().retry_task("default", first.id)->status, TaskStatus::blocked);
  complete(expect_next(third.id));  // it became first in line before the others were revived
  complete(expect_next(first.id));
  complete(expect_next(second.id));
  complete(expect_next(fourth.id));
  expect_counts_kept();
}

TEST_P(Keys, OrderRevivedTasksByCreationWhenTheHeadFailsInTheSameGroup) {
  core::TaskSpec spec = task_of("t");
  spec.key = "k";
  const core::Task first = run_to_failed(spec);
  const core::Task second = run_to_failed(spec);
  const core::Task third = enqueue(spec);
  const core::Task fourth = enqueue(spec);
  ASSERT_TRUE(api().retry_task("default", second.id).ok());
  core::Report end = report_of(expect_next(third.id), ReportAction::fail);
  end.error = core::TaskError{.code = "no", .message = "never", .retryable = false};
  const auto answers = submit_group(node(), {core::ReportTasks{.worker_id = "w1", .reports = {end}},
                                             core::RetryTasks{.ids = {third.id, first.id}}});
  for (const auto& moved : std::get<std::vector<core::Result<core::TaskMoved>>>(*answers[1].answer()))
    EXPECT_TRUE(moved.ok());
  complete(expect_next(first.id));
  complete(expect_next(second.id));
  complete(expect_next(third.id));
  complete(expect_next(fourth.id));
  expect_counts_kept();
}

TEST_P(Keys, MakeARevivedTaskOfAnEmptyLinePendingImmediately) {
  core::TaskSpec spec = task_of("t");
  spec.key = "k";
  const core::Task failed = run_to_failed(spec);
  EXPECT_EQ(api().retry_task("default", failed.id)->status, TaskStatus::pending);
  const core::Task behind = enqueue(spec);
  EXPECT_EQ(behind.status, TaskStatus::blocked);
  complete(expect_next(failed.id));
  complete(expect_next(behind.id));
}

TEST_P(Keys, WaitForADelayedHead) {
  core::TaskSpec delayed = task_of("t");
  delayed.key = "k";
  delayed.delay = 1h;
  const core::Task head = enqueue(delayed);
  const core::Task next = enqueue_keyed("k");
  EXPECT_EQ(next.status, TaskStatus::blocked);
  EXPECT_TRUE(claim().empty());
  clock.advance(1h);
  tick();
  complete(expect_next(head.id));
  complete(expect_next(next.id));
}

TEST_P(Keys, KeepTheDelayOfABlockedTask) {
  const core::Task head = enqueue_keyed("k");
  core::TaskSpec delayed = task_of("t");
  delayed.key = "k";
  delayed.delay = 1h;
  const core::Task next = enqueue(delayed);
  complete(expect_next(head.id));
  EXPECT_EQ(status_of(next.id), TaskStatus::pending);
  EXPECT_EQ(queue().counts.scheduled, 1);
  EXPECT_TRUE(claim().empty());
  clock.advance(1h);
  tick();
  complete(expect_next(next.id));
}

TEST_P(Keys, AreSeparatePerQueueAndNamespace) {
  EXPECT_EQ(enqueue_keyed("k", "a").status, TaskStatus::pending);
  EXPECT_EQ(enqueue_keyed("k", "b").status, TaskStatus::pending);
  EXPECT_EQ(enqueue_keyed("K", "a").status, TaskStatus::pending);
  EXPECT_EQ(enqueue_keyed("k", "a").status, TaskStatus::blocked);
  core::TaskSpec spec = task_of("t");
  spec.key = "k";
  spec.queue = "a";
  EXPECT_EQ(api().enqueue("other", spec)->task.status, TaskStatus::pending);
  EXPECT_EQ(claim_for({.worker_id = "w", .queues = {"a", "b"}, .max = 100}).size(), 3U);
}

TEST_P(Keys, HaveOneLineForAllTypes) {
  core::TaskSpec a = task_of("a");
  core::TaskSpec b = task_of("b");
  a.key = b.key = "k";
  enqueue(a);
  EXPECT_EQ(enqueue(b).status, TaskStatus::blocked);
  EXPECT_TRUE(claim_for({.worker_id = "w", .types = {"b"}}).empty());
}

TEST_P(Keys, HaveOneLineForAllNodes) {
  const auto other = another_node(2);
  const core::Task first = enqueue_keyed("k");
  core::TaskSpec spec = task_of("t");
  spec.key = "k";
  const auto second = other->api().enqueue("default", spec);
  EXPECT_EQ(second->task.status, TaskStatus::blocked);
  const core::Task third = enqueue_keyed("k");
  const core::Task held = expect_next(first.id);
  EXPECT_TRUE(other->api().claim({.worker_id = "w2"})->empty());
  ASSERT_TRUE(report_to(other->api(), "w1", report_of(held, ReportAction::complete)).ok());
  complete(expect_next(second->task.id));
  const auto last = other->api().claim({.worker_id = "w2"});
  ASSERT_EQ(last->size(), 1U);
  EXPECT_EQ(last->at(0).task.id, third.id);
}

TEST_P(Keys, OfManyEntitiesRunConcurrently) {
  core::EnqueueTasks batch;
  for (int i = 0; i < 200; ++i) {
    core::TaskSpec spec = task_of("t", std::to_string(i));
    spec.key = "k" + std::to_string(i % 40);
    batch.tasks.push_back(spec);
  }
  ASSERT_TRUE(api().enqueue_batch(batch).ok());
  for (int round = 0; round < 5; ++round) {
    const auto claimed = claim("w1", 1'000);
    ASSERT_EQ(claimed.size(), 40U) << "round " << round;
    core::ReportTasks reports{.worker_id = "w1"};
    for (const auto& one : claimed) {
      EXPECT_EQ(std::stoi(one.task.payload.text) / 40, round);
      reports.reports.push_back(report_of(one.task, ReportAction::complete));
    }
    const auto answers = api().report(reports);
    ASSERT_TRUE(answers.ok());
    for (const auto& answer : *answers) EXPECT_TRUE(answer.ok());
  }
  EXPECT_TRUE(queue().counts.is_zero());
}

PAWL_ON_EVERY_STORE(Keys);

}  // namespace pawl::testing
