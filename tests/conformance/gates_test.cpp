// Admission of enqueues and claims: declared types, the settings of the namespace, and the state of the
// worker.
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;

class Gates : public Conformance {
 public:
  core::Problem refused(core::TaskSpec spec) {
    auto answer = api().enqueue("default", std::move(spec));
    EXPECT_FALSE(answer.ok());
    return answer ? core::Problem{} : answer.problem();
  }
};

TEST_P(Gates, RejectABatchWithAPayloadThatViolatesItsType) {
  ASSERT_TRUE(api().put_type({.type = {.name = "t", .required = {"to"}}}).ok());
  EXPECT_EQ(refused(task_of("t", "{}")).errors.at(0).field, "payload.to");
  const auto batch =
      api().enqueue_batch({.tasks = {task_of("other"), task_of("t", R"({"to":1})"), task_of("t", "{}")}});
  EXPECT_EQ(batch.problem().errors.at(0).field, "tasks[2].payload.to");
  EXPECT_TRUE(list({}).empty());
  (void)enqueue(task_of("t", R"({"to":1})"));
  ASSERT_TRUE(api().delete_type({.name = "t"}).ok());
  (void)enqueue(task_of("t", "{}"));
}

TEST_P(Gates, ATypeChecksOnlyNumbersThatEveryStoreCanCompare) {
  ASSERT_TRUE(api().put_type({.type = {.name = "t", .required = {"n"}}}).ok());
  EXPECT_EQ(refused(task_of("t", R"({"n":1e999999})")).detail,
            "payload: has a number beyond the range that a declared type can check (131072 digits before the "
            "decimal point, 16383 after it)");
  const auto put = api().put_type({.type = {.name = "u", .schema = {R"({"maximum":1e999999})"}}});
  EXPECT_EQ(put.problem().errors.at(0).field, "schema");
  (void)enqueue(task_of("t", R"({"n":1e400})"));
  (void)enqueue(task_of("other", R"({"n":1e999999})"));
}

TEST_P(Gates, FillInTheDefaultsOfAType) {
  const core::RetryPolicy retry{.max_attempts = 7};
  ASSERT_TRUE(
      api()
          .put_type({.type = {.name = "t", .queue = "mails", .priority = 3, .retry = retry, .timeout = 5s}})
          .ok());
  const core::Task plain = enqueue(task_of("t"));
  EXPECT_EQ(plain.queue, "mails");
  EXPECT_EQ(plain.priority, 3);
  EXPECT_EQ(plain.retry, retry);
  EXPECT_EQ(plain.timeout, 5s);

  core::TaskSpec own = task_of("t");
  own.queue = "own";
  own.priority = 1;
  own.retry.max_attempts = 2;
  own.timeout = 6s;
  core::TaskSpec standard = task_of("t");
  standard.given = {.queue = true, .priority = true, .retry = true};
  const auto batch = api().enqueue_batch({.tasks = {task_of("t"), own, standard, task_of("other")}});
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(get(batch->at(0).id).task.queue, "mails");
  const core::Task mine = get(batch->at(1).id).task;
  EXPECT_EQ(mine.queue, "own");
  EXPECT_EQ(mine.priority, 1);
  EXPECT_EQ(mine.retry.max_attempts, 2);
  EXPECT_EQ(mine.timeout, 6s);
  const core::Task usual = get(batch->at(2).id).task;
  EXPECT_EQ(usual.queue, "default");
  EXPECT_EQ(usual.priority, 0);
  EXPECT_EQ(usual.retry, core::RetryPolicy{});
  EXPECT_EQ(usual.timeout, 5s);
  EXPECT_EQ(get(batch->at(3).id).task.queue, "default");
}

