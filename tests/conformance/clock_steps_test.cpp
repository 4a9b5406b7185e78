// Steps of the store's clock while leases, locks and delays run.
#include "runtime/membership.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::ReportAction;
using core::TaskStatus;
using core::WorkerStatus;

// Store time that is ahead of the clock runs slower: 10 s may take this long.
constexpr core::Duration kTenSecondsAhead = 14s;

class ClockSteps : public Conformance {
 public:
  void step(core::Duration by) {
    tick();  // a server reads the clock continuously before the step
    clock.step_wall(by);
    tick();
  }
  core::ClockState state() { return node().store()->clock_state(); }
};

TEST_P(ClockSteps, ForwardDoNotExpireALeaseEarly) {
  const core::Task task = enqueue(task_of("t"));
  const core::Task held = claim_one("w1", 10s);
  step(1h);
  clock.advance(9s);
  tick();
  EXPECT_EQ(status_of(task.id), TaskStatus::claimed);
  EXPECT_TRUE(claim("w2").empty());
  EXPECT_TRUE(report(held, ReportAction::complete).ok());
  EXPECT_EQ(status_of(task.id), TaskStatus::completed);
}

TEST_P(ClockSteps, ForwardDoNotProlongALease) {
  const core::Task task = enqueue(task_of("t"));
  const core::Task held = claim_one("w1", 10s);
  step(1h);
  clock.advance(10s);
  tick();
  EXPECT_EQ(status_of(task.id), TaskStatus::pending);
  EXPECT_EQ(report(held, ReportAction::complete).problem().code, core::ProblemCode::stale_lease);
}

TEST_P(ClockSteps, ForwardDoNotShortenARenewedLease) {
  const core::Task task = enqueue(task_of("t"));
  const core::Task held = claim_one("w1", 10s);
  step(1h);
  clock.advance(5s);
  ASSERT_TRUE(report(held, ReportAction::heartbeat).ok());
  clock.advance(9s);
  tick();
  EXPECT_EQ(status_of(task.id), TaskStatus::claimed);
  clock.advance(1s);
  tick();
  EXPECT_EQ(status_of(task.id), TaskStatus::pending) << "the step came before the renewal";
}

TEST_P(ClockSteps, ForwardDoNotTimeOutAnAttempt) {
  core::TaskSpec spec = task_of("t");
  spec.timeout = 20s;
  const core::Task task = enqueue(spec);
  const core::Task held = claim_one("w1", 1h);
  ASSERT_TRUE(report(held, ReportAction::start).ok());
  step(1h);
  clock.advance(19s);
  tick();
  EXPECT_EQ(status_of(task.id), TaskStatus::running);
  clock.advance(1s);
  tick();
  EXPECT_EQ(get(task.id).attempts.at(0).outcome, core::AttemptOutcome::timed_out);
}

TEST_P(ClockSteps, ForwardDoNotBreakLimits) {
  set_queue("default", {.max_concurrency = 1});
  enqueue(task_of("t"));
  enqueue(task_of("t"));
  (void)claim_one("w1", 10s);
  step(1h);
  EXPECT_TRUE(claim("w2").empty());
}

TEST_P(ClockSteps, ForwardKeepLocksAndWorkers) {
  ASSERT_TRUE(api().acquire_lock({.key = "k", .holder = "a", .ttl = 10s})->acquired);
  ASSERT_TRUE(
      api().register_worker({.worker_id = "w", .queues = {"default"}, .hostname = "h", .pid = 1}).ok());
  step(1h);
  (void)engine().sweeper().sweep_records(100);
  EXPECT_FALSE(api().acquire_lock({.key = "k", .holder = "b", .ttl = 10s})->acquired);
  EXPECT_EQ(api().get_lock("default", "k")->holder, "a");
  EXPECT_TRUE(api().renew_lock({.key = "k", .holder = "a", .fence = 1, .ttl = 10s}).ok());
  EXPECT_EQ(api().get_worker("default", "w")->status, WorkerStatus::online);
  clock.advance(10s);
  EXPECT_TRUE(api().acquire_lock({.key = "k", .holder = "b", .ttl = 10s})->acquired);
}

