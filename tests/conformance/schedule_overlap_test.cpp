// Overlap policies hold however many slots pass while a job runs: the schedule references its open firing.

#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "tests/conformance/schedule_steps.hpp"

namespace pawl::testing {
namespace {

using core::Firing;
using core::FiringStatus;
using core::Overlap;

constexpr int kManySlots = 1'100;

class ScheduleOverlap : public ScheduleTest {
 public:
  void put_workflow() {
    ASSERT_TRUE(
        runs().put_definition({.name = "nightly", .text = R"({"tasks":[{"id":"a","activity":"x"}]})"}).ok());
  }
  std::vector<core::Run> started_runs() {
    const auto page = runs().list_runs({.limit = 500});
    EXPECT_TRUE(page.ok());
    return page->items;
  }
  void set_overlap(Overlap overlap) {
    ASSERT_TRUE(
        schedules().update_schedule({.ref = {.name_or_id = "s"}, .patch = {.overlap = overlap}}).ok());
  }
  void complete_one() { EXPECT_TRUE(report(claim_one(), core::ReportAction::complete).ok()); }
};

TEST_P(ScheduleOverlap, SkipsWhileATaskRunsForAThousandSlots) {
  create({.name = "s", .every = 1s, .max_catchup = kManySlots, .overlap = Overlap::skip});
  advance(1s);
  advance(kManySlots * 1s);
  EXPECT_EQ(tasks().size(), 1U);
  complete_one();
  advance(1s);
  EXPECT_EQ(tasks().size(), 2U);
}

TEST_P(ScheduleOverlap, SkipsWhileARunIsOpenForAThousandSlots) {
  put_workflow();
  create(
      {.name = "s", .every = 1s, .workflow = "nightly", .max_catchup = kManySlots, .overlap = Overlap::skip});
  advance(1s);
  advance(kManySlots * 1s);
  EXPECT_EQ(started_runs().size(), 1U);
  complete_one();
  advance(1s);
  EXPECT_EQ(started_runs().size(), 2U);
}

TEST_P(ScheduleOverlap, QueuesBehindATaskThatRanForAThousandSlots) {
  create({.name = "s", .every = 1s, .max_catchup = kManySlots, .overlap = Overlap::skip});
  advance(1s);
  advance(kManySlots * 1s);
  set_overlap(Overlap::queue);
  advance(1s);
  EXPECT_EQ(tasks().size(), 1U);
  EXPECT_EQ(firings()[0].status, FiringStatus::waiting);
  complete_one();
  advance(1s);
  EXPECT_EQ(tasks().size(), 2U);
}

TEST_P(ScheduleOverlap, StartsOneAtATimeOfAThousandQueuedSlots) {
  create({.name = "s", .every = 1s, .max_catchup = kManySlots, .overlap = Overlap::queue});
  advance(1s);
  advance(kManySlots * 1s);
  EXPECT_EQ(tasks().size(), 1U);
  set_overlap(Overlap::skip);  // the latest slots find a waiting firing before them
  advance(10s);
  EXPECT_EQ(tasks().size(), 1U);
}

TEST_P(ScheduleOverlap, CancelsATaskThatRanForAThousandSlots) {
  create({.name = "s", .every = 1s, .max_catchup = kManySlots, .overlap = Overlap::skip});
  advance(1s);
  advance(kManySlots * 1s);
  set_overlap(Overlap::cancel_previous);
  advance(1s);
  ASSERT_EQ(tasks().size(), 2U);
  EXPECT_EQ(tasks()[0].status, core::TaskStatus::cancelled);
}

TEST_P(ScheduleOverlap, CancelsARunThatWasOpenForAThousandSlots) {
  put_workflow();
  create(
      {.name = "s", .every = 1s, .workflow = "nightly", .max_catchup = kManySlots, .overlap = Overlap::skip});
  advance(1s);
  advance(kManySlots * 1s);
  const core::RunId first = started_runs().at(0).facts.id;
  set_overlap(Overlap::cancel_previous);
  advance(1s);
  EXPECT_EQ(started_runs().size(), 2U);
  const auto canceled = runs().get_run({.id = first});
  ASSERT_TRUE(canceled.ok());
  EXPECT_EQ(canceled->state, core::RunState::cancelled);
}

TEST_P(ScheduleOverlap, RecordsTheScheduleAsTheActorOfACancel) {
  put_workflow();
  create({.name = "tasks", .every = 1s, .overlap = Overlap::cancel_previous});
  create({.name = "runs", .every = 1s, .workflow = "nightly", .overlap = Overlap::cancel_previous});
  advance(1s);
  advance(1s);
  std::map<std::string, std::string> actors;
  const auto audit = api().list_audit({});
  ASSERT_TRUE(audit.ok());
  for (const core::AuditEntry& entry : audit->items) actors[entry.action] = entry.role + " " + entry.actor;
  EXPECT_EQ(actors["task.cancel"], "schedule tasks");
  EXPECT_EQ(actors["run.cancel"], "schedule runs");
}

// Firings are erased after 30 days, but the jobs that they started may run longer.
TEST_P(ScheduleOverlap, SkipsWhileAJobRunsForMonths) {
  create({.name = "s", .every = std::chrono::hours{24 * 31}, .overlap = Overlap::skip});
  for (int month = 0; month < 5; ++month) {
    advance(std::chrono::hours{24 * 31});
    EXPECT_EQ(tasks().size(), 1U) << "month " << month;
  }
  complete_one();
  advance(std::chrono::hours{24 * 31});
  EXPECT_EQ(tasks().size(), 2U);
}

TEST_P(ScheduleOverlap, ErasesEndedFiringsAfter30Days) {
  create({.name = "s", .every = std::chrono::hours{24 * 2}});
  for (int slot = 0; slot < 40; ++slot) advance(std::chrono::hours{24 * 2});
  EXPECT_EQ(tasks().size(), 40U);
  EXPECT_EQ(firings().size(), 15U);
}

// Firings written by an older version, which did not reference the previous firing.
TEST_P(ScheduleOverlap, FindsTheOpenFiringOfAnOlderStore) {
  const auto made = create({.name = "s", .every = 1s, .overlap = Overlap::skip});
  const auto task = api().enqueue("default", {.type = "report"});
  ASSERT_TRUE(task.ok());
  const auto record = node().store()->find_record(core::schedule_ref("default", "s"));
  ASSERT_TRUE(record);
  core::Schedule after = core::schedule_from(record->body);
  core::ScheduleChange change{.ns = "default", .before = after, .version_before = record->version};
  for (int slot = 1; slot <= 250; ++slot) {
    Firing firing =
        core::firing_of(after, made.created_at + slot * 1s, core::FiringOrigin::slot, clock.now());
    firing.status = slot == 1 ? FiringStatus::fired : FiringStatus::skipped;
    if (slot == 1) firing.task_id = to_string(task->task.id);
    change.firings.push_back(std::move(firing));
  }
  after.last_claimed = made.created_at + 250s;
  after.next_fire_at = made.created_at + 251s;
  change.schedule = after;
  ASSERT_TRUE(node().local().keep_schedule(std::move(change)).ok());
  clock.advance(250s);
  advance(1s);
  advance(1s);
  EXPECT_EQ(tasks().size(), 1U);
  complete_one();
  advance(1s);
  EXPECT_EQ(tasks().size(), 2U);
}

PAWL_ON_EVERY_STORE(ScheduleOverlap);

}  // namespace
}  // namespace pawl::testing
