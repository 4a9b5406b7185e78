// Waiting claims: served in the group that makes a task claimable, in their order, and never longer than
// their wait.

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ProblemCode;
using core::ReportAction;

using WaitingClaims = Conformance;

TEST_P(WaitingClaims, AreServedInTheGroupThatEnqueuesTheTask) {
  const Pending claim = waiting_claim({.worker_id = "w1"});
  EXPECT_FALSE(claim.is_answered());
  const core::Task task = enqueue(task_of("t", "[7]"));
  ASSERT_TRUE(claim.is_answered());
  ASSERT_EQ(claim.tasks().size(), 1U);
  EXPECT_EQ(claim.tasks()[0].id, task.id);
  EXPECT_EQ(claim.tasks()[0].payload.text, "[7]");
  EXPECT_EQ(task.status, core::TaskStatus::claimed) << "it was never seen pending";
  expect_counts_kept();
}

TEST_P(WaitingClaims, EndEmptyAtTheirTimeout) {
  const Pending claim = waiting_claim({.worker_id = "w1"}, 20s);
  clock.advance(20s - 1us);
  engine().end_waits();
  EXPECT_FALSE(claim.is_answered());
  clock.advance(1us);
  engine().end_waits();
  ASSERT_TRUE(claim.is_answered());
  EXPECT_TRUE(claim.tasks().empty());
  const core::Task task = enqueue(task_of("t"));
  EXPECT_EQ(status_of(task.id), core::TaskStatus::pending) << "no claim waits any more";
}

TEST_P(WaitingClaims, AreServedInArrivalOrder) {
  const Pending first = waiting_claim({.worker_id = "w1", .max = 1});
  const Pending second = waiting_claim({.worker_id = "w2", .max = 2});
  const Pending third = waiting_claim({.worker_id = "w3", .max = 1});
  core::EnqueueTasks batch;
  batch.tasks.assign(3, task_of("t"));
  ASSERT_TRUE(api().enqueue_batch(batch).ok());
  EXPECT_EQ(first.tasks().size(), 1U);
  EXPECT_EQ(second.tasks().size(), 2U);
  EXPECT_FALSE(third.is_answered());
  enqueue(task_of("t"));
  EXPECT_EQ(third.tasks().size(), 1U);
}

TEST_P(WaitingClaims, AreServedBeforeClaimsOfTheGroupThatEnqueues) {
  const Pending waiting = waiting_claim({.worker_id = "old", .max = 1});
  const auto answers = submit_group(
      node(), {core::EnqueueTasks{.tasks = {task_of("t")}}, core::ClaimTasks{.worker_id = "new", .max = 1}});
  EXPECT_EQ(waiting.tasks().size(), 1U);
  EXPECT_TRUE(answers[1].tasks().empty());
}

TEST_P(WaitingClaims, WakeOnlyForTheirQueueTypeAndNamespace) {
  const Pending claim = waiting_claim({.worker_id = "w1", .queues = {"a"}, .types = {"x"}});
  enqueue_to("b", "x");
  enqueue_to("a", "y");
  core::TaskSpec elsewhere = task_of("x");
  elsewhere.queue = "a";
  ASSERT_TRUE(api().enqueue("other", elsewhere).ok());
  EXPECT_FALSE(claim.is_answered());
  enqueue_to("a", "x");
  EXPECT_EQ(claim.tasks().size(), 1U);
}

TEST_P(WaitingClaims, WithATypePrefixWakeForMatchingTypes) {
  const Pending claim = waiting_claim({.worker_id = "w1", .types = {"report.*"}});
  enqueue(task_of("mail.send"));
  enqueue(task_of("report"));
  EXPECT_FALSE(claim.is_answered());
  enqueue(task_of("report.daily"));
  EXPECT_EQ(claim.tasks().size(), 1U);
}

TEST_P(WaitingClaims, ForAnyTypeAndForOneTypeAreServedByAge) {
  const Pending any = waiting_claim({.worker_id = "w1", .max = 1});
  const Pending one = waiting_claim({.worker_id = "w2", .types = {"t"}, .max = 1});
  enqueue(task_of("t"));
  EXPECT_TRUE(any.is_answered());
  EXPECT_FALSE(one.is_answered());
  enqueue(task_of("t"));
  EXPECT_TRUE(one.is_answered());
}