TEST_P(ClockSteps, ForwardKeepTheLeader) {
  SeededRandom random{5};
  const runtime::NodeOptions options{.hostname = "one", .version = "1", .leader_ttl = 30s};
  runtime::Membership first{engine(), clock, random, options};
  first.beat_if_due();
  ASSERT_TRUE(first.is_leader());
  step(1h);
  runtime::Membership second{engine(), clock, random, options};
  second.beat_if_due();
  EXPECT_FALSE(second.is_leader());
}

TEST_P(ClockSteps, BackDoNotDelayTheRecoveryOfLostTasks) {
  const core::Task task = enqueue_keyed("k");
  const core::Task next = enqueue_keyed("k");
  (void)claim_one("dead", 10s);
  step(-1h);
  clock.advance(kTenSecondsAhead);
  tick();
  EXPECT_EQ(status_of(task.id), TaskStatus::pending);
  complete(claim_one("w2"));
  EXPECT_EQ(claim_one("w2").id, next.id);
}

TEST_P(ClockSteps, BackDoNotProlongDelays) {
  core::TaskSpec spec = task_of("t");
  spec.delay = 10s;
  const core::Task task = enqueue(spec);
  step(-1h);
  clock.advance(kTenSecondsAhead);
  tick();
  EXPECT_EQ(claim_one().id, task.id);
}

TEST_P(ClockSteps, BackDoNotMakeStoreTimeGoBack) {
  step(0s);
  const core::TimePoint before = node().store()->now();
  step(-1h);
  EXPECT_GE(node().store()->now(), before);
  clock.advance(5h);
  EXPECT_EQ(node().store()->now(), clock.now());
}

TEST_P(ClockSteps, AreLoadedByNodesThatStartLater) {
  const core::Task task = enqueue(task_of("t"));
  step(1h);
  (void)claim_one("w1", 10s);
  step(-2h);
  enqueue(task_of("u"));  // a commit, which records the step
  const core::TimePoint before = node().store()->now();
  const auto later = another_node(2);
  EXPECT_GE(later->store()->now(), before);
  EXPECT_EQ(later->store()->clock_state().steps, 2);
  later->engine().sweeper().tick(100);
  EXPECT_EQ(status_of(task.id), TaskStatus::claimed);
}

TEST_P(ClockSteps, AreDetectedByEveryNodeAndRecordedOnce) {
  const auto other = another_node(2);
  enqueue(task_of("t"));
  const core::Task held = claim_one("w1", 10s);
  (void)other->store()->now();
  step(1h);
  other->engine().sweeper().tick(100);
  EXPECT_TRUE(other->api().claim({.worker_id = "w2", .max = 1})->empty());
  ASSERT_TRUE(report(held, ReportAction::complete).ok());
  enqueue(task_of("u"));
  other->engine().sweeper().tick(100);
  EXPECT_EQ(state().steps, 1);
  EXPECT_EQ(other->store()->clock_state(), state());
}

TEST_P(ClockSteps, AreCountedReportedAndShown) {
  tick();
  std::vector<core::Duration> reported;
  engine().on_clock_step([&](const core::ClockStep& one) { reported.push_back(one.by); });
  step(1h);
  step(-30min);
  clock.step_wall(100ms);  // too small to bridge
  tick();
  EXPECT_EQ(reported, (std::vector<core::Duration>{1h, -30min}));
  EXPECT_EQ(engine().stats().clock_steps_forward, 1);
  EXPECT_EQ(engine().stats().clock_steps_back, 1);
  const auto vitals = api().vitals();
  ASSERT_TRUE(vitals.ok());
  EXPECT_EQ(vitals->clock.steps, 2);
  EXPECT_EQ(vitals->clock.steps_back, 1);
  EXPECT_EQ(vitals->clock.largest, 1h);
}

PAWL_ON_EVERY_STORE(ClockSteps);

}  // namespace
}  // namespace pawl::testing
