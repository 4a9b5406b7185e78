// Queue limits: they hold across all nodes and workers, at every instant.

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ReportAction;
using core::TaskStatus;

class Limits : public Conformance {
 public:
  void enqueue_many(int count, const std::string& type = "t") {
    core::EnqueueTasks batch;
    batch.tasks.assign(static_cast<std::size_t>(count), task_of(type));
    ASSERT_TRUE(api().enqueue_batch(batch).ok());
  }
};

TEST_P(Limits, OfConcurrencyCountHeldTasks) {
  set_queue("default", {.max_concurrency = {{3}}});
  enqueue_many(10);
  const auto held = claim("w1", 10);
  ASSERT_EQ(held.size(), 3U);
  EXPECT_TRUE(claim("w2").empty());
  ASSERT_TRUE(report(held[0].task, ReportAction::start).ok());
  EXPECT_TRUE(claim("w2").empty()) << "running is held too";
  complete(held[0].task);
  EXPECT_EQ(claim("w2").size(), 1U);
  ASSERT_TRUE(fail(held[1].task).ok());
  ASSERT_TRUE(report(held[2].task, ReportAction::release).ok());
  EXPECT_EQ(claim("w2").size(), 2U);
}

TEST_P(Limits, AreFreedByALostLease) {
  set_queue("default", {.max_concurrency = {{1}}});
  enqueue_many(2);
  (void)claim_one("w1", 10s);
  clock.advance(9s);
  tick();
  EXPECT_TRUE(claim("w2").empty());
  clock.advance(1s);
  tick();
  EXPECT_EQ(claim("w2").size(), 1U);
}

TEST_P(Limits, OfATypeDoNotAffectOtherTypes) {
  set_queue("default", {.type_concurrency = {{{{"slow", 2}, {"never", 0}}}}});
  enqueue_many(5, "slow");
  enqueue_many(5, "never");
  enqueue_many(3, "fast");
  const auto claimed = claim("w1", 100);
  std::map<std::string, int> by_type;
  for (const auto& one : claimed) ++by_type[one.task.type];
  EXPECT_EQ(by_type, (std::map<std::string, int>{{"fast", 3}, {"slow", 2}}));
  EXPECT_TRUE(claim("w2").empty());
}

TEST_P(Limits, OfATypeAndOfTheQueueApplyTogether) {
  set_queue("default", {.max_concurrency = {{3}}, .type_concurrency = {{{{"a", 2}}}}});
  enqueue_many(5, "a");
  enqueue_many(5, "b");
  std::map<std::string, int> by_type;
  for (const auto& one : claim("w1", 100)) ++by_type[one.task.type];
  EXPECT_EQ(by_type, (std::map<std::string, int>{{"a", 2}, {"b", 1}}));
}

TEST_P(Limits, OfATypeApplyAcrossPriorities) {
  set_queue("default", {.type_concurrency = {{{{"a", 2}}}}});
  for (int priority = 0; priority < 4; ++priority) enqueue_to("default", "a", priority);
  const auto claimed = claim("w1", 100);
  ASSERT_EQ(claimed.size(), 2U);
  EXPECT_EQ(claimed[0].task.priority, 3);
  EXPECT_EQ(claimed[1].task.priority, 2);
}

TEST_P(Limits, HoldAcrossNodes) {
  const auto other = another_node(2);
  set_queue("default", {.max_concurrency = {{3}}});
  enqueue_many(10);
  EXPECT_EQ(claim("w1", 2).size(), 2U);
  const auto theirs = other->api().claim({.worker_id = "w2", .max = 10});
  EXPECT_EQ(theirs->size(), 1U);
  EXPECT_TRUE(claim("w1").empty());
  ASSERT_TRUE(report_to(other->api(), "w2", report_of(theirs->at(0).task, ReportAction::complete)).ok());
  EXPECT_EQ(claim("w1").size(), 1U);
  EXPECT_TRUE(other->api().claim({.worker_id = "w2"})->empty());
}

TEST_P(Limits, HoldWithinOneGroup) {
  set_queue("default", {.max_concurrency = {{3}}});
  enqueue_many(10);
  const auto held = claim("w1", 2);
  std::vector<core::Command> commands{
      core::ReportTasks{.worker_id = "w1", .reports = {report_of(held[0].task, ReportAction::complete)}}};
  for (int i = 0; i < 4; ++i) commands.emplace_back(core::ClaimTasks{.worker_id = "w", .max = 1});
  const auto answers = submit_group(node(), std::move(commands));
  std::size_t given = 0;
  for (std::size_t i = 1; i < answers.size(); ++i) given += answers[i].tasks().size();
  EXPECT_EQ(given, 2U) << "one was held, one ended, three may be";
  EXPECT_EQ(queue().counts.claimed, 3);
  expect_counts_kept();
}

