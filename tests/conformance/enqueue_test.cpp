// The options of an enqueue: delay, order, single task or batch.

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ProblemCode;
using core::TaskStatus;

using Enqueue = Conformance;

TEST_P(Enqueue, ReturnsEveryGivenField) {
  core::TaskSpec spec = task_of("email.send", R"({"to":"ü"})");
  spec.queue = "mail 📫";
  spec.priority = -7;
  spec.key = "user/42";
  spec.idempotency_key = "once";
  spec.delay = 90s;
  spec.retry = {.max_attempts = -1,
                .initial_interval = 1500ms,
                .backoff = 1.5,
                .max_interval = 7h,
                .jitter = 0.125,
                .non_retryable = {"invalid_card", "a,b", "ü\"{}"}};
  spec.timeout = 1500us;
  spec.labels = {{"region", "eu"}, {"empty", ""}, {"a:b", "c\"d\\ü"}};
  const core::Task task = enqueue(spec);
  const core::Task stored = get(task.id).task;
  EXPECT_EQ(task, stored);
  EXPECT_EQ(stored.ns, "default");
  EXPECT_EQ(stored.queue, spec.queue);
  EXPECT_EQ(stored.type, spec.type);
  EXPECT_EQ(stored.priority, -7);
  EXPECT_EQ(stored.key, spec.key);
  EXPECT_EQ(stored.idempotency_key, spec.idempotency_key);
  EXPECT_EQ(stored.payload, spec.payload);
  EXPECT_EQ(stored.retry, spec.retry);
  EXPECT_EQ(stored.timeout, spec.timeout);
  EXPECT_EQ(stored.labels, spec.labels);
  EXPECT_EQ(stored.status, TaskStatus::pending);
  EXPECT_EQ(stored.available_at, clock.now() + 90s);
  EXPECT_EQ(stored.created_at, clock.now());
  EXPECT_EQ(stored.attempt, 0);
  EXPECT_TRUE(stored.output.empty());
  EXPECT_EQ(stored.lease, std::nullopt);
  EXPECT_EQ(stored.finished_at, std::nullopt);
}

TEST_P(Enqueue, StoresTheDefaults) {
  core::TaskSpec spec;
  spec.type = "t";
  const core::Task task = enqueue(spec);
  EXPECT_EQ(task.queue, "default");
  EXPECT_EQ(task.retry, core::RetryPolicy{});
  EXPECT_EQ(task.retry.max_attempts, 4);
  EXPECT_TRUE(task.payload.empty());
  EXPECT_EQ(task.key, std::nullopt);
  EXPECT_EQ(task.timeout, std::nullopt);
}

TEST_P(Enqueue, WithADelayIsNotClaimableBeforeItIsDue) {
  core::TaskSpec spec = task_of("t");
  spec.delay = 10s;
  const core::Task task = enqueue(spec);
  EXPECT_EQ(queue().counts.scheduled, 1);
  clock.advance(10s - 1us);
  tick();
  EXPECT_TRUE(claim().empty());
  clock.advance(1us);
  tick();
  EXPECT_EQ(queue().counts.pending, 1);
  EXPECT_EQ(claim_one().id, task.id);
}

TEST_P(Enqueue, AtAPastTimeIsClaimableImmediatelyAndAtAFutureTimeThen) {
  core::TaskSpec later = task_of("later");
  later.run_at = clock.now() + 1h;
  core::TaskSpec earlier = task_of("earlier");
  earlier.run_at = clock.now() - 1h;
  enqueue(later);
  const core::Task past = enqueue(earlier);
  EXPECT_EQ(past.available_at, clock.now());
  EXPECT_EQ(claim_one().id, past.id);
  EXPECT_TRUE(claim().empty());
  clock.advance(1h);
  tick();
  EXPECT_EQ(claim_one().type, "later");
}

TEST_P(Enqueue, KeepsPayloadsUpToTwoMebibytes) {
  const std::string payload = "\"" + std::string(core::kPayloadBytesMax - 2, 'x') + "\"";
  const core::Task task = enqueue(task_of("t", payload));
  EXPECT_EQ(get(task.id).task.payload.text, payload);
  EXPECT_EQ(claim_one().payload.text, payload);
  const auto refused = api().enqueue("default", task_of("t", "\"x" + payload.substr(1)));
  EXPECT_EQ(refused.problem().code, ProblemCode::payload_too_large);
  EXPECT_EQ(list({}).size(), 1U);
}

