// The engine with its threads: callers on many threads, waiting claims, the ticker, shutdown.

#include <atomic>
#include <set>

#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

using core::ProblemCode;
using core::ReportAction;
using core::TaskStatus;

using Runtime = RuntimeTest;

TEST_P(Runtime, AnswersEightThreadsAndMakesEverythingDurable) {
  constexpr int kThreads = 8;
  constexpr int kEach = 40;
  std::mutex mutex;
  std::set<core::TaskId> completed;
  {
    RunningNode node{open()};
    in_parallel(kThreads, [&](int thread) {
      const std::string worker = "w" + std::to_string(thread);
      for (int i = 0; i < kEach; ++i) {
        const auto enqueued =
            node.api().enqueue("default", task_of("t" + std::to_string(i % 3), std::to_string(i)));
        ASSERT_TRUE(enqueued.ok()) << enqueued.problem().detail;
        const auto claimed = node.api().claim({.worker_id = worker, .max = 1, .wait = 30s});
        ASSERT_TRUE(claimed.ok()) << claimed.problem().detail;
        ASSERT_EQ(claimed->size(), 1U) << "each enqueues before it claims: there is one for everybody";
        for (const auto& one : *claimed) {
          const auto answers = node.api().report(
              {.worker_id = worker, .reports = {report_of(one.task, ReportAction::complete)}});
          ASSERT_TRUE(answers.ok());
          ASSERT_TRUE(answers->front().ok()) << answers->front().problem().detail;
          const std::lock_guard lock{mutex};
          EXPECT_TRUE(completed.insert(one.task.id).second) << "completed twice";
        }
      }
    });
  }
  RunningNode reopened{open()};
  EXPECT_EQ(completed.size(), static_cast<std::size_t>(kThreads * kEach));
  EXPECT_TRUE(counts_of(reopened.api()).is_zero());
  for (const core::TaskId& id : completed) {
    EXPECT_EQ(reopened.api().get_task("default", id)->task.status, TaskStatus::completed);
  }
}

TEST_P(Runtime, GivesATaskToAWaitingClaim) {
  RunningNode node{open()};
  auto claimed = claim_later(node, {.worker_id = "w1", .wait = 20s});
  ASSERT_TRUE(eventually([&] { return node.runtime.engine().waiters().size() == 1; }));
  const auto task = node.api().enqueue("default", task_of("t"));
  const auto got = claimed.get();
  ASSERT_EQ(got->size(), 1U);
  EXPECT_EQ(got->at(0).task.id, task->task.id);
}

TEST_P(Runtime, GivesADueTaskToAWaitingClaim) {
  RunningNode node{open()};
  auto claimed = claim_later(node, {.worker_id = "w1", .wait = 20s});
  ASSERT_TRUE(eventually([&] { return node.runtime.engine().waiters().size() == 1; }));
  core::TaskSpec spec = task_of("t");
  spec.delay = 50ms;
  const auto task = node.api().enqueue("default", spec);
  const auto got = claimed.get();
  ASSERT_EQ(got->size(), 1U);
  EXPECT_GE(got->at(0).task.lease->acquired_at, task->task.available_at);
}

TEST_P(Runtime, EndsAClaimAtItsTimeout) {
  RunningNode node{open()};
  const auto before = node.clock.monotonic();
  const auto claimed = node.api().claim({.worker_id = "w1", .wait = 60ms});
  EXPECT_TRUE(claimed->empty());
  EXPECT_GE(node.clock.monotonic() - before, 60ms);
}

TEST_P(Runtime, FindsTasksEnqueuedByAnotherNode) {
  RunningNode node{open()};
  RunningNode other{open()};
  auto claimed = claim_later(node, {.worker_id = "w1", .wait = 20s});
  ASSERT_TRUE(eventually([&] { return node.runtime.engine().waiters().size() == 1; }));
  const auto task = other.api().enqueue("default", task_of("a type that is new"));
  ASSERT_TRUE(task.ok());
  if (GetParam() == StoreKind::memory)
    node.runtime.engine().serve_waiting(false);  // within one process no node polls the memory store
  EXPECT_EQ(claimed.get()->size(), 1U);
}

TEST_P(Runtime, PromotesAndSweepsAutomatically) {
  RunningNode node{open()};
  core::TaskSpec delayed = task_of("later");
  delayed.delay = 30ms;
  const auto later = node.api().enqueue("default", delayed);
  ASSERT_TRUE(eventually([&] { return counts_of(node.api()).pending == 1; }));
  const auto claimed = node.api().claim({.worker_id = "w1", .lease = 30ms});
  ASSERT_EQ(claimed->size(), 1U);
  ASSERT_TRUE(eventually([&] { return counts_of(node.api()).pending == 1; }));
  const auto seen = node.api().get_task("default", later->task.id);
  EXPECT_EQ(seen->attempts.at(0).outcome, core::AttemptOutcome::lease_expired);
}

