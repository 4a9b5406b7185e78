// Workers: registration, heartbeats, and the tasks of a worker that leaves.
#include "engine/due.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;
using core::TaskStatus;
using core::WorkerStatus;

class Workers : public Conformance {
 public:
  core::Worker add(const std::string& hostname, std::int64_t pid, std::optional<std::string> id = {}) {
    auto worker = api().register_worker(
        {.worker_id = std::move(id), .queues = {"default"}, .hostname = hostname, .pid = pid});
    if (!worker) throw std::runtime_error{worker.problem().detail};
    return *worker;
  }
  WorkerStatus status(const std::string& id) { return api().get_worker("default", id)->status; }
  core::TaskStatus sweep_and_see(const core::TaskId& id) {
    (void)engine().sweeper().sweep_records(100);
    return status_of(id);
  }
};

TEST_P(Workers, AreListedByNameAfterRegistration) {
  const core::Worker first = add("h", 1, "b");
  (void)add("h", 2, "a");
  EXPECT_EQ(first.status, WorkerStatus::online);
  EXPECT_EQ(first.registered_at, clock.now());
  const auto page = api().list_workers({.limit = 1});
  ASSERT_EQ(page->items.size(), 1U);
  EXPECT_EQ(page->items[0].worker_id, "a");
  EXPECT_EQ(api().list_workers({.limit = 1, .cursor = *page->next_cursor})->items.at(0), first);
  EXPECT_TRUE(api().list_workers({.ns = "other"})->items.empty());
}

TEST_P(Workers, HaveTheCountsOfTheirHeartbeats) {
  (void)add("h", 1, "w");
  clock.advance(10s);
  ASSERT_TRUE(api().heartbeat_worker({.worker_id = "w", .active_count = 3, .completed_delta = 5}).ok());
  const auto worker =
      api().heartbeat_worker({.worker_id = "w", .active_count = 2, .completed_delta = 1, .failed_delta = 4});
  EXPECT_EQ(worker->active_count, 2);
  EXPECT_EQ(worker->total_completed, 6);
  EXPECT_EQ(worker->total_failed, 4);
  EXPECT_EQ(worker->heartbeat_at, clock.now());
  EXPECT_EQ(add("h", 1, "w").total_completed, 6) << "it refreshes itself";
  EXPECT_EQ(api().heartbeat_worker({.worker_id = "none"}).problem().code, ProblemCode::not_found);
}

TEST_P(Workers, AreNotifiedOfTheirTasksThatAreCanceledOrTakenFromThem) {
  const auto notices = [&](const std::string& worker) {
    std::optional<std::vector<core::TaskId>> given;
    engine().lease_notices().wait({.ns = "default", .worker_id = worker, .until = clock.monotonic()},
                                  [&](std::vector<core::TaskId> tasks) { given = std::move(tasks); });
    return given.value();
  };
  using Ids = std::vector<core::TaskId>;
  EXPECT_EQ(notices("w"), Ids{});
  const core::Task canceled = enqueue(task_of("t"));
  (void)claim_one("w", 30s);
  const core::Task lost = enqueue(task_of("t"));
  (void)claim_one("w", 10s);
  ASSERT_TRUE(api().cancel_task("default", canceled.id).ok());
  EXPECT_EQ(notices("w"), Ids{canceled.id});
  EXPECT_EQ(notices("w"), Ids{}) << "a notice is sent once";
  clock.advance(11s);
  (void)engine().sweeper().tick(100);
  EXPECT_EQ(notices("w"), Ids{lost.id});
  const core::Task completed = enqueue(task_of("t"));
  complete(claim_one("w", 30s));
  EXPECT_EQ(notices("w"), Ids{}) << "a holder's own report is no news to it";
}

TEST_P(Workers, WaitingForNoticesGetOneReplyEach) {
  std::vector<std::size_t> replies;
  const auto wait = [&](core::Duration at_most) {
    engine().lease_notices().wait(
        {.ns = "default", .worker_id = "w", .until = clock.monotonic() + at_most},
        [&](const std::vector<core::TaskId>& tasks) { replies.push_back(tasks.size()); });
  };
  wait(10s);
  wait(20s);
  EXPECT_EQ(replies, (std::vector<std::size_t>{0})) << "the later wait of a worker replaces the earlier";
  clock.advance(10s);
  engine().end_waits();
  EXPECT_EQ(replies.size(), 1U);
  const core::Task task = enqueue(task_of("t"));
  (void)claim_one("w", 30s);
  ASSERT_TRUE(api().cancel_task("default", task.id).ok());
  EXPECT_EQ(replies, (std::vector<std::size_t>{0, 1}));
  wait(10s);
  clock.advance(10s);
  engine().end_waits();
  EXPECT_EQ(replies, (std::vector<std::size_t>{0, 1, 0}));
  clock.advance(1h);
  engine().end_waits();
  EXPECT_EQ(replies.size(), 3U);
}

