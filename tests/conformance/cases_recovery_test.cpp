// Regression tests for other systems' bugs with recovery of lost work (RELIABILITY B07, B08, B18, B19).
#include <array>

#include "tests/conformance/faults.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::TaskStatus;
using store::StoreError;
using store::Verb;

class Recovery : public Conformance {
 public:
  static std::vector<core::Command> found_due(DirectNode& rescuer) {
    std::optional<core::TimePoint> next;
    return rescuer.engine().sweeper().find_due(100, next);
  }
};

TEST_P(Recovery, B07_WithAnOutdatedListChangesNothing) {
  const auto late = another_node(2);
  const core::Task task = enqueue(task_of("t"));
  (void)claim_one("w1", 10s);
  clock.advance(10s);
  auto old_list = found_due(*late);
  ASSERT_EQ(old_list.size(), 1U);
  tick();
  const auto recovered = get(task.id);
  ASSERT_EQ(recovered.task.status, TaskStatus::pending);
  for (const Pending& answer : submit_group(*late, std::move(old_list)))
    EXPECT_EQ(std::get<core::Swept>(*answer.answer()).changed, 0);
  const auto after = get(task.id);
  EXPECT_EQ(after.task, recovered.task);
  EXPECT_EQ(after.attempts, recovered.attempts);
  EXPECT_EQ(claim("w2").size(), 1U) << "it was put back once";
  EXPECT_EQ(claim("w3").size(), 0U);
}

TEST_P(Recovery, B08_ContinuesAfterLosingTheStoreAtAnyStep) {
  FaultyNode faulty{node(), clock, 99};
  constexpr std::array kSteps{Verb::read, Verb::begin, Verb::load, Verb::commit};
  for (const Verb step : kSteps) {
    const core::Task task = enqueue(task_of("t"));
    (void)claim_one("w1", 10s);
    clock.advance(10s);
    faulty.plan.on_verb = [=](Verb now) {
      if (now == step) lose(StoreError::Kind::unavailable);
    };
    for (int i = 0; i < 3; ++i) (void)faulty.node.engine().sweeper().tick(100);
    EXPECT_NE(status_of(task.id), TaskStatus::pending);
    faulty.plan.on_verb = [](Verb) {};
    (void)faulty.node.engine().sweeper().tick(
        100);  // neither the node nor the store keeps a trace of the outage
    EXPECT_EQ(status_of(task.id), TaskStatus::pending);
    EXPECT_EQ(get(task.id).attempts.size(), 1U);
    complete(claim_one("w2"));
  }
}

TEST_P(Recovery, B18_AfterRollingRestartsLosesNoTaskAndCountsNoAttemptTwice) {
  constexpr core::Duration kLease = 10s;
  constexpr int kTasks = 30;
  std::vector<core::Task> tasks;
  for (int i = 0; i < kTasks; ++i) {
    core::TaskSpec spec = task_of("t");
    spec.retry = {.max_attempts = 100, .initial_interval = 1ms, .max_interval = 1ms};
    tasks.push_back(enqueue(spec));
  }
  // Each incarnation is killed after 0.7 of the lease with most of its tasks; it completes one task before.
  int incarnations = 0;
  for (; incarnations < 200 && !queue().counts.is_zero(); ++incarnations) {
    const auto held = claim("worker-" + std::to_string(incarnations), 5, kLease);
    if (!held.empty()) complete(held.front().task);
    clock.advance(kLease * 7 / 10);
    tick();
  }
  EXPECT_TRUE(queue().counts.is_zero()) << "after " << incarnations << " incarnations";
  for (const core::Task& task : tasks) {
    const auto ended = get(task.id);
    EXPECT_EQ(ended.task.status, TaskStatus::completed);
    EXPECT_EQ(static_cast<int>(ended.attempts.size()), ended.task.attempt) << "each claim was counted once";
  }
}

TEST_P(Recovery, B19_RedeliversTheClaimOfACrashedServerFromTheStore) {
  (void)claim("w1");  // registers the worker, so that the lost commit is that of the later claim
  const core::Task task = enqueue(task_of("t"));
  {
    FaultyNode dying{node(), clock, 99};
    dying.plan.on_committed = [] { lose(StoreError::Kind::unavailable); };
    (void)dying.node.api().claim({.worker_id = "w1", .lease = 10s});
  }
  EXPECT_EQ(claim("w2").size(), 0U);
  clock.advance(10s);
  tick();
  EXPECT_EQ(claim_one("w2").id, task.id);
}

PAWL_ON_EVERY_STORE(Recovery);

}  // namespace
}  // namespace pawl::testing
