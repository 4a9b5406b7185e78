// Which tasks a claim returns, and in which order.

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ReportAction;
using core::TaskStatus;

using Claim = Conformance;

TEST_P(Claim, ReturnsTheHighestPriorityFirstAndThenTheOldest) {
  std::vector<std::pair<int, core::TaskId>> expected;
  for (int i = 0; i < 30; ++i) {
    clock.advance(1ms);
    const int priority = std::array{0, 5, -3, 5, 0}.at(static_cast<std::size_t>(i % 5));
    expected.emplace_back(-priority,
                          enqueue_to(i % 2 == 0 ? "a" : "b", "type" + std::to_string(i % 3), priority).id);
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<core::TaskId> order;
  for (const auto& [priority, id] : expected) order.push_back(id);

  std::vector<core::TaskId> got;
  for (const int max : {7, 1, 12, 100}) {
    for (const auto& id : ids_of(claim_for({.worker_id = "w1", .queues = {"b", "a"}, .max = max})))
      got.push_back(id);
  }
  EXPECT_EQ(got, order);
}

TEST_P(Claim, ReturnsTasksOfOneInstantInEnqueueOrder) {
  std::vector<core::TaskId> expected;
  for (int i = 0; i < 20; ++i) expected.push_back(enqueue_to("default", i % 2 == 0 ? "a" : "b").id);
  EXPECT_EQ(ids_of(claim("w1", 100)), expected);
}

TEST_P(Claim, OrdersByTheTimeATaskBecameDue) {
  core::TaskSpec delayed = task_of("t");
  delayed.delay = 10s;
  const core::Task late = enqueue(delayed);
  clock.advance(1s);
  const core::Task early = enqueue(task_of("t"));
  clock.advance(1h);
  tick();
  const core::Task last = enqueue(task_of("t"));
  EXPECT_EQ(ids_of(claim()), (std::vector{early.id, late.id, last.id}));
}

TEST_P(Claim, ReturnsOnlyRequestedQueuesAndTypes) {
  enqueue_to("a", "x");
  enqueue_to("a", "y");
  enqueue_to("b", "x");
  EXPECT_TRUE(claim_for({.worker_id = "w", .queues = {"c"}}).empty());
  EXPECT_TRUE(claim_for({.worker_id = "w", .queues = {"b"}, .types = {"y"}}).empty());
  const auto of_type = claim_for({.worker_id = "w", .queues = {"a", "b"}, .types = {"x", "z"}, .max = 1});
  ASSERT_EQ(of_type.size(), 1U);
  EXPECT_EQ(of_type[0].type, "x");
  EXPECT_EQ(claim_for({.worker_id = "w", .queues = {"a", "a"}, .types = {"x", "x", "y"}}).size(), 1U)
      << "named twice, given once";
  EXPECT_EQ(claim_for({.worker_id = "w", .queues = {"a", "b"}}).size(), 1U);
}

TEST_P(Claim, AcceptsTypePrefixes) {
  for (const auto* type : {"mail.send", "report.daily", "reporter", "report.weekly", "report."})
    enqueue_to("a", type);
  const auto reports = claim_for({.worker_id = "w", .queues = {"a"}, .types = {"report.*", "nothing"}});
  ASSERT_EQ(reports.size(), 3U);
  for (const core::Task& task : reports) EXPECT_TRUE(task.type.starts_with("report.")) << task.type;
  EXPECT_EQ(claim_for({.worker_id = "w", .queues = {"a"}, .types = {"*"}}).size(), 2U);
}

TEST_P(Claim, ForOneTypeIsNotDelayedByTheBacklogOfAnother) {
  core::EnqueueTasks backlog;
  backlog.tasks.assign(3'000, task_of("slow"));
  for (core::TaskSpec& spec : backlog.tasks) spec.priority = 10;
  ASSERT_TRUE(api().enqueue_batch(backlog).ok());
  const core::Task wanted = enqueue(task_of("fast"));
  const auto got = claim_for({.worker_id = "w", .types = {"fast"}, .max = 5});
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].id, wanted.id);
}

