// Tasks that are forcibly taken from their holder.
#include <gtest/gtest.h>

#include "core/task/task_machine.hpp"
#include "tests/core/now.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

const Lane kLane{.id = 1, .ns = "default", .queue = "default", .type = "t"};

TaskRecord held_by(const std::string& worker) {
  TaskRecord record = new_task(TaskId{}, kLane, TaskSpec{.type = "t"}, kNow, true);
  apply(record, decide_claim(record, worker, 1h, kNow));
  return record;
}

TEST(Eviction, ByReleaseCostsNoAttemptAndRaisesTheFence) {
  const TaskRecord record = held_by("w");
  const auto change = decide_evict(record, {.worker_id = "w", .eviction = Eviction::release}, {.now = kNow});
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->status, TaskStatus::pending);
  EXPECT_EQ(change->progress.attempt, 0);
  EXPECT_EQ(change->progress.fence, 2);
  EXPECT_EQ(change->attempt->outcome, AttemptOutcome::released);
}

TEST(Eviction, ByRecoveryActsLikeAnExpiredLease) {
  const TaskRecord record = held_by("w");
  const auto change = decide_evict(record, {.worker_id = "w", .eviction = Eviction::recover}, {.now = kNow});
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->progress.attempt, 1);
  EXPECT_EQ(change->progress.fence, 2);
  EXPECT_EQ(change->attempt->outcome, AttemptOutcome::lease_expired);
  EXPECT_TRUE(change->error_boundary.has_value());
}

TEST(Eviction, IgnoresTasksOfAnotherHolder) {
  EXPECT_FALSE(decide_evict(held_by("w"), {.worker_id = "v", .eviction = Eviction::release}, {.now = kNow})
                   .has_value());
  EXPECT_FALSE(
      decide_evict(held_by("w"), {.worker_id = "w", .eviction = Eviction::none}, {.now = kNow}).has_value());
}

TEST(Eviction, SparesTasksClaimedOrRenewedSince) {
  TaskRecord record = held_by("w");
  const auto evict_unheard_since = [&record](TimePoint time) {
    const EvictFrom from{.worker_id = "w", .eviction = Eviction::recover, .spared_after = time};
    return decide_evict(record, from, {.now = kNow + 2min}).has_value();
  };
  EXPECT_FALSE(evict_unheard_since(kNow - 1s));
  EXPECT_TRUE(evict_unheard_since(kNow));
  record.lease->heartbeat_at = kNow + 1min;
  EXPECT_FALSE(evict_unheard_since(kNow));
  EXPECT_TRUE(evict_unheard_since(kNow + 1min));
}

TEST(Eviction, CancelsATaskWhoseCancelWasRequested) {
  TaskRecord record = held_by("w");
  record.lease->cancel_requested = true;
  for (const Eviction eviction : {Eviction::release, Eviction::recover})
    EXPECT_EQ(decide_evict(record, {.worker_id = "w", .eviction = eviction}, {.now = kNow})->status,
              TaskStatus::cancelled);
}

}  // namespace
}  // namespace pawl::core
