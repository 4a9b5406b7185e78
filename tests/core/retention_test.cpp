// Which objects have expired, by which rule, and where a sweep may stop.
#include "core/records/retention.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

const TimePoint kToday = time_from_micros(1'767'225'600'000'000);
const Lane kMailLane{.id = 1, .ns = "default", .queue = "mail", .type = "t"};

FinishedTask ended(TaskStatus status, Duration ago, const Lane& lane = kMailLane) {
  return {.lane = &lane, .status = status, .finished_at = kToday - ago};
}

RetentionRules rules(NamespaceSettings settings) { return {{}, {{"default", std::move(settings)}}}; }

TEST(RetentionRules, UseTheServerDefaultIfNothingIsSet) {
  const RetentionRules none = rules({});
  EXPECT_TRUE(none.is_old(ended(TaskStatus::completed, 7 * kDay), kToday));
  EXPECT_FALSE(none.is_old(ended(TaskStatus::completed, 7 * kDay - 1us), kToday));
}

TEST(RetentionRules, PreferTheQueueThenTheStateThenTheServer) {
  EXPECT_EQ(rules({.retention_failed = 2h}).kept_for(kMailLane, TaskStatus::dead_letter), 2h);
  EXPECT_EQ(rules({.retention_failed = 2h, .retention_dead_letter = 3h})
                .kept_for(kMailLane, TaskStatus::dead_letter),
            3h);
  EXPECT_EQ(
      rules({.retention_failed = 2h, .retention_cancelled = 3h}).kept_for(kMailLane, TaskStatus::failed), 2h);
  EXPECT_EQ(rules({.retention_completed = 2h, .retention_queues = {{"mail", 1h}}})
                .kept_for(kMailLane, TaskStatus::completed),
            1h);
  EXPECT_EQ(rules({.retention_completed = 2h, .retention_queues = {{"other", 1h}}})
                .kept_for(kMailLane, TaskStatus::completed),
            2h);
  const Lane elsewhere{.id = 2, .ns = "other", .queue = "mail", .type = "t"};
  EXPECT_EQ(rules({.retention_completed = 2h}).kept_for(elsewhere, TaskStatus::completed), 7 * kDay);
}

TEST(RetentionRules, KeepEverythingThatHasNotEnded) {
  const RetentionRules at_once =
      rules({.retention_completed = 0s, .retention_failed = 0s, .retention_runs = 0s});
  for (const TaskStatus status :
       {TaskStatus::blocked, TaskStatus::pending, TaskStatus::claimed, TaskStatus::running})
    EXPECT_FALSE(at_once.is_old(ended(status, 90 * kDay), kToday)) << to_string(status);
  core::Run run;
  run.facts.ns = "default";
  run.finished_at = kToday - 90 * kDay;
  for (int i = 0; i < kRunStateCount; ++i) {
    run.state = static_cast<RunState>(i);
    EXPECT_EQ(at_once.is_old(run, kToday), is_closed(run.state)) << to_string(run.state);
  }
}

TEST(RetentionRules, KeepTheTasksOfARunWithTheirRun) {
  const Lane of_runs{.id = 3, .ns = "default", .queue = "mail", .type = "t", .of_runs = true};
  EXPECT_FALSE(
      rules({.retention_completed = 0s}).is_old(ended(TaskStatus::completed, 90 * kDay, of_runs), kToday));
}

TEST(RetentionRules, EndAScanAtTheShortestRetention) {
  EXPECT_EQ(rules({}).end_of_tasks(kToday), kToday - 7 * kDay);
  EXPECT_EQ(rules({.retention_completed = 60 * kDay}).end_of_tasks(kToday), kToday - 7 * kDay)
      << "other namespaces have the server's";
  EXPECT_EQ(rules({.retention_cancelled = 2h, .retention_queues = {{"a", 3h}}}).end_of_tasks(kToday),
            kToday - 2h);
  EXPECT_EQ(rules({.retention_queues = {{"a", 1h}}}).end_of_tasks(kToday), kToday - 1h);
  EXPECT_EQ(rules({.retention_runs = 1h}).end_of_runs(kToday), kToday - 1h);
}

TEST(FirstIdAt, IsBelowEveryLaterId) {
  class Zero final : public Random {
    std::uint64_t next() override { return 0; }
  } zero;
  IdGenerator ids{zero};
  const Uuid before = ids.next(kToday - 1ms);
  EXPECT_LT(before, first_id_at(kToday));
  EXPECT_LT(first_id_at(kToday), ids.next(kToday));
  EXPECT_EQ(first_id_at(TimePoint{} - kDurationMax), Uuid{});
}

}  // namespace
}  // namespace pawl::core