TEST_P(Limits, WakeWaitingClaimsWhenTheyAreFreedOrLifted) {
  set_queue("default", {.max_concurrency = {{1}}});
  enqueue_many(3);
  const core::Task held = claim_one("w1");
  const Pending waiting = waiting_claim({.worker_id = "w2"});
  EXPECT_FALSE(waiting.is_answered());
  complete(held);
  ASSERT_EQ(waiting.tasks().size(), 1U);
  const Pending again = waiting_claim({.worker_id = "w3"});
  EXPECT_FALSE(again.is_answered());
  core::QueuePatch none;
  none.max_concurrency.emplace(std::nullopt);
  set_queue("default", none);
  EXPECT_EQ(again.tasks().size(), 1U);
}

TEST_P(Limits, LoweredBelowTheHeldTasksGrantNothingUntilEnoughHaveEnded) {
  enqueue_many(6);
  const auto held = claim("w1", 4);
  set_queue("default", {.max_concurrency = {{2}}});
  EXPECT_TRUE(claim("w2").empty());
  for (std::size_t i = 0; i < 2; ++i) complete(held[i].task);
  EXPECT_TRUE(claim("w2").empty());
  complete(held[2].task);
  EXPECT_EQ(claim("w2", 10).size(), 1U);
}

TEST_P(Limits, LoweredBelowTheHeldTasksGrantNothingWithARateToo) {
  enqueue_many(6);
  const auto held = claim("w1", 4);
  set_queue("default", {.max_concurrency = {{2}}, .rate = {{core::Rate{.limit = 10, .per = 1s}}}});
  EXPECT_TRUE(claim("w2").empty());
  for (std::size_t i = 0; i < 3; ++i) complete(held[i].task);
  EXPECT_EQ(claim("w2", 10).size(), 1U);
}

using Rate = Limits;

TEST_P(Rate, AllowsABurstAndThenTheRate) {
  set_queue("default", {.rate = {{core::Rate{.limit = 5, .per = 10s}}}});
  enqueue_many(20);
  EXPECT_EQ(claim("w1", 20).size(), 5U);
  EXPECT_TRUE(claim("w1").empty());
  clock.advance(2s);
  EXPECT_EQ(claim("w1", 20).size(), 1U);
  clock.advance(4s);
  EXPECT_EQ(claim("w1", 1).size(), 1U);
  EXPECT_EQ(claim("w1", 20).size(), 1U);
  clock.advance(1h);
  EXPECT_EQ(claim("w1", 20).size(), 5U);
}

TEST_P(Rate, IsSpentByClaimedTasksNotByEmptyClaims) {
  set_queue("default", {.rate = {{core::Rate{.limit = 3, .per = 1h}}}});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(claim().empty());
  enqueue_many(2);
  EXPECT_EQ(claim("w1", 10).size(), 2U);
  enqueue_many(2);
  EXPECT_EQ(claim("w1", 10).size(), 1U);
}

TEST_P(Rate, HoldsAcrossNodes) {
  const auto other = another_node(2);
  set_queue("default", {.rate = {{core::Rate{.limit = 4, .per = 1h}}}});
  enqueue_many(20);
  EXPECT_EQ(claim("w1", 3).size(), 3U);
  EXPECT_EQ(other->api().claim({.worker_id = "w2", .max = 3})->size(), 1U);
  EXPECT_TRUE(claim("w1").empty());
}

TEST_P(Rate, WakesWaitingClaimsAsTimePasses) {
  set_queue("default", {.rate = {{core::Rate{.limit = 1, .per = 10s}}}});
  enqueue_many(3);
  EXPECT_EQ(claim("w1").size(), 1U);
  const Pending waiting = waiting_claim({.worker_id = "w2"});
  engine().serve_waiting(true);
  EXPECT_FALSE(waiting.is_answered());
  clock.advance(10s);
  engine().serve_waiting(true);
  EXPECT_EQ(waiting.tasks().size(), 1U);
}

TEST_P(Rate, IsNeverExceededInAnyWindow) {
  const core::Rate rate{.limit = 7, .per = 5s};
  set_queue("default", {.rate = {{rate}}});
  enqueue_many(120);
  SeededRandom random{77};
  std::vector<core::TimePoint> claims;
  for (int i = 0; i < 60; ++i) {
    clock.advance(core::Duration{static_cast<std::int64_t>(random.below(1'500'000))});
    const auto got = claim("w1", 1 + static_cast<int>(random.below(10)), 1h);
    claims.insert(claims.end(), got.size(), clock.now());
  }
  EXPECT_GT(claims.size(), 30U);
  for (std::size_t from = 0; from < claims.size(); ++from) {
    for (std::size_t to = from; to < claims.size(); ++to) {
      const double windows =
          static_cast<double>((claims[to] - claims[from]).count()) / static_cast<double>(rate.per.count());
      ASSERT_LE(static_cast<double>(to - from + 1), static_cast<double>(rate.limit) * (1.0 + windows) + 1e-6);
    }
  }
}

PAWL_ON_EVERY_STORE(Limits);
PAWL_ON_EVERY_STORE(Rate);

}  // namespace pawl::testing
