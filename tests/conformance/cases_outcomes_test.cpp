// Regression tests for other systems' bugs with clocks, lost replies, crash loops and herds (RELIABILITY B27
// to B55).

#include <algorithm>
#include <set>

#include "tests/conformance/faults.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ProblemCode;
using core::ReportAction;
using core::TaskStatus;
using store::StoreError;
using store::Verb;

using Outcomes = Conformance;

TEST_P(Outcomes, B27_LeasesDependOnTheStoreClockOnly) {
  ManualClock ahead;
  ManualClock behind;
  ahead.advance(1h);
  behind.step_wall(-1h);
  DirectNode early{node().store(), ahead, 2};
  DirectNode late{node().store(), behind, 3};
  enqueue(task_of("t"));
  const auto claimed = early.api().claim({.worker_id = "w1", .max = 1, .lease = 10s});
  ASSERT_EQ(claimed->size(), 1U);
  const core::Task& task = claimed->at(0).task;
  EXPECT_EQ(task.lease->expires_at, clock.now() + 10s);
  clock.advance(10s - 1us);
  EXPECT_EQ(early.engine().sweeper().tick(10).leases, 0);
  EXPECT_EQ(late.engine().sweeper().tick(10).leases, 0);
  EXPECT_TRUE(report_to(late.api(), "w1", report_of(task, ReportAction::heartbeat)).ok());
  clock.advance(10s);
  EXPECT_EQ(report_to(late.api(), "w1", report_of(task, ReportAction::complete)).problem().code,
            ProblemCode::stale_lease);
  EXPECT_EQ(late.engine().sweeper().tick(10).leases, 1);
  core::TaskSpec delayed = task_of("d");
  delayed.delay = 10s;
  ASSERT_TRUE(late.api().enqueue("default", delayed).ok());
  EXPECT_EQ(early.engine().sweeper().tick(10).promoted, 0);
  clock.advance(10s);
  EXPECT_EQ(late.engine().sweeper().tick(10).promoted, 1);
}

core::TaskSpec unique(const std::string& key) {
  core::TaskSpec spec = task_of("t");
  spec.idempotency_key = key;
  return spec;
}

TEST_P(Outcomes, B39_AUniqueEnqueueWhoseWinnerRollsBackCreatesOneTask) {
  FaultyNode winner{node(), clock, 2};
  winner.plan.on_verb = [](Verb verb) {
    if (verb == Verb::commit) lose(StoreError::Kind::unavailable);
  };
  EXPECT_EQ(winner.node.api().enqueue("default", unique("k")).problem().code, ProblemCode::unavailable);
  const auto second = api().enqueue("default", unique("k"));
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(second->created) << "the one that rolled back left the key free";
  winner.plan.on_verb = [](Verb) {};
  const auto third = winner.node.api().enqueue("default", unique("k"));
  EXPECT_FALSE(third->created);
  EXPECT_EQ(third->task.id, second->task.id);
  EXPECT_EQ(list({}).size(), 1U);
}

TEST_P(Outcomes, B39_AUniqueEnqueueThatLosesTheRaceReturnsTheOtherTask) {
  FaultyNode slow{node(), clock, 2};
  std::optional<core::TaskId> others;
  if (GetParam() == StoreKind::postgres) {  // other stores have a single writer: no commit in between
    slow.plan.on_verb = [&](Verb verb) {
      if (verb == Verb::commit && !others) others = api().enqueue("default", unique("k"))->task.id;
    };
  } else {
    others = api().enqueue("default", unique("k"))->task.id;
  }
  const auto mine = slow.node.api().enqueue("default", unique("k"));
  ASSERT_TRUE(mine.ok()) << mine.problem().detail;
  EXPECT_FALSE(mine->created);
  EXPECT_EQ(mine->task.id, *others);
  EXPECT_EQ(list({}).size(), 1U);
}

class LostReply : public Conformance {
 public:
  LostReply() : faulty(node(), clock, 2) {}

  // The next commit succeeds, but its reply is lost.
  void lose_next_reply() {
    faulty.plan.on_committed = [this] {
      faulty.plan.on_committed = [] {};
      lose(StoreError::Kind::unknown);
    };
  }
  core::Api& lossy() { return faulty.node.api(); }

  FaultyNode faulty;
};

TEST_P(LostReply, B43_OfAnEnqueueIsRecoveredByARetry) {
  lose_next_reply();
  const auto lost = lossy().enqueue_batch({.tasks = {unique("a"), unique("b")}});
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.problem().code, ProblemCode::unavailable);
  EXPECT_NE(lost.problem().detail.find("not known"), std::string::npos)
      << "it does not say that nothing happened";
  const auto again = lossy().enqueue_batch({.tasks = {unique("a"), unique("b")}});
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->at(0).created);
  EXPECT_EQ(ids_of(list({})), (std::vector{again->at(0).id, again->at(1).id}));
}

TEST_P(LostReply, B43_OfAnEnqueueWithoutAKeyIsNotRetriedByTheServer) {
  lose_next_reply();
  EXPECT_FALSE(lossy().enqueue("default", task_of("t")).ok());
  EXPECT_EQ(list({}).size(), 1U);
}

