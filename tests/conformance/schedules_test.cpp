// Schedules on every store: a single node claims each slot, and the slot starts the scheduled job.
#include <string>
#include <vector>

#include "tests/conformance/schedule_steps.hpp"

namespace pawl::testing {
namespace {

using core::FiringStatus;
using core::Overlap;
using core::ProblemCode;

class Schedules : public ScheduleTest {};

TEST_P(Schedules, FireATaskAtEachSlot) {
  const auto made = create({.name = "s", .every = 10s});
  EXPECT_EQ(made.next_fire_at, made.created_at + 10s);
  advance(9s);
  EXPECT_TRUE(tasks().empty());
  advance(1s);
  ASSERT_EQ(tasks().size(), 1U);
  advance(10s);
  ASSERT_EQ(tasks().size(), 2U);
  const auto fired = firings();
  ASSERT_EQ(fired.size(), 2U);
  EXPECT_EQ(fired[0].slot, made.created_at + 20s);  // the latest first
  EXPECT_EQ(fired[0].task_id, to_string(tasks()[1].id));
  EXPECT_EQ(fired[0].status, FiringStatus::fired);
  EXPECT_EQ(tasks()[0].labels.at("schedule"), "s");
  const auto now = schedules().get_schedule({.name_or_id = made.id});
  EXPECT_EQ(now->last_fired_at, made.created_at + 20s);
  EXPECT_EQ(now->next_fire_at, made.created_at + 30s);
}

TEST_P(Schedules, ProvideTheDefaultInputAndQueueOfTheirTask) {
  create(
      {.name = "s", .every = 10s, .task = core::TaskSpec{.type = "report"}, .input = {"[1]"}, .queue = "q"});
  create({.name = "own",
          .every = 20s,
          .task = core::TaskSpec{.type = "report", .payload = {"2"}, .queue = "its"},
          .input = {"[1]"},
          .queue = "q"});
  advance(10s);
  ASSERT_EQ(tasks().size(), 1U);
  EXPECT_EQ(tasks()[0].payload.text, "[1]");
  EXPECT_EQ(tasks()[0].queue, "q");
  advance(10s);
  const auto all = tasks();
  const auto own =
      std::find_if(all.begin(), all.end(), [](const core::Task& task) { return task.queue == "its"; });
  ASSERT_NE(own, all.end());
  EXPECT_EQ(own->payload.text, "2");
}

TEST_P(Schedules, StartARunAtEachSlot) {
  ASSERT_TRUE(
      runs().put_definition({.name = "nightly", .text = R"({"tasks":[{"id":"a","activity":"x"}]})"}).ok());
  create({.name = "s", .every = 10s, .workflow = "nightly", .input = {R"({"n":1})"}});
  advance(10s);
  const auto started = runs().list_runs({});
  ASSERT_EQ(started->items.size(), 1U);
  EXPECT_EQ(started->items[0].facts.input.text, R"({"n":1})");
  EXPECT_EQ(firings().at(0).run_id, to_string(started->items[0].facts.id));
  const auto events = runs().list_run_events({.run = {.id = started->items[0].facts.id}});
  EXPECT_EQ(events->at(0).actor.type, "schedule");
  EXPECT_EQ(events->at(0).actor.id, "s");
}

TEST_P(Schedules, FireASlotOnceWithSeveralNodes) {
  const auto other = another_node(77);
  create({.name = "s", .every = 10s});
  for (int i = 0; i < 5; ++i) {
    clock.advance(10s);
    look(*other);
    look();
    look(*other);
  }
  EXPECT_EQ(tasks().size(), 5U);
  EXPECT_EQ(firings().size(), 5U);
}

// A node dies between the claim of a slot and the start: the next node that polls starts the claimed slot.
TEST_P(Schedules, StartASlotClaimedByACrashedNode) {
  const auto made = create({.name = "s", .every = 10s});
  clock.advance(10s);
  const auto record = node().store()->find_record(core::schedule_ref("default", "s"));
  ASSERT_TRUE(record);
  const core::Schedule seen = core::schedule_from(record->body);
  core::Schedule after = seen;
  after.next_fire_at = made.created_at + 20s;
  core::ScheduleChange claim{
      .ns = "default", .before = seen, .version_before = record->version, .schedule = after};
  claim.firings.push_back(
      core::firing_of(seen, made.created_at + 10s, core::FiringOrigin::slot, clock.now()));
  ASSERT_TRUE(node().local().keep_schedule(claim).ok());
  EXPECT_EQ(node().local().keep_schedule(claim).problem().code, ProblemCode::conflict);
  EXPECT_EQ(count(FiringStatus::waiting), 1);
  look();
  EXPECT_EQ(tasks().size(), 1U);
  EXPECT_EQ(count(FiringStatus::fired), 1);
}

TEST_P(Schedules, CatchUpAtMostMaxCatchupSlots) {
  const auto made = create({.name = "s", .every = 1s, .max_catchup = 3});
  advance(std::chrono::hours{24 * 365 * 5});
  EXPECT_EQ(tasks().size(), 4U);  // the last one, and three before it
  const auto all = firings();
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[4].status, FiringStatus::skipped);
  EXPECT_EQ(all[4].slot, made.created_at + 1s);
  EXPECT_EQ(all[4].until, all[3].slot - 1s);
  EXPECT_EQ(all[4].reason, "more than 3 slots were missed");
}

TEST_P(Schedules, CatchUpPageByPage) {
  create({.name = "s", .every = 1s, .max_catchup = 249});
  advance(std::chrono::hours{1});
  EXPECT_EQ(tasks().size(), 250U);
}

TEST_P(Schedules, SkipSlotsDuringAPause) {
  const auto made = create({.name = "s", .every = 10s});
  ASSERT_TRUE(schedules().update_schedule({.ref = {.name_or_id = "s"}, .patch = {.enabled = false}}).ok());
  advance(35s);
  EXPECT_TRUE(tasks().empty());
  const auto resumed = schedules().update_schedule({.ref = {.name_or_id = "s"}, .patch = {.enabled = true}});
  EXPECT_EQ(resumed->next_fire_at, made.created_at + 40s);
  look();
  EXPECT_TRUE(tasks().empty());
  ASSERT_EQ(firings().size(), 1U);
  EXPECT_EQ(firings()[0].reason, "it was paused");
  EXPECT_EQ(firings()[0].slot, made.created_at + 10s);
  EXPECT_EQ(firings()[0].until, made.created_at + 30s);
  advance(5s);
  EXPECT_EQ(tasks().size(), 1U);
}

TEST_P(Schedules, SkipWhileThePreviousFiringIsActive) {
  create({.name = "s", .every = 10s, .overlap = Overlap::skip});
  advance(10s);
  advance(10s);
  EXPECT_EQ(tasks().size(), 1U);
  EXPECT_EQ(firings()[0].reason, "the previous firing's run or task has not ended");
  EXPECT_TRUE(report(claim_one(), core::ReportAction::complete).ok());
  advance(10s);
  EXPECT_EQ(tasks().size(), 2U);
}

TEST_P(Schedules, QueueBehindThePreviousFiring) {
  create({.name = "s", .every = 10s, .overlap = Overlap::queue});
  advance(10s);
  advance(10s);
  advance(10s);
  EXPECT_EQ(tasks().size(), 1U);
  EXPECT_EQ(count(FiringStatus::waiting), 2);
  EXPECT_TRUE(report(claim_one(), core::ReportAction::complete).ok());
  advance(6s);
  EXPECT_EQ(tasks().size(), 2U);
  EXPECT_TRUE(report(claim_one(), core::ReportAction::complete).ok());
  advance(1s);
  advance(6s);
  EXPECT_GE(tasks().size(), 3U);
}

TEST_P(Schedules, CancelThePreviousFiring) {
  create({.name = "s", .every = 10s, .overlap = Overlap::cancel_previous});
  advance(10s);
  advance(10s);
  ASSERT_EQ(tasks().size(), 2U);
  EXPECT_EQ(tasks()[0].status, core::TaskStatus::cancelled);
  EXPECT_EQ(tasks()[1].status, core::TaskStatus::pending);
}

TEST_P(Schedules, FireOnlyBetweenStartAtAndEndAt) {
  const core::TimePoint now = clock.now();
  create({.name = "s", .every = 10s, .start_at = now + 60s, .end_at = now + 80s});
  advance(59s);
  EXPECT_TRUE(tasks().empty());
  advance(std::chrono::hours{1});
  EXPECT_EQ(tasks().size(), 2U);
  EXPECT_EQ(schedules().get_schedule({.name_or_id = "s"})->next_fire_at, std::nullopt);
}

TEST_P(Schedules, FireWhenTriggered) {
  create({.name = "s", .cron = "0 0 1 1 *", .enabled = false});
  const auto firing = schedules().trigger_schedule({.ref = {.name_or_id = "s"}});
  ASSERT_TRUE(firing.ok());
  EXPECT_EQ(firing->status, FiringStatus::waiting);
  look();
  EXPECT_EQ(tasks().size(), 1U);
  EXPECT_EQ(firings()[0].origin, core::FiringOrigin::trigger);
}

TEST_P(Schedules, BackfillPastSlots) {
  const core::TimePoint now = clock.now();
  create({.name = "s", .cron = "0 * * * *"});
  core::BackfillSchedule fill{
      .ref = {.name_or_id = "s"}, .from = now - std::chrono::hours{5}, .to = now, .dry_run = true};
  const auto shown = schedules().backfill_schedule(fill);
  ASSERT_TRUE(shown.ok());
  EXPECT_EQ(shown->size(), 5U);
  look();
  EXPECT_TRUE(tasks().empty());
  fill.dry_run = false;
  for (int i = 0; i < 2; ++i) {  // repeated slots are the same firings
    ASSERT_TRUE(schedules().backfill_schedule(fill).ok());
    look();
    EXPECT_EQ(tasks().size(), 5U);
  }
}

TEST_P(Schedules, RecordWhyASlotCouldNotStart) {
  create({.name = "s", .every = 10s, .workflow = "nobody"});
  advance(10s);
  ASSERT_EQ(firings().size(), 1U);
  EXPECT_EQ(firings()[0].status, FiringStatus::skipped);
  EXPECT_NE(firings()[0].reason.find("nobody"), std::string::npos);
}

TEST_P(Schedules, FreeTheirNameWhenDeleted) {
  const auto made = create({.name = "s", .every = 10s});
  EXPECT_EQ(refused({.name = "s", .every = 10s}).code, ProblemCode::conflict);
  ASSERT_TRUE(schedules().delete_schedule({.ref = {.name_or_id = made.id}}).ok());
  EXPECT_EQ(schedules().get_schedule({.name_or_id = "s"}).problem().code, ProblemCode::not_found);
  EXPECT_EQ(schedules().get_schedule({.name_or_id = made.id}).problem().code, ProblemCode::not_found);
  advance(10s);
  EXPECT_TRUE(tasks().empty());
  create({.name = "s", .every = 10s});
}

TEST_P(Schedules, ListTheirNextTimes) {
  create({.name = "s", .cron = "30 2 * * *", .timezone = "Europe/Berlin"});
  const auto times = schedules().next_times({.name_or_id = "s"}, 10);
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->size(), 10U);
  EXPECT_EQ(times->front(), schedules().get_schedule({.name_or_id = "s"})->next_fire_at);
}