TEST_P(Claim, ShowsTheLeaseAndTheExecutionKey) {
  const core::Task task = enqueue(task_of("t", "[1]"));
  clock.advance(3s);
  const auto claimed = api().claim({.worker_id = "w 1", .max = 1, .lease = 45s});
  ASSERT_TRUE(claimed.ok());
  const core::ClaimedTask& got = claimed->at(0);
  EXPECT_EQ(got.execution_key, to_string(task.id) + ":1");
  EXPECT_EQ(core::operation_key(got.task), to_string(task.id));
  EXPECT_EQ(got.task.status, TaskStatus::claimed);
  EXPECT_EQ(got.task.payload.text, "[1]");
  EXPECT_EQ(got.task.claimed_at, clock.now());
  EXPECT_EQ(got.task.lease->worker_id, "w 1");
  EXPECT_EQ(got.task.lease->acquired_at, clock.now());
  EXPECT_EQ(got.task.lease->expires_at, clock.now() + 45s);
  EXPECT_EQ(got.task.lease->heartbeat_at, clock.now());
  EXPECT_EQ(got.task.lease->renewals, 0);
  EXPECT_EQ(get(task.id).task, got.task);
}

TEST_P(Claim, ReturnsTheSameTaskAsALaterReadInEveryAttempt) {
  const core::Task task = enqueue(task_of("t"));
  const core::Task first = claim_one();
  ASSERT_TRUE(report(first, ReportAction::start).ok());
  ASSERT_TRUE(fail(first).ok());
  clock.advance(10s);
  tick();
  const core::Task second = claim_one();
  EXPECT_EQ(second.attempt, 2);
  EXPECT_EQ(get(task.id).task.lease, second.lease);
  EXPECT_EQ(api().get_task("default", task.id)->attempts.size(), 2U);
}

TEST_P(Claim, ReturnsNoHeldTask) {
  enqueue(task_of("t"));
  (void)claim_one("w1");
  EXPECT_TRUE(claim("w1").empty());
  EXPECT_TRUE(claim("w2").empty());
  const auto other = another_node(2);
  EXPECT_TRUE(other->api().claim({.worker_id = "w3"})->empty());
}

TEST_P(Claim, InOneGroupWithOthersSharesTasksWithoutOverlap) {
  core::EnqueueTasks batch;
  batch.tasks.assign(10, task_of("t"));
  std::vector<core::Command> commands{batch};
  for (int i = 0; i < 4; ++i)
    commands.emplace_back(core::ClaimTasks{.worker_id = "w" + std::to_string(i), .max = 3});
  const auto answers = submit_group(node(), std::move(commands));
  std::set<core::TaskId> distinct;
  for (std::size_t i = 1; i <= 4; ++i) {
    const auto tasks = answers[i].tasks();
    EXPECT_EQ(tasks.size(), i < 4 ? 3U : 1U) << "the first in the group are served first";
    for (const core::Task& task : tasks) distinct.insert(task.id);
  }
  EXPECT_EQ(distinct.size(), 10U);
  expect_counts_kept();
}

TEST_P(Claim, InTheGroupOfAnEnqueuePrefersOlderTasks) {
  const core::Task older = enqueue(task_of("t"));
  clock.advance(1s);
  core::TaskSpec urgent = task_of("t");
  urgent.priority = 1;
  const auto answers = submit_group(node(), {core::EnqueueTasks{.tasks = {task_of("t"), urgent}},
                                             core::ClaimTasks{.worker_id = "w", .max = 2}});
  const auto tasks = answers[1].tasks();
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].priority, 1);
  EXPECT_EQ(tasks[1].id, older.id);
}

TEST_P(Claim, SeesTasksEnqueuedByAnotherNode) {
  const auto other = another_node(2);
  EXPECT_TRUE(claim().empty());
  const auto enqueued = other->api().enqueue("default", task_of("new type"));
  ASSERT_TRUE(enqueued.ok());
  EXPECT_EQ(claim_one().id, enqueued->task.id);
}

PAWL_ON_EVERY_STORE(Claim);

}  // namespace pawl::testing