TEST_P(Runtime, SweepsTimeoutsAutomatically) {
  RunningNode node{open()};
  core::TaskSpec spec = task_of("t");
  spec.timeout = 30ms;
  spec.retry.max_attempts = 1;
  const auto task = node.api().enqueue("default", spec);
  ASSERT_EQ(node.api().claim({.worker_id = "w1", .lease = 1h})->size(), 1U);
  ASSERT_TRUE(eventually(
      [&] { return node.api().get_task("default", task->task.id)->task.status == TaskStatus::dead_letter; }));
}

TEST_P(Runtime, ErasesOldTasksAutomatically) {
  const auto store = open();
  core::TaskId old;
  {
    RunningNode before{store};
    old = before.api().enqueue("default", task_of("t"))->task.id;
    ASSERT_TRUE(before.api().cancel_task("default", old).ok());
  }
  runtime::RuntimeOptions options;
  options.ticker.retention.tasks = 0s;
  RunningNode node{store, options};
  const core::TaskId pending = node.api().enqueue("default", task_of("t"))->task.id;
  EXPECT_TRUE(eventually([&] { return !node.api().get_task("default", old).ok(); }));
  EXPECT_TRUE(node.api().get_task("default", pending).ok());
}

TEST_P(Runtime, AnswersEverythingWhenItIsDestroyed) {
  std::vector<std::future<core::Result<std::vector<core::ClaimedTask>>>> claims;
  std::vector<std::promise<core::Result<core::Answer>>> promises(200);
  auto node = std::make_unique<RunningNode>(open());
  for (int i = 0; i < 4; ++i)
    claims.push_back(claim_later(*node, {.worker_id = "w1", .queues = {"empty"}, .wait = 60s}));
  ASSERT_TRUE(eventually([&] { return node->runtime.engine().waiters().size() == 4; }));
  for (auto& promise : promises) {
    node->runtime.submit(
        core::EnqueueTasks{.tasks = {task_of("t")}},
        [&promise](core::Result<core::Answer> answer) { promise.set_value(std::move(answer)); });
  }
  node.reset();
  for (auto& claim : claims) EXPECT_TRUE(claim.get()->empty());
  for (auto& promise : promises) EXPECT_TRUE(promise.get_future().get().ok());
  RunningNode reopened{open()};
  EXPECT_EQ(counts_of(reopened.api()).pending, 200);
}

TEST_P(Runtime, RejectsInvalidCommandsWithoutQueueingThem) {
  RunningNode node{open()};
  EXPECT_EQ(node.api().enqueue("default", task_of("t", "{")).problem().code, ProblemCode::invalid_argument);
  EXPECT_EQ(node.api().claim({.worker_id = ""}).problem().code, ProblemCode::invalid_argument);
}

TEST_P(Runtime, LimitsWaitingClaims) {
  // Without a ticker, which would take waiting claims out to poll the store, and so briefly make room.
  RunningNode node{open(), {.ticker = {.interval = 1h}, .limits = {.waiting_claims_max = 2}}};
  auto first = claim_later(node, {.worker_id = "w1", .wait = 60s});
  auto second = claim_later(node, {.worker_id = "w2", .wait = 60s});
  ASSERT_TRUE(eventually([&] { return node.runtime.engine().waiters().size() == 2; }));
  EXPECT_EQ(node.api().claim({.worker_id = "w3", .wait = 60s}).problem().code,
            ProblemCode::resource_exhausted);
  node.runtime.engine().abandon_waits();
  EXPECT_TRUE(first.get()->empty());
  EXPECT_TRUE(second.get()->empty());
}

TEST_P(Runtime, HandsOverLeadershipWhenItEnds) {
  const runtime::RuntimeOptions options{.ticker = {.maintenance = 10ms},
                                        .node = {.version = "test", .leader_ttl = 1min}};
  auto first = std::make_unique<RunningNode>(open(), options);
  ASSERT_TRUE(eventually([&] { return first->runtime.membership().is_leader(); }));
  auto second = std::make_unique<RunningNode>(open(), options);
  ASSERT_TRUE(eventually([&] { return first->api().list_nodes()->size() == 2; }));
  EXPECT_FALSE(second->runtime.membership().is_leader());
  first.reset();
  EXPECT_EQ(second->api().list_nodes()->size(), 1U);
  const RunningNode third{open(), options};
  const auto a_node_leads = [&] {
    return second->runtime.membership().is_leader() || third.runtime.membership().is_leader();
  };
  EXPECT_TRUE(eventually(a_node_leads)) << "no node waits a minute";
}

PAWL_ON_EVERY_STORE(Runtime);

}  // namespace pawl::testing
