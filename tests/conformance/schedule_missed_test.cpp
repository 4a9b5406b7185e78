// Missed slots and daylight saving changes of schedules, on every store.
#include <string>
#include <vector>

#include "runtime/zones.hpp"
#include "tests/conformance/schedule_steps.hpp"

namespace pawl::testing {
namespace {

using core::DstFold;
using core::DstGap;
using core::FiringStatus;
using core::Overlap;

class ScheduleMissed : public ScheduleTest {
 public:
  core::Schedule schedule() { return *schedules().get_schedule({.name_or_id = "s"}); }
  // Times since creation of the fired slots, oldest first.
  std::vector<core::Duration> fired(const core::Schedule& made) {
    std::vector<core::Duration> slots;
    for (const core::Firing& firing : firings())
      if (firing.status == FiringStatus::fired) slots.push_back(firing.slot - made.created_at);
    std::reverse(slots.begin(), slots.end());
    return slots;
  }
};

using Slots = std::vector<core::Duration>;

TEST_P(ScheduleMissed, FiresNoMissedSlotIfMaxCatchupIsZero) {
  const auto made = create({.name = "s", .every = 10s, .max_catchup = 0});
  advance(35s);
  EXPECT_TRUE(tasks().empty());
  ASSERT_EQ(firings().size(), 1U);
  EXPECT_EQ(firings()[0].status, FiringStatus::skipped);
  EXPECT_EQ(firings()[0].slot, made.created_at + 10s);
  EXPECT_EQ(firings()[0].until, made.created_at + 30s);
  EXPECT_EQ(firings()[0].reason, "missed, and max_catchup is 0");
  EXPECT_EQ(schedule().last_fired_at, std::nullopt);
  EXPECT_EQ(schedule().next_fire_at, made.created_at + 40s);
  advance(5s);
  EXPECT_EQ(fired(made), Slots{40s});
  EXPECT_EQ(schedule().last_fired_at, made.created_at + 40s);
}

TEST_P(ScheduleMissed, FiresTheLastOfTheMissedSlotsUpToMaxCatchup) {
  const auto made = create({.name = "s", .every = 10s, .max_catchup = 2});
  advance(55s);
  EXPECT_EQ(fired(made), (Slots{40s, 50s}));
  EXPECT_EQ(firings().back().slot, made.created_at + 10s);
  EXPECT_EQ(firings().back().until, made.created_at + 30s);
  EXPECT_EQ(firings().back().reason, "more than 2 slots were missed");
}

TEST_P(ScheduleMissed, DoesNotCountTheCurrentSlot) {
  const auto made = create({.name = "s", .every = 10s, .max_catchup = 2});
  advance(50s);
  EXPECT_EQ(fired(made), (Slots{30s, 40s, 50s}));
}

// Slots that a node claims late do not count as missed.
TEST_P(ScheduleMissed, FiresEverySlotWhileANodePolls) {
  const auto made = create({.name = "s", .every = 1s, .max_catchup = 0});
  SeededRandom random{1};
  runtime::Scheduler scheduler{*node().store(), node().local(), random};
  scheduler.poll();
  clock.advance(9s + 500ms);
  while (scheduler.poll() > 0) {
  }
  EXPECT_EQ(fired(made), (Slots{1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s, 9s}));
  clock.advance(30s);  // the node was stopped, or its store was unavailable
  while (scheduler.poll() > 0) {
  }
  EXPECT_EQ(fired(made).size(), 9U);
  EXPECT_EQ(count(FiringStatus::skipped), 1);
}

// The first node polled when the slot was due, so it treats the slot as not missed.
TEST_P(ScheduleMissed, LeavesASlotToTheNodeThatPolledBefore) {
  const auto made = create({.name = "s", .every = 5s, .max_catchup = 0});
  SeededRandom random{1};
  runtime::Scheduler first{*node().store(), node().local(), random};
  first.poll();
  clock.advance(5s);
  const auto other = another_node(77);
  clock.advance(500ms);
  look(*other);
  EXPECT_TRUE(firings().empty());
  while (first.poll() > 0) {
  }
  EXPECT_EQ(fired(made), Slots{5s});
}

TEST_P(ScheduleMissed, ClaimsASlotThatNoOtherNodeClaimedWithinASecond) {
  create({.name = "s", .every = 10s, .max_catchup = 0});
  clock.advance(10s + 500ms);
  SeededRandom random{1};
  runtime::Scheduler scheduler{*node().store(), node().local(), random};
  EXPECT_EQ(scheduler.poll(), 0);
  clock.advance(1s);
  while (scheduler.poll() > 0) {
  }
  EXPECT_EQ(count(FiringStatus::skipped), 1);
}

TEST_P(ScheduleMissed, ReportsTheLastFiredSlotNotTheSkippedOne) {
  const auto made = create({.name = "s", .every = 10s, .overlap = Overlap::skip});
  EXPECT_EQ(schedule().last_fired_at, std::nullopt);
  advance(10s);
  EXPECT_EQ(schedule().last_fired_at, made.created_at + 10s);
  advance(10s);
  EXPECT_EQ(count(FiringStatus::skipped), 1);
  EXPECT_EQ(schedule().last_fired_at, made.created_at + 10s);
  advance(3s);
  ASSERT_TRUE(schedules().trigger_schedule({.ref = {.name_or_id = "s"}}).ok());
  look();
  EXPECT_EQ(count(FiringStatus::fired), 2);
  EXPECT_EQ(schedule().last_fired_at, made.created_at + 10s) << "a trigger is no slot";
  const auto renamed = schedules().update_schedule({.ref = {.name_or_id = "s"}, .patch = {.max_catchup = 1}});
  EXPECT_EQ(renamed->last_fired_at, made.created_at + 10s);
}

// --- daylight saving time ---

constexpr auto kZone = "Europe/Berlin";

// The next change of the UTC offset, backward or forward.
core::TimePoint next_change(core::TimePoint from, bool is_back) {
  const auto zone = runtime::find_zone(kZone);
  while (true) {
    const auto period = zone->period_at(from);
    if ((zone->period_at(period.end).offset < period.offset) == is_back) return period.end;
    from = period.end;
  }
}

TEST_P(ScheduleMissed, FiresEachHalfHourThatAutumnRepeats) {
  clock.advance(next_change(clock.now(), true) - 1h - 1min - clock.now());
  create({.name = "s", .cron = "*/30 * * * *", .timezone = kZone});
  advance(1min);
  for (int i = 0; i < 4; ++i) advance(30min);
  EXPECT_EQ(tasks().size(), 5U);
}

TEST_P(ScheduleMissed, FiresNoExtraSlotAfterTheHourThatSpringLeavesOut) {
  clock.advance(next_change(clock.now(), false) - 16min - clock.now());
  create({.name = "s", .cron = "15,45 * * * *", .timezone = kZone});
  advance(1min);
  EXPECT_EQ(tasks().size(), 1U);
  advance(15min);
  EXPECT_EQ(tasks().size(), 1U);
  advance(15min);
  EXPECT_EQ(tasks().size(), 2U);
}

TEST_P(ScheduleMissed, KeepsTheRulesForFixedTimes) {
  const core::TimePoint change = next_change(clock.now(), true);
  clock.advance(change - 3h - clock.now());
  create({.name = "s",
          .cron = "30 2 * * *",
          .timezone = kZone,
          .dst = {.gap = DstGap::skip, .fold = DstFold::both}});
  EXPECT_EQ(schedule().dst, (core::Dst{.gap = DstGap::skip, .fold = DstFold::both}));
  const auto times = schedules().next_times({.name_or_id = "s"}, 2);
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(*times, (std::vector<core::TimePoint>{change - 30min, change + 30min}));
  const auto patched =
      schedules().update_schedule({.ref = {.name_or_id = "s"}, .patch = {.dst_fold = DstFold::last}});
  ASSERT_TRUE(patched.ok());
  EXPECT_EQ(patched->dst, (core::Dst{.gap = DstGap::skip, .fold = DstFold::last}));
  EXPECT_EQ(patched->next_fire_at, change + 30min);
}

PAWL_ON_EVERY_STORE(ScheduleMissed);

}  // namespace
}  // namespace pawl::testing