TEST_P(Gates, UseTheLeaseOfAType) {
  ASSERT_TRUE(api().put_type({.type = {.name = "slow", .lease = 5min}}).ok());
  (void)enqueue(task_of("slow"));
  (void)enqueue(task_of("other"));
  const auto claimed = api().claim({.worker_id = "w1"});
  ASSERT_EQ(claimed->size(), 2U);
  EXPECT_EQ(claimed->at(0).task.lease->expires_at, clock.now() + 5min);
  EXPECT_EQ(claimed->at(1).task.lease->expires_at, clock.now() + core::kLeaseDefault);
  (void)enqueue(task_of("slow"));
  EXPECT_EQ(claim_one("w1", 10s).lease->expires_at, clock.now() + 10s);
}

TEST_P(Gates, RejectUndeclaredTypesInAStrictNamespace) {
  ASSERT_TRUE(api().put_namespace({.patch = {.strict_types = true}}).ok());
  EXPECT_EQ(refused(task_of("t")).errors.at(0).field, "type");
  ASSERT_TRUE(api().register_worker({.worker_id = "w", .task_types = {"t"}}).ok());
  (void)enqueue(task_of("t"));
  ASSERT_TRUE(api().put_type({.type = {.name = "u"}}).ok());
  (void)enqueue(task_of("u"));
  EXPECT_TRUE(api().enqueue("other", task_of("v")).ok()) << "another namespace is not strict";
}

TEST_P(Gates, EnforceThePayloadLimitOfANamespace) {
  ASSERT_TRUE(api().put_namespace({.patch = {.payload_max = 10}}).ok());
  (void)enqueue(task_of("t", R"("12345678")"));
  EXPECT_EQ(refused(task_of("t", R"("123456789")")).code, ProblemCode::payload_too_large);
}

TEST_P(Gates, SeeAChangeOfAnotherNodeWithinSeconds) {
  const auto other = another_node(2);
  ASSERT_TRUE(other->api().enqueue("default", task_of("t", "{}")).ok());
  ASSERT_TRUE(api().put_type({.type = {.name = "t", .required = {"to"}}}).ok());
  clock.advance(3s);
  EXPECT_FALSE(other->api().enqueue("default", task_of("t", "{}")).ok());
}

TEST_P(Gates, RegisterAnUnknownWorkerAtItsClaim) {
  (void)claim("w1");
  const auto worker = api().get_worker("default", "w1");
  EXPECT_EQ(worker->status, core::WorkerStatus::online);
  EXPECT_TRUE(worker->is_minimal);
  clock.advance(50s);
  (void)claim("w1");
  clock.advance(50s);
  EXPECT_EQ(api().get_worker("default", "w1")->status, core::WorkerStatus::online) << "its claims are seen";
}

TEST_P(Gates, LetAWorkerRegisteredByClaimsKeepItsTasks) {
  const core::Task task = enqueue(task_of("t"));
  (void)claim_one("w1", 1h);
  clock.advance(5min);
  (void)engine().sweeper().sweep_records(100);
  EXPECT_EQ(api().get_worker("default", "w1")->status, core::WorkerStatus::offline);
  EXPECT_EQ(status_of(task.id), core::TaskStatus::claimed);
}

TEST_P(Gates, GiveADrainingWorkerNoTask) {
  (void)enqueue(task_of("t"));
  ASSERT_TRUE(api().register_worker({.worker_id = "w1"}).ok());
  ASSERT_TRUE(api().drain_worker({.worker_id = "w1"}).ok());
  EXPECT_TRUE(claim("w1").empty());
  EXPECT_EQ(claim("w2").size(), 1U);
}

TEST_P(Gates, GiveAReplacedWorkerNoTask) {
  (void)enqueue(task_of("t"));
  const auto old = api().register_worker({.hostname = "h", .pid = 1});
  const auto next = api().register_worker({.hostname = "h", .pid = 1});
  EXPECT_TRUE(claim(old->worker_id).empty());
  EXPECT_EQ(claim(next->worker_id).size(), 1U);
}