TEST_P(Schedules, AreRejectedByField) {
  const auto field = [&](core::Schedule schedule) {
    const core::Problem problem = refused(std::move(schedule));
    EXPECT_EQ(problem.code, ProblemCode::invalid_argument);
    return problem.errors.empty() ? "" : problem.errors[0].field;
  };
  EXPECT_EQ(field({.name = "s"}), "cron");
  EXPECT_EQ(field({.name = "s", .cron = "* * * * *", .every = 1s}), "cron");
  EXPECT_EQ(field({.name = "s", .cron = "0 0 30 2 *"}), "cron");
  EXPECT_EQ(field({.name = "s", .every = 999ms}), "every");
  EXPECT_EQ(field({.name = "s", .every = 1s, .timezone = "Mars/Olympus"}), "timezone");
  EXPECT_EQ(field({.name = "s", .every = 1s, .workflow = "w", .task = core::TaskSpec{.type = "t"}}),
            "workflow");
  EXPECT_EQ(field({.name = "s", .every = 1s, .max_catchup = -1}), "max_catchup");
  EXPECT_EQ(field({.name = "s", .every = 1s, .task = core::TaskSpec{.type = ""}}), "task.type");
  EXPECT_EQ(field({.name = "", .every = 1s}), "name");
  const core::TimePoint now = clock.now();
  EXPECT_EQ(field({.name = "s", .every = 1s, .start_at = now, .end_at = now}), "end_at");
  EXPECT_TRUE(schedules().list_schedules({})->items.empty());
}

PAWL_ON_EVERY_STORE(Schedules);

}  // namespace
}  // namespace pawl::testing