TEST_P(Enqueue, KeepsAnyJsonByteForByte) {
  for (const char* text :
       {"null", "[ 1 ]", "-0", "1e400", "12345678901234567890123", "\"\\u0000\"", R"({"b":1,"a":1,"a":2})",
        "[1.0, 1.00,\n\t1E0]", "\"\xf0\x9f\x98\x80\"", "true", "\"\""}) {
    if (is_over_http() && std::string_view{text} == "null")
      continue;  // over HTTP null reads as absent, which is equivalent
    const core::Task task = enqueue(task_of("t", text));
    EXPECT_EQ(get(task.id).task.payload.text, text);
    core::Report done{
        .task_id = task.id, .fence = 1, .action = core::ReportAction::complete, .output = {text}};
    EXPECT_EQ(claim_one().payload.text, text);
    ASSERT_TRUE(report("w1", done).ok());
    EXPECT_EQ(get(task.id).task.output.text, text);
  }
}

using Batch = Conformance;

TEST_P(Batch, OfTenThousandIsStoredInOrder) {
  core::EnqueueTasks batch;
  for (int i = 0; i < 10'000; ++i) batch.tasks.push_back(task_of("t", std::to_string(i)));
  const auto results = api().enqueue_batch(batch);
  ASSERT_TRUE(results.ok()) << results.problem().detail;
  ASSERT_EQ(results->size(), 10'000U);
  EXPECT_EQ(queue().counts.pending, 10'000);
  const auto first = list({}, false, 500);
  ASSERT_EQ(first.size(), 10'000U);
  for (std::size_t i = 0; i < first.size(); ++i) {
    ASSERT_TRUE(results->at(i).created);
    ASSERT_EQ(first[i].id, results->at(i).id);
    ASSERT_EQ(first[i].payload.text, std::to_string(i));
  }
  const auto claimed = claim_for({.worker_id = "w1", .max = 1'000});
  for (std::size_t i = 0; i < claimed.size(); ++i) ASSERT_EQ(claimed[i].id, results->at(i).id);
}

TEST_P(Batch, OfTenThousandAndOneIsRejectedAndNothingIsStored) {
  core::EnqueueTasks batch;
  batch.tasks.assign(10'001, task_of("t"));
  const auto refused = api().enqueue_batch(batch);
  EXPECT_EQ(refused.problem().code, ProblemCode::invalid_argument);
  EXPECT_EQ(refused.problem().errors.at(0).field, "tasks");
  EXPECT_TRUE(list({}).empty());
}

TEST_P(Batch, RejectsTheWholeBatchWhenOneTaskIsInvalid) {
  core::EnqueueTasks batch;
  batch.tasks.assign(10'000, task_of("t"));
  batch.tasks[6'999].retry.backoff = -1;
  const auto refused = api().enqueue_batch(batch);
  EXPECT_EQ(refused.problem().errors.at(0).field, "tasks[6999].retry.backoff");
  batch.tasks[6'999] = task_of("t", "{");
  EXPECT_EQ(api().enqueue_batch(batch).problem().errors.at(0).field, "tasks[6999].payload");
  EXPECT_TRUE(list({}).empty());
}

TEST_P(Batch, MixesQueuesTypesPrioritiesAndKeys) {
  core::EnqueueTasks batch;
  for (int i = 0; i < 60; ++i) {
    core::TaskSpec spec = task_of("type" + std::to_string(i % 4));
    spec.queue = "q" + std::to_string(i % 3);
    spec.priority = i % 5;
    if (i % 2 == 0) spec.key = "k" + std::to_string(i % 6);
    if (i % 7 == 0) spec.delay = 1h;
    batch.tasks.push_back(spec);
  }
  const auto results = api().enqueue_batch(batch);
  ASSERT_TRUE(results.ok()) << results.problem().detail;
  for (const char* name : {"q0", "q1", "q2"}) expect_counts_kept(name);
  const auto all = list({});
  ASSERT_EQ(all.size(), 60U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].id, results->at(i).id);
    EXPECT_EQ(all[i].type, batch.tasks[i].type);
    EXPECT_EQ(all[i].queue, batch.tasks[i].queue);
    EXPECT_EQ(all[i].priority, batch.tasks[i].priority);
  }
}

using Idempotency = Conformance;

core::TaskSpec once(const std::string& type, const std::string& key) {
  core::TaskSpec spec = task_of(type);
  spec.idempotency_key = key;
  return spec;
}

TEST_P(Idempotency, ReturnsTheFirstTaskAgain) {
  const auto first = api().enqueue("default", once("t", "k"));
  ASSERT_TRUE(first->created);
  core::TaskSpec other = once("t", "k");
  other.payload = {"2"};
  other.queue = "elsewhere";
  const auto second = api().enqueue("default", other);
  EXPECT_FALSE(second->created);
  EXPECT_EQ(second->task, first->task);
  EXPECT_EQ(list({}).size(), 1U);
}

TEST_P(Idempotency, IsPerTypeAndNamespace) {
  EXPECT_TRUE(api().enqueue("default", once("a", "k"))->created);
  EXPECT_TRUE(api().enqueue("default", once("b", "k"))->created);
  EXPECT_TRUE(api().enqueue("other", once("a", "k"))->created);
  EXPECT_TRUE(api().enqueue("default", once("a", "K"))->created) << "keys are bytes";
  EXPECT_FALSE(api().enqueue("other", once("a", "k"))->created);
}

TEST_P(Idempotency, FindsTasksInEveryStatus) {
  const core::Task task = enqueue(once("t", "k"));
  const core::Task claimed = claim_one();
  EXPECT_EQ(api().enqueue("default", once("t", "k"))->task.id, task.id);
  complete(claimed);
  const auto again = api().enqueue("default", once("t", "k"));
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->task.status, TaskStatus::completed);

  const core::Task dead = run_to_dead_letter(once("t", "dead"));
  EXPECT_EQ(api().enqueue("default", once("t", "dead"))->task.id, dead.id);
  const core::Task cancelled = enqueue(once("t", "cancelled"));
  ASSERT_TRUE(api().cancel_task("default", cancelled.id).ok());
  EXPECT_FALSE(api().enqueue("default", once("t", "cancelled"))->created);
}

TEST_P(Idempotency, HoldsWithinOneBatch) {
  const core::TaskId known = enqueue(once("t", "known")).id;
  const auto results =
      api().enqueue_batch({.tasks = {once("t", "a"), once("u", "a"), once("t", "a"), once("t", "known")}});
  ASSERT_TRUE(results.ok());
  EXPECT_TRUE(results->at(0).created);
  EXPECT_TRUE(results->at(1).created);
  EXPECT_EQ(results->at(2), (core::Enqueued{.created = false, .id = results->at(0).id}));
  EXPECT_EQ(results->at(3), (core::Enqueued{.created = false, .id = known}));
  EXPECT_EQ(queue().counts.pending, 3);
}

TEST_P(Idempotency, HoldsWithinOneGroupOfCommands) {
  const auto answers = submit_group(
      node(), {core::EnqueueTasks{.tasks = {once("t", "k")}}, core::EnqueueTasks{.tasks = {once("t", "k")}}});
  const auto first = std::get<std::vector<core::Enqueued>>(*answers[0].answer()).at(0);
  const auto second = std::get<std::vector<core::Enqueued>>(*answers[1].answer()).at(0);
  EXPECT_TRUE(first.created);
  EXPECT_EQ(second, (core::Enqueued{.created = false, .id = first.id}));
}

TEST_P(Idempotency, HoldsAcrossNodes) {
  const auto other = another_node(2);
  const core::Task task = enqueue(once("t", "k"));
  const auto again = other->api().enqueue("default", once("t", "k"));
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->task.id, task.id);
  const auto theirs = other->api().enqueue("default", once("t", "theirs"));
  EXPECT_EQ(api().enqueue("default", once("t", "theirs"))->task.id, theirs->task.id);
}

PAWL_ON_EVERY_STORE(Enqueue);
PAWL_ON_EVERY_STORE(Batch);
PAWL_ON_EVERY_STORE(Idempotency);

}  // namespace pawl::testing
