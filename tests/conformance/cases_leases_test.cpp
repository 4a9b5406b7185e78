// Regression tests for other systems' bugs with leases, rescue and zombie workers (RELIABILITY B01 to B20).

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ProblemCode;
using core::ReportAction;
using core::TaskStatus;

class Cases : public Conformance {
 public:
  // The commands for expired leases that another node found, to be executed later.
  std::vector<core::Command> found_due(DirectNode& rescuer) {
    std::optional<core::TimePoint> next;
    return rescuer.engine().sweeper().find_due(100, next);
  }
  static int changed(DirectNode& node, std::vector<core::Command> commands) {
    int total = 0;
    for (const Pending& answer : submit_group(node, std::move(commands))) {
      total += std::get<core::Swept>(*answer.answer()).changed;
    }
    return total;
  }
};

TEST_P(Cases, B01_ARescueAfterACompletionChangesNothing) {
  const auto rescuer = another_node(2);
  const core::Task task = enqueue(task_of("t"));
  const core::Task held = claim_one("w1", 10s);
  clock.step_wall(10s);  // the rescuer reads during a clock step that is reverted afterwards
  auto found = found_due(*rescuer);
  ASSERT_EQ(found.size(), 1U);
  clock.step_wall(-5s);
  complete(held);
  clock.step_wall(5s);
  const auto before = get(task.id);
  EXPECT_EQ(changed(*rescuer, std::move(found)), 0);
  const auto after = get(task.id);
  EXPECT_EQ(after.task, before.task);
  EXPECT_EQ(after.attempts, before.attempts);
  EXPECT_TRUE(api().list_checkpoints("default", task.id)->empty());
}

TEST_P(Cases, B01_ALateRescueOfALeaseThatWasReclaimedChangesNothing) {
  const auto rescuer = another_node(2);
  enqueue(task_of("t"));
  (void)claim_one("w1", 10s);
  clock.advance(10s);
  auto found = found_due(*rescuer);
  tick();
  const core::Task again = claim_one("w2", 10s);
  clock.advance(10s);  // the new lease has expired too, but it is not the lease that was found
  EXPECT_EQ(changed(*rescuer, std::move(found)), 0);
  EXPECT_EQ(get(again.id).task.lease->worker_id, "w2");
}

TEST_P(Cases, B02_ALateCompletionAfterAReclaimIsStaleAndStartsNoSuccessor) {
  const core::Task task = enqueue_keyed("k");
  const core::Task next = enqueue_keyed("k");
  const core::Task last = enqueue_keyed("k");
  const core::Task stopped = claim_one("a", 10s);
  clock.advance(10s);
  tick();
  complete(claim_one("b"));
  const auto before = list({});
  const core::QueueCounts counts = queue().counts;
  for (const ReportAction action :
       {ReportAction::complete, ReportAction::fail, ReportAction::release, ReportAction::heartbeat}) {
    expect_refused(task.id, "a", report_of(stopped, action), ProblemCode::stale_lease);
  }
  EXPECT_EQ(list({}), before);
  EXPECT_EQ(queue().counts, counts);
  EXPECT_EQ(status_of(next.id), TaskStatus::pending);
  EXPECT_EQ(status_of(last.id), TaskStatus::blocked);
}

TEST_P(Cases, B03_ALongTaskIsNeverReclaimedWhileItsHeartbeatsLand) {
  const auto sweeper = another_node(2);
  enqueue(task_of("t"));
  const core::Task task = claim_one("w1", 30s);
  ASSERT_TRUE(report(task, ReportAction::start).ok());
  for (int i = 0; i < 90; ++i) {  // half an hour
    clock.advance(20s);
    EXPECT_EQ(sweeper->engine().sweeper().tick(100).leases, 0);
    ASSERT_TRUE(report(task, ReportAction::heartbeat).ok());
    EXPECT_TRUE(claim("w2").empty());
  }
  complete(task);
  EXPECT_EQ(get(task.id).attempts.size(), 1U);
  EXPECT_EQ(get(task.id).task.attempt, 1);
}