TEST_P(WaitingClaims, GetReleasedAndRetriedTasks) {
  enqueue(task_of("t"));
  const core::Task held = claim_one("w1");
  const Pending claim = waiting_claim({.worker_id = "w2"});
  ASSERT_TRUE(report(held, ReportAction::release).ok());
  ASSERT_EQ(claim.tasks().size(), 1U);
  ASSERT_TRUE(fail(claim.tasks()[0], "boom", false).ok());
  const Pending next = waiting_claim({.worker_id = "w3"});
  ASSERT_TRUE(api().retry_task("default", held.id).ok());
  EXPECT_EQ(next.tasks().size(), 1U);
}

TEST_P(WaitingClaims, GetDueTasksAndTasksOfLostLeases) {
  core::TaskSpec delayed = task_of("t");
  delayed.delay = 5s;
  enqueue(delayed);
  const Pending due = waiting_claim({.worker_id = "w1", .lease = 10s});
  clock.advance(5s);
  tick();
  ASSERT_EQ(due.tasks().size(), 1U);
  const Pending rescued = waiting_claim({.worker_id = "w2"});
  clock.advance(10s);
  tick();
  ASSERT_EQ(rescued.tasks().size(), 1U);
  EXPECT_EQ(rescued.tasks()[0].lease->worker_id, "w2");
}

TEST_P(WaitingClaims, GetTheNextTaskOfAKeyLineWhenItsHeadEnds) {
  enqueue_keyed("k");
  const core::Task next = enqueue_keyed("k");
  const core::Task head = claim_one("w1");
  const Pending claim = waiting_claim({.worker_id = "w2"});
  complete(head);
  ASSERT_EQ(claim.tasks().size(), 1U);
  EXPECT_EQ(claim.tasks()[0].id, next.id);
}

TEST_P(WaitingClaims, GetTasksOfAnotherNodeWhenTheyPoll) {
  const auto other = another_node(2);
  const Pending claim = waiting_claim({.worker_id = "w1"});
  ASSERT_TRUE(other->api().enqueue("default", task_of("t")).ok());
  engine().serve_waiting(false);
  EXPECT_EQ(claim.tasks().size(), 1U);
}

TEST_P(WaitingClaims, ShareTasksWhenTheyPoll) {
  const auto other = another_node(2);
  std::vector<Pending> claims;
  for (int i = 0; i < 5; ++i)
    claims.push_back(waiting_claim({.worker_id = "w" + std::to_string(i), .max = 1}));
  core::EnqueueTasks batch;
  batch.tasks.assign(4, task_of("t"));
  ASSERT_TRUE(other->api().enqueue_batch(batch).ok());
  engine().serve_waiting(false);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(claims[i].is_answered(), i < 4) << i;
}

TEST_P(WaitingClaims, BeyondTheLimitAreRejected) {
  SeededRandom random{9};
  engine::Engine small{*node().store(), clock, random, {.waiting_claims_max = 2}};
  std::vector<Pending> claims(3);
  for (const Pending& claim : claims) {
    std::vector<engine::Request> group;
    group.push_back({.command = core::ClaimTasks{.worker_id = "w", .wait = 20s}, .reply = claim.reply()});
    small.execute(std::move(group));
  }
  EXPECT_FALSE(claims[0].is_answered());
  EXPECT_FALSE(claims[1].is_answered());
  EXPECT_EQ(claims[2].problem(), ProblemCode::resource_exhausted);
  small.abandon_waits();
  EXPECT_TRUE(claims[0].tasks().empty());
  EXPECT_TRUE(claims[1].tasks().empty());
}

TEST_P(WaitingClaims, WithATaskAvailableDoNotWaitForMore) {
  enqueue(task_of("t"));
  const Pending claim = waiting_claim({.worker_id = "w1", .max = 10});
  EXPECT_EQ(claim.tasks().size(), 1U);
}

PAWL_ON_EVERY_STORE(WaitingClaims);

}  // namespace pawl::testing