TEST_P(LostReply, B43_OfEveryReportIsRecoveredByARetry) {
  for (const ReportAction action : {ReportAction::start, ReportAction::heartbeat, ReportAction::complete,
                                    ReportAction::fail, ReportAction::release}) {
    SCOPED_TRACE(static_cast<int>(action));
    const core::Task task = enqueue_to("q" + std::to_string(static_cast<int>(action)));
    const core::Task held = claim_for({.worker_id = "w1", .queues = {task.queue}}).at(0);
    lose_next_reply();
    EXPECT_EQ(report_to(lossy(), "w1", report_of(held, action)).problem().code, ProblemCode::unavailable);
    const core::TaskStatus committed = status_of(task.id);
    const auto again = report_to(lossy(), "w1", report_of(held, action));
    ASSERT_TRUE(again.ok()) << again.problem().detail;
    EXPECT_EQ(again->status, committed);
    EXPECT_EQ(status_of(task.id), committed);
    EXPECT_LE(get(task.id).attempts.size(), 1U);
  }
}

TEST_P(LostReply, B43_OfAClaimLeadsToRedeliveryAfterTheLease) {
  ASSERT_TRUE(lossy().claim({.worker_id = "w1"}).ok()) << "the first claim of a worker registers it";
  const core::Task task = enqueue(task_of("t"));
  lose_next_reply();
  EXPECT_FALSE(lossy().claim({.worker_id = "w1", .lease = 10s}).ok());
  EXPECT_EQ(status_of(task.id), TaskStatus::claimed);
  clock.advance(10s);
  tick();
  const core::Task again = claim_one("w1");
  EXPECT_EQ(again.id, task.id);
  complete(again);
}

TEST_P(LostReply, B43_OfAnOperatorsCallIsDetectedByARetry) {
  const core::Task dead = run_to_dead_letter(task_of("t"));
  lose_next_reply();
  EXPECT_FALSE(lossy().retry_task("default", dead.id).ok());
  EXPECT_EQ(status_of(dead.id), TaskStatus::pending);
  EXPECT_EQ(lossy().retry_task("default", dead.id).problem().code, ProblemCode::invalid_state);
  lose_next_reply();
  EXPECT_FALSE(lossy().cancel_task("default", dead.id).ok());
  EXPECT_EQ(lossy().cancel_task("default", dead.id).problem().code, ProblemCode::already_completed);
  lose_next_reply();
  EXPECT_FALSE(lossy().set_queue({.name = "q", .patch = {.max_concurrency = {{3}}}}).ok());
  EXPECT_EQ(queue("q").settings.max_concurrency, 3);
  expect_counts_kept();
}

TEST_P(LostReply, B43_OfASweepCausesNoSecondSweep) {
  const core::Task task = enqueue(task_of("t"));
  (void)claim_one("w1", 10s);
  clock.advance(10s);
  lose_next_reply();
  EXPECT_EQ(faulty.node.engine().sweeper().tick(100).leases, 0);
  EXPECT_EQ(status_of(task.id), TaskStatus::pending);
  EXPECT_EQ(faulty.node.engine().sweeper().tick(100).leases, 0);
  EXPECT_EQ(get(task.id).attempts.size(), 1U);
}

// A worker claims three tasks at a time and dies with all of them if one is the killer. Their first two
// retries are immediate and hence together; later ones back off individually, and the innocent tasks return
// without the killer.
TEST_P(Outcomes, B54_ACrashLoopEndsAsADeadLetterWithoutAffectingOthers) {
  const core::Task suspect = enqueue(task_of("t", "\"killer\""));
  core::EnqueueTasks others;
  others.tasks.assign(20, task_of("t"));
  ASSERT_TRUE(api().enqueue_batch(others).ok());

  int crashes = 0;
  for (int step = 0; step < 600 && status_of(suspect.id) != TaskStatus::dead_letter; ++step) {
    const auto batch = claim("w" + std::to_string(step), 3, 2s);
    const bool is_killed =
        std::any_of(batch.begin(), batch.end(), [&](const auto& one) { return one.task.id == suspect.id; });
    crashes += is_killed ? 1 : 0;
    for (const auto& one : batch) {
      if (!is_killed) complete(one.task);
    }
    clock.advance(100ms);
    tick();
  }
  const auto dead = get(suspect.id);
  EXPECT_EQ(dead.task.status, TaskStatus::dead_letter);
  EXPECT_EQ(dead.task.error->code, "worker_lost");
  EXPECT_EQ(crashes, 4);
  EXPECT_EQ(dead.attempts.size(), 4U);
  EXPECT_EQ(list({.statuses = {TaskStatus::completed}}).size(), 20U) << "its neighbours outlived it";
}

TEST_P(Outcomes, B55_AThunderingHerdIsRetriedSpreadOverTime) {
  core::EnqueueTasks batch;
  core::TaskSpec spec = task_of("t");
  spec.retry = {.initial_interval = 60s, .max_interval = 60s};  // at the maximum from the first retry
  batch.tasks.assign(500, spec);
  ASSERT_TRUE(api().enqueue_batch(batch).ok());
  core::ReportTasks reports{.worker_id = "w1"};
  for (const auto& one : claim("w1", 500)) reports.reports.push_back(report_of(one.task, ReportAction::fail));
  ASSERT_TRUE(api().report(reports).ok());
  std::map<std::int64_t, int> by_second;
  for (const core::Task& task : list({})) {
    const core::Duration wait = task.available_at - clock.now();
    ASSERT_GE(wait, 48s);
    ASSERT_LE(wait, 72s);
    ++by_second[wait / 1s];
  }
  EXPECT_GE(by_second.size(), 24U);
  for (const auto& [second, count] : by_second) EXPECT_LE(count, 2 * 500 / 24 + 5) << second;
}

PAWL_ON_EVERY_STORE(Outcomes);
PAWL_ON_EVERY_STORE(LostReply);

}  // namespace pawl::testing