TEST_P(Cases, B04_ALostWorkerFreesItsSlotOnce) {
  set_queue("default", {.max_concurrency = {{1}}});
  for (int i = 0; i < 4; ++i) enqueue(task_of("t"));
  const auto held = [this] { return queue().counts.claimed + queue().counts.running; };
  const core::Task zombie = claim_one("zombie", 10s);  // its heartbeats are lost, but its handler continues
  clock.advance(10s);
  tick();
  const core::Task second = claim_one("w2");
  EXPECT_EQ(held(), 1);
  expect_refused(zombie.id, "zombie", report_of(zombie, ReportAction::complete), ProblemCode::stale_lease);
  expect_refused(zombie.id, "zombie", report_of(zombie, ReportAction::release), ProblemCode::stale_lease);
  EXPECT_TRUE(claim("w3").empty());
  EXPECT_EQ(held(), 1);
  ASSERT_TRUE(report(second, ReportAction::release).ok());
  ASSERT_TRUE(report(second, ReportAction::release).ok());  // a repeated report, not a second release
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(claim("w3").size(), 1U);
  EXPECT_TRUE(claim("w4").empty());
  EXPECT_EQ(held(), 1);
}

TEST_P(Cases, B05_ALimitHoldsFromTheFirstClaimAfterARestart) {
  set_queue("default", {.max_concurrency = {{1}}});
  core::TaskId first;
  {
    const auto killed = another_node(2);
    for (int i = 0; i < 3; ++i) enqueue_keyed("k");
    enqueue(task_of("t"));
    first = killed->api().claim({.worker_id = "w1", .max = 1, .lease = 30s})->at(0).task.id;
  }  // no release, no shutdown
  const auto restarted = another_node(3);
  EXPECT_TRUE(restarted->api().claim({.worker_id = "w1"})->empty());
  clock.advance(29s);
  (void)restarted->engine().sweeper().tick(100);
  EXPECT_TRUE(restarted->api().claim({.worker_id = "w1"})->empty());
  clock.advance(1s);
  (void)restarted->engine().sweeper().tick(100);
  const auto recovered = restarted->api().claim({.worker_id = "w1"});
  ASSERT_EQ(recovered->size(), 1U);
  EXPECT_EQ(queue().counts.claimed, 1);
  EXPECT_EQ(get(first).attempts.size(), 1U);
}

TEST_P(Cases, B06_AWorkerRestartedUnderTheSameNameOwnsNoOldLease) {
  const core::Task task = enqueue(task_of("t"));
  const core::Task old = claim_one("host-1", 10s);
  EXPECT_TRUE(claim("host-1").empty()) << "the new one is not given the old one's lease";
  clock.advance(10s);
  tick();  // the first sweep after the expiry recovers the task
  const core::Task fresh = claim_one("host-1", 10s);
  EXPECT_EQ(fresh.id, task.id);
  expect_refused(task.id, "host-1", report_of(old, ReportAction::complete), ProblemCode::stale_lease);
  expect_refused(task.id, "host-1", report_of(old, ReportAction::heartbeat), ProblemCode::stale_lease);
  complete(fresh);
}

TEST_P(Cases, B10_ACrashInTheLastAttemptFreesItsKeyInTheSameTransaction) {
  core::TaskSpec spec = task_of("t");
  spec.key = "serial";
  spec.retry.max_attempts = 1;
  const core::Task crashing = enqueue(spec);
  const core::Task next = enqueue(spec);
  (void)claim_one("w1", 10s);
  clock.advance(10s);
  const Pending waiting = waiting_claim({.worker_id = "w2"});
  EXPECT_EQ(engine().sweeper().tick(100).leases, 1);
  EXPECT_EQ(status_of(crashing.id), TaskStatus::dead_letter);
  ASSERT_TRUE(waiting.is_answered()) << "and whoever waits has the next one in that transaction";
  EXPECT_EQ(waiting.tasks().at(0).id, next.id);
}