TEST_P(Workers, StopWaitingForNoticesWhenTheirWaitsAreEnded) {
  int replies = 0;
  for (const char* worker : {"w", "other"}) {
    engine().lease_notices().wait(
        {.ns = "default", .worker_id = worker, .until = clock.monotonic() + 10s},
        [&](const std::vector<core::TaskId>& tasks) { replies += tasks.empty() ? 1 : 100; });
  }
  engine().end_waits_of("default", "w");
  engine().end_waits_of("default", "unknown");
  EXPECT_EQ(replies, 1) << "the wait of the other worker goes on";
}

TEST_P(Workers, RenewTheirLeasesWithAHeartbeat) {
  (void)add("h", 1, "w");
  const core::Task task = enqueue(task_of("t"));
  (void)claim_one("w", 30s);
  clock.advance(20s);
  ASSERT_TRUE(api().heartbeat_worker({.worker_id = "w", .renew_leases = true}).ok());
  EXPECT_EQ(get(task.id).task.lease->expires_at, clock.now() + 30s);
}

TEST_P(Workers, WithoutHeartbeatsLoseTheirTasks) {
  (void)add("h", 1, "w");
  const core::Task task = enqueue(task_of("t"));
  const core::Task claimed = claim_one("w", 1h);
  clock.advance(59s);
  EXPECT_EQ(sweep_and_see(task.id), TaskStatus::claimed);
  clock.advance(1s);
  EXPECT_EQ(status("w"), WorkerStatus::offline);
  EXPECT_EQ(sweep_and_see(task.id), TaskStatus::pending);
  const auto seen = get(task.id);
  EXPECT_EQ(seen.attempts.at(0).outcome, core::AttemptOutcome::lease_expired);
  EXPECT_EQ(seen.task.attempt, 1) << "the attempt is spent";
  EXPECT_EQ(report(claimed, core::ReportAction::complete).problem().code, ProblemCode::stale_lease);
  EXPECT_EQ(api().list_checkpoints("default", task.id)->at(0).type, "error_boundary");
  EXPECT_EQ(status("w"), WorkerStatus::offline);
  ASSERT_TRUE(api().heartbeat_worker({.worker_id = "w"}).ok());
  EXPECT_EQ(status("w"), WorkerStatus::online) << "it was only away";
}

TEST_P(Workers, StayOnlineByRenewingTheirTasks) {
  (void)add("h", 1, "w");
  const core::Task task = enqueue(task_of("t"));
  const core::Task claimed = claim_one("w", 1h);
  for (int i = 0; i < 4; ++i) {
    clock.advance(40s);
    EXPECT_EQ(sweep_and_see(task.id), TaskStatus::claimed);
    EXPECT_EQ(status("w"), WorkerStatus::online);
    ASSERT_TRUE(report(claimed, core::ReportAction::heartbeat).ok());
  }
  clock.advance(60s);
  EXPECT_EQ(sweep_and_see(task.id), TaskStatus::pending) << "no sign of it for a minute";
  EXPECT_EQ(status("w"), WorkerStatus::offline);
}

TEST_P(Workers, KeepATaskRenewedAfterTheSweepReadThem) {
  (void)add("h", 1, "w");
  const core::Task task = enqueue(task_of("t"));
  const core::Task claimed = claim_one("w", 1h);
  clock.advance(60s);
  auto due = engine::find_due(*node().store(), core::RecoveryCheck::workers, {});
  ASSERT_EQ(due.size(), 1U);
  ASSERT_TRUE(report(claimed, core::ReportAction::heartbeat).ok());
  for (const Pending& answer : submit_group(node(), {std::move(due[0].command)}))
    EXPECT_EQ(std::get<core::RecordAnswer>(*answer.answer()).evicted, 0);
  EXPECT_EQ(status_of(task.id), TaskStatus::claimed);
  EXPECT_TRUE(report(claimed, core::ReportAction::complete).ok());
}

