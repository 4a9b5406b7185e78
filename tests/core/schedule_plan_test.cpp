// Firings of schedules as decisions on records.
#include "core/schedule/schedule_plan.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

TEST(AFiring, EndsOnce) {
  const TimePoint now = time_from_micros(1'800'000'000'000'000);
  Firing fired = firing_of({.id = "s", .name = "nightly"}, now, FiringOrigin::slot, now);
  fired.status = FiringStatus::fired;
  fired.task_id = "t";
  const std::vector<std::optional<Record>> found{
      Record{.ref = firing_ref("default", "s", now), .body = body_of(fired)}};
  Firing skipped = fired;
  skipped.status = FiringStatus::skipped;
  const auto decision = decide_firing(skipped, found, now);
  ASSERT_TRUE(decision.ok());
  EXPECT_TRUE(decision->changes.empty());
}

}  // namespace
}  // namespace pawl::core