TEST_P(Gates, EnforceTheMaxConcurrentOfAWorker) {
  for (int i = 0; i < 5; ++i) (void)enqueue(task_of("t"));
  ASSERT_TRUE(api().register_worker({.worker_id = "w1", .max_concurrent = 3}).ok());
  const auto first = claim("w1", 2);
  EXPECT_EQ(first.size(), 2U);
  EXPECT_EQ(claim("w1", 2).size(), 1U);
  EXPECT_TRUE(claim("w1", 2).empty());
  complete(first[0].task);
  EXPECT_EQ(claim("w1", 2).size(), 1U);
}

TEST_P(Gates, FreeAPlaceOfTheWorkerHoweverItsLeaseEnds) {
  for (int i = 0; i < 12; ++i) (void)enqueue(task_of("t"));
  ASSERT_TRUE(api().register_worker({.worker_id = "w1", .max_concurrent = 3}).ok());
  auto held = claim("w1", 9);
  ASSERT_EQ(held.size(), 3U);
  const auto expect_room_for_one = [&](const char* why) {
    const auto more = claim("w1", 9);
    ASSERT_EQ(more.size(), 1U) << why;
    held.erase(held.begin());
    held.push_back(more.front());
    EXPECT_TRUE(claim("w1", 9).empty()) << why;
  };
  complete(held.front().task);
  expect_room_for_one("completed");
  ASSERT_TRUE(fail(held.front().task).ok());
  expect_room_for_one("failed");
  ASSERT_TRUE(report(held.front().task, core::ReportAction::release).ok());
  expect_room_for_one("given back");
  const auto other = another_node(2);
  ASSERT_TRUE(
      report_to(other->local(), "w1", report_of(held.front().task, core::ReportAction::complete)).ok());
  expect_room_for_one("completed by way of another node");

  for (const core::ClaimedTask& one : held) ASSERT_TRUE(report(one.task, core::ReportAction::heartbeat).ok());
  EXPECT_TRUE(claim("w1", 9).empty()) << "a lease that is renewed is held as before";
  clock.advance(10min);
  tick();
  EXPECT_EQ(claim("w1", 9).size(), 3U) << "all had run out";
}

TEST_P(Gates, EnforceTheMaxConcurrentAcrossParallelClaims) {
  for (int i = 0; i < 9; ++i) (void)enqueue(task_of("t"));
  ASSERT_TRUE(api().register_worker({.worker_id = "w1", .max_concurrent = 3}).ok());
  const auto other = another_node(2);
  core::ClaimTasks claim{.worker_id = "w1", .max = 2};
  ASSERT_TRUE(*node().local().admission().admit(claim));  // admits all three before the first is served
  const auto group = submit_group(node(), {claim, claim, claim});
  EXPECT_EQ(group[0].tasks().size(), 2U);
  EXPECT_EQ(group[1].tasks().size(), 1U);
  EXPECT_TRUE(group[2].tasks().empty());
  EXPECT_TRUE(testing::submit(*other, claim).tasks().empty());
  EXPECT_EQ(claim_for({.worker_id = "w2", .max = 2}).size(), 2U) << "another worker is not held back";
}

TEST_P(Gates, LetAFullWorkerWaitForItsOwnTasksToEnd) {
  for (int i = 0; i < 2; ++i) (void)enqueue(task_of("t"));
  ASSERT_TRUE(api().register_worker({.worker_id = "w1", .max_concurrent = 1}).ok());
  core::ClaimTasks claim{.worker_id = "w1", .max = 5};
  ASSERT_TRUE(*node().local().admission().admit(claim));
  const core::Task first = claim_for(claim).at(0);
  const Pending waiting = waiting_claim(claim);
  EXPECT_FALSE(waiting.is_answered());
  complete(first);
  ASSERT_TRUE(waiting.is_answered());
  EXPECT_EQ(waiting.tasks().size(), 1U);
}

PAWL_ON_EVERY_STORE(Gates);

}  // namespace
}  // namespace pawl::testing