TEST_P(Cases, B11_NothingStaysRunningAfterItsLease) {
  core::EnqueueTasks batch;
  batch.tasks.assign(50, task_of("t"));
  ASSERT_TRUE(api().enqueue_batch(batch).ok());
  for (const auto& one : claim("stuck", 50, 10s)) ASSERT_TRUE(report(one.task, ReportAction::start).ok());
  EXPECT_EQ(queue().counts.running, 50);
  clock.advance(10s);
  tick();
  EXPECT_EQ(queue().counts.running, 0);
  EXPECT_EQ(queue().counts.pending, 50);
  EXPECT_TRUE(list({.statuses = {TaskStatus::running}}).empty());
}

TEST_P(Cases, B12_EveryExpiredLeaseIsFoundBehindPagesOfLongLeases) {
  constexpr std::size_t kPage = 10;
  core::EnqueueTasks batch;
  batch.tasks.assign(40, task_of("t"));
  ASSERT_TRUE(api().enqueue_batch(batch).ok());
  (void)claim("long", 25, 1h);  // older, longer leases that fill more than two pages
  const auto lost = claim("lost", 15, 10s);
  clock.advance(10s);
  EXPECT_EQ(engine().sweeper().tick(kPage).leases, 10);
  EXPECT_EQ(engine().sweeper().tick(kPage).leases, 5);
  for (const auto& one : lost) EXPECT_EQ(status_of(one.task.id), TaskStatus::pending);
  EXPECT_EQ(list({.worker_id = "long"}).size(), 25U);
}

TEST_P(Cases, B12_ATaskWithoutATimeoutNeverTimesOut) {
  enqueue(task_of("t"));
  const core::Task task = claim_one("w1", 24h);
  ASSERT_TRUE(report(task, ReportAction::start).ok());
  clock.advance(23h);
  EXPECT_EQ(engine().sweeper().tick(100).leases, 0);
}

TEST_P(Cases, B17_ATaskDelayedBeyondTheLeaseIsClaimedOnceWhenDue) {
  core::TaskSpec spec = task_of("t");
  spec.delay = 240h;
  const core::Task task = enqueue(spec);
  for (int i = 0; i < 24; ++i) {
    clock.advance(10h - 1us);
    tick();
    EXPECT_TRUE(claim("w1", 10, 10s).empty());
  }
  EXPECT_EQ(get(task.id).task.lease, std::nullopt);
  clock.advance(24us);
  tick();
  complete(claim_one("w1", 10s));
  clock.advance(1h);
  tick();
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(get(task.id).attempts.size(), 1U);
}

TEST_P(Cases, B20_ThreeSweepersExpireEachLeaseOnce) {
  const auto second = another_node(2);
  const auto third = another_node(3);
  core::TaskSpec spec = task_of("t");
  spec.retry.max_attempts = 1;
  for (int i = 0; i < 20; ++i) {
    spec.key = "k" + std::to_string(i % 10);
    enqueue(spec);
  }
  EXPECT_EQ(claim("w1", 100, 10s).size(), 10U);
  clock.advance(10s);
  auto first_found = found_due(node());
  auto second_found = found_due(*second);
  auto third_found = found_due(*third);
  EXPECT_EQ(changed(*third, std::move(third_found)), 10);
  EXPECT_EQ(changed(node(), std::move(first_found)), 0);
  EXPECT_EQ(changed(*second, std::move(second_found)), 0);
  for (const core::Task& task : list({.statuses = {TaskStatus::dead_letter}})) {
    EXPECT_EQ(get(task.id).attempts.size(), 1U);
    EXPECT_EQ(api().list_checkpoints("default", task.id)->size(), 1U);
  }
  EXPECT_EQ(queue().counts, (core::QueueCounts{.pending = 10, .dead_letter = 10}));
}

PAWL_ON_EVERY_STORE(Cases);

}  // namespace pawl::testing