TEST_P(Workers, StayOnlineByClaiming) {
  (void)add("h", 1, "w");
  for (int i = 0; i < 4; ++i) {
    clock.advance(40s);
    (void)claim("w", 1);
    (void)engine().sweeper().sweep_records(100);
    EXPECT_EQ(status("w"), WorkerStatus::online);
  }
  clock.advance(60s);
  (void)engine().sweeper().sweep_records(100);
  EXPECT_EQ(status("w"), WorkerStatus::offline);
  (void)claim("w", 1);
  EXPECT_EQ(status("w"), WorkerStatus::online) << "it was only away";
}

TEST_P(Workers, LoseAllTheirTasksAcrossSeveralPages) {
  (void)add("h", 1, "w");
  for (int i = 0; i < 5; ++i) (void)enqueue(task_of("t"));
  ASSERT_EQ(claim("w", 5, 1h).size(), 5U);
  clock.advance(60s);
  while (engine().sweeper().sweep_records(2) > 0) {
  }
  EXPECT_EQ(queue().counts, (core::QueueCounts{.pending = 5}));
}

TEST_P(Workers, AreRemovedAfterBeingOfflineLongEnough) {
  (void)add("h", 1, "w");
  clock.advance(60s);
  EXPECT_EQ(engine().sweeper().sweep_records(100), 1);
  clock.advance(24h);
  EXPECT_EQ(engine().sweeper().sweep_records(100), 1);
  EXPECT_EQ(api().get_worker("default", "w").problem().code, ProblemCode::not_found);
  EXPECT_EQ(node().store()->find_record(core::worker_process_ref("default", "", "h", 1)), std::nullopt);
}

TEST_P(Workers, ReleaseTheirTasksWithoutCostWhenTheyDeregister) {
  (void)add("h", 1, "w");
  const core::Task task = enqueue(task_of("t"));
  const core::Task claimed = claim_one("w", 1h);
  ASSERT_TRUE(api().deregister_worker({.worker_id = "w"}).ok());
  const auto seen = get(task.id);
  EXPECT_EQ(seen.task.status, TaskStatus::pending);
  EXPECT_EQ(seen.task.attempt, 0);
  EXPECT_EQ(seen.attempts.at(0).outcome, core::AttemptOutcome::released);
  EXPECT_EQ(report(claimed, core::ReportAction::complete).problem().code, ProblemCode::stale_lease);
  EXPECT_EQ(api().get_worker("default", "w").problem().code, ProblemCode::not_found);
  EXPECT_EQ(api().deregister_worker({.worker_id = "w"}).problem().code, ProblemCode::not_found);
}

TEST_P(Workers, OfTheSameProcessWithoutAnIdReplaceTheirPredecessor) {
  const core::Worker old = add("h", 1);
  const core::Task task = enqueue(task_of("t"));
  (void)claim_one(old.worker_id, 1h);
  const core::Worker next = add("h", 1);
  EXPECT_NE(next.worker_id, old.worker_id);
  EXPECT_EQ(status(old.worker_id), WorkerStatus::offline);
  EXPECT_EQ(status_of(task.id), TaskStatus::pending) << "without waiting";
  EXPECT_EQ(api().heartbeat_worker({.worker_id = old.worker_id}).problem().code, ProblemCode::invalid_state);
  EXPECT_NE(add("h", 2).worker_id, next.worker_id);
  EXPECT_EQ(status(next.worker_id), WorkerStatus::online) << "another process is another worker";
}

TEST_P(Workers, StayOnlineWhileDraining) {
  (void)add("h", 1, "w");
  clock.advance(50s);
  EXPECT_EQ(api().drain_worker({.worker_id = "w"})->status, WorkerStatus::draining);
  EXPECT_EQ(api().heartbeat_worker({.worker_id = "w"})->status, WorkerStatus::draining);
  clock.advance(60s);
  EXPECT_EQ(status("w"), WorkerStatus::offline);
  EXPECT_EQ(api().drain_worker({.worker_id = "w"}).problem().code, ProblemCode::invalid_state);
}

TEST_P(Workers, AreValidatedBeforeTheyAreStored) {
  EXPECT_EQ(api().register_worker({.max_concurrent = -1}).problem().errors.at(0).field, "max_concurrent");
  EXPECT_EQ(api().heartbeat_worker({.worker_id = "w", .failed_delta = -1}).problem().errors.at(0).field,
            "failed_delta");
}

PAWL_ON_EVERY_STORE(Workers);

}  // namespace
}  // namespace pawl::testing
