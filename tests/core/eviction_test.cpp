// Tasks that are taken from their holder by force.
#include <gtest/gtest.h>

#include "core/task_machine.hpp"
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

TEST(Eviction, ThatReleasesSpendsNoAttemptAndRaisesTheFence) {
  const TaskRecord record = held_by("w");
  const auto change = decide_evict(record, "w", Eviction::release, {.now = kNow});
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->status, TaskStatus::pending);
  EXPECT_EQ(change->progress.attempt, 0);
  EXPECT_EQ(change->progress.fence, 2);
  EXPECT_EQ(change->attempt->outcome, AttemptOutcome::released);
}

TEST(Eviction, ThatRecoversIsAsALeaseThatExpired) {
  const TaskRecord record = held_by("w");
  const auto change = decide_evict(record, "w", Eviction::recover, {.now = kNow});
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->progress.attempt, 1);
  EXPECT_EQ(change->progress.fence, 2);
  EXPECT_EQ(change->attempt->outcome, AttemptOutcome::lease_expired);
  EXPECT_TRUE(change->error_boundary.has_value());
}

TEST(Eviction, OfWhatAnotherHoldsIsNothing) {
  EXPECT_FALSE(decide_evict(held_by("w"), "v", Eviction::release, {.now = kNow}).has_value());
  EXPECT_FALSE(decide_evict(held_by("w"), "w", Eviction::none, {.now = kNow}).has_value());
}

TEST(Eviction, OfATaskThatIsToBeCancelledCancelsIt) {
  TaskRecord record = held_by("w");
  record.lease->cancel_requested = true;
  for (const Eviction eviction : {Eviction::release, Eviction::recover})
    EXPECT_EQ(decide_evict(record, "w", eviction, {.now = kNow})->status, TaskStatus::cancelled);
}

}  // namespace
}  // namespace pawl::core
