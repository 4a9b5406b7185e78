// Queues: maintained counts, pauses, and partial changes of settings.

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ProblemCode;
using core::ReportAction;
using core::TaskStatus;

using KeptCounts = Conformance;

TEST_P(KeptCounts, EqualARecountAfterEveryTransition) {
  core::TaskSpec delayed = task_of("t");
  delayed.delay = 1h;
  core::TaskSpec short_lived = task_of("u");
  short_lived.retry.max_attempts = 1;
  enqueue(delayed);
  enqueue(short_lived);
  enqueue_keyed("k");
  const core::Task waiting = enqueue_keyed("k");
  enqueue_to("default", "v", 3);
  expect_counts_kept();
  EXPECT_EQ(queue().counts, (core::QueueCounts{.pending = 3, .scheduled = 1, .blocked = 1}));

  const auto claimed = claim("w1", 10, 10s);
  expect_counts_kept();
  for (const auto& one : claimed) {
    ASSERT_TRUE(report(one.task, ReportAction::start).ok());
    expect_counts_kept();
  }
  EXPECT_EQ(queue().counts.running, 3);
  ASSERT_TRUE(api().cancel_task("default", waiting.id).ok());
  expect_counts_kept();
  clock.advance(10s);
  tick();
  expect_counts_kept();
  EXPECT_EQ(queue().counts.dead_letter, 1);
  clock.advance(1h);
  tick();
  expect_counts_kept();
  EXPECT_EQ(api().retry_tasks({})->changed, 1);
  expect_counts_kept();
  for (const auto& one : claim()) {
    ASSERT_TRUE(report(one.task, ReportAction::release).ok());
    expect_counts_kept();
  }
  EXPECT_GT(api().cancel_tasks({})->changed, 0);
  expect_counts_kept();
  EXPECT_TRUE(queue().counts.is_zero());
}

TEST_P(KeptCounts, OfAQueueListAllQueuesByName) {
  enqueue_to("b");
  enqueue_to("a");
  set_queue("c", {.paused = true});
  const auto queues = api().list_queues("default");
  ASSERT_EQ(queues->size(), 3U);
  EXPECT_EQ(queues->at(0).name, "a");
  EXPECT_EQ(queues->at(1).name, "b");
  EXPECT_EQ(queues->at(2).name, "c");
  EXPECT_TRUE(queues->at(2).settings.paused);
  EXPECT_TRUE(api().list_queues("other")->empty());
}

TEST_P(KeptCounts, HaveTheAgeOfTheOldestPendingTask) {
  core::TaskSpec delayed = task_of("t");
  delayed.delay = 10s;
  enqueue(delayed);
  EXPECT_EQ(queue().oldest_pending_age, std::nullopt) << "it is not due";
  clock.advance(5s);
  enqueue_to("default", "u", 7);
  clock.advance(8s);
  tick();
  EXPECT_EQ(queue().oldest_pending_age, 8s);
  (void)claim_for({.worker_id = "w", .types = {"u"}});
  EXPECT_EQ(queue().oldest_pending_age, 3s) << "counted from when it was due";
  (void)claim();
  EXPECT_EQ(queue().oldest_pending_age, std::nullopt);
}

using Pause = Conformance;

TEST_P(Pause, StopsClaimsAndNothingElse) {
  enqueue(task_of("t"));
  const core::Task held = claim_one();
  set_queue("default", {.paused = true});
  const core::Task task = enqueue(task_of("t"));
  EXPECT_TRUE(claim().empty());
  complete(held);
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(queue().counts.pending, 1);
  enqueue_to("other");
  EXPECT_EQ(claim_for({.worker_id = "w", .queues = {"default", "other"}}).size(), 1U);
  set_queue("default", {.paused = false});
  EXPECT_EQ(claim_one().id, task.id);
}

TEST_P(Pause, WakesWaitingClaimsWhenItEnds) {
  set_queue("default", {.paused = true});
  enqueue(task_of("t"));
  const Pending claim = waiting_claim({.worker_id = "w1"});
  enqueue(task_of("t"));
  EXPECT_FALSE(claim.is_answered());
  set_queue("default", {.paused = false});
  EXPECT_EQ(claim.tasks().size(), 2U);
}

TEST_P(Pause, HoldsAcrossNodes) {
  const auto other = another_node(2);
  enqueue(task_of("t"));
  ASSERT_TRUE(other->api().set_queue({.name = "default", .patch = {.paused = true}}).ok());
  EXPECT_TRUE(claim().empty());
  const Pending waiting = waiting_claim({.worker_id = "w1"});
  ASSERT_TRUE(other->api().set_queue({.name = "default", .patch = {.paused = false}}).ok());
  EXPECT_FALSE(waiting.is_answered());
  engine().serve_waiting(true);
  EXPECT_EQ(waiting.tasks().size(), 1U);
}

using Settings = Conformance;

TEST_P(Settings, KeepAbsentFieldsAndClearNullFields) {
  set_queue("q", {.paused = true, .max_concurrency = {{5}}});
  set_queue("q",
            {.type_concurrency = {{{{"a", 2}, {"ü", 0}}}}, .rate = {{core::Rate{.limit = 3, .per = 10s}}}});
  core::QueueSettings settings = queue("q").settings;
  EXPECT_TRUE(settings.paused);
  EXPECT_EQ(settings.max_concurrency, 5);
  EXPECT_EQ(settings.type_concurrency, (std::map<std::string, std::int64_t>{{"a", 2}, {"ü", 0}}));
  EXPECT_EQ(settings.rate, (core::Rate{.limit = 3, .per = 10s}));
  core::QueuePatch clears{.paused = false};
  clears.max_concurrency.emplace(std::nullopt);
  clears.rate.emplace(std::nullopt);
  set_queue("q", clears);
  settings = queue("q").settings;
  EXPECT_FALSE(settings.paused);
  EXPECT_EQ(settings.max_concurrency, std::nullopt);
  EXPECT_EQ(settings.type_concurrency.size(), 2U);
  EXPECT_EQ(settings.rate, std::nullopt);
  core::QueuePatch types;
  types.type_concurrency.emplace(std::nullopt);
  set_queue("q", types);
  EXPECT_TRUE(queue("q").settings.type_concurrency.empty());
}

TEST_P(Settings, MergeTwoChangesInOneGroup) {
  const auto answers =
      submit_group(node(), {core::SetQueue{.name = "q", .patch = {.paused = true}},
                            core::SetQueue{.name = "q", .patch = {.max_concurrency = {{4}}}}});
  EXPECT_TRUE(answers[0].answer().ok());
  EXPECT_TRUE(answers[1].answer().ok());
  EXPECT_TRUE(queue("q").settings.paused);
  EXPECT_EQ(queue("q").settings.max_concurrency, 4);
}

TEST_P(Settings, AreRejectedIfInvalidAndNothingIsStored) {
  const auto refused = api().set_queue({.name = "q", .patch = {.paused = true, .max_concurrency = {{-1}}}});
  EXPECT_EQ(refused.problem().code, ProblemCode::invalid_argument);
  EXPECT_EQ(refused.problem().errors.at(0).field, "max_concurrency");
  EXPECT_TRUE(api().list_queues("default")->empty());
}

PAWL_ON_EVERY_STORE(KeptCounts);
PAWL_ON_EVERY_STORE(Pause);
PAWL_ON_EVERY_STORE(Settings);

}  // namespace pawl::testing
