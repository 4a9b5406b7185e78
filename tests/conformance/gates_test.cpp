// What an enqueue and a claim must pass: declared types, the settings of the namespace, the state of the
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

TEST_P(Gates, APayloadThatBreaksItsTypeIsRefusedAndNothingIsStored) {
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

TEST_P(Gates, AStrictNamespaceTakesOnlyTypesThatAreKnown) {
  ASSERT_TRUE(api().put_namespace({.patch = {.strict_types = true}}).ok());
  EXPECT_EQ(refused(task_of("t")).errors.at(0).field, "type");
  ASSERT_TRUE(api().register_worker({.worker_id = "w", .task_types = {"t"}}).ok());
  (void)enqueue(task_of("t"));
  ASSERT_TRUE(api().put_type({.type = {.name = "u"}}).ok());
  (void)enqueue(task_of("u"));
  EXPECT_TRUE(api().enqueue("other", task_of("v")).ok()) << "another namespace is not strict";
}

TEST_P(Gates, ANamespaceMayTakeSmallerPayloadsOnly) {
  ASSERT_TRUE(api().put_namespace({.patch = {.payload_max = 10}}).ok());
  (void)enqueue(task_of("t", R"("12345678")"));
  EXPECT_EQ(refused(task_of("t", R"("123456789")")).code, ProblemCode::payload_too_large);
}

TEST_P(Gates, AnotherNodeSeesAChangeALittleLater) {
  const auto other = another_node(2);
  ASSERT_TRUE(other->api().enqueue("default", task_of("t", "{}")).ok());
  ASSERT_TRUE(api().put_type({.type = {.name = "t", .required = {"to"}}}).ok());
  clock.advance(3s);
  EXPECT_FALSE(other->api().enqueue("default", task_of("t", "{}")).ok());
}

TEST_P(Gates, AClaimByAnUnknownWorkerRegistersIt) {
  (void)claim("w1");
  const auto worker = api().get_worker("default", "w1");
  EXPECT_EQ(worker->status, core::WorkerStatus::online);
  EXPECT_TRUE(worker->is_minimal);
  clock.advance(50s);
  (void)claim("w1");
  clock.advance(50s);
  EXPECT_EQ(api().get_worker("default", "w1")->status, core::WorkerStatus::online) << "its claims are seen";
}

TEST_P(Gates, AWorkerKnownByItsClaimsKeepsItsTasks) {
  const core::Task task = enqueue(task_of("t"));
  (void)claim_one("w1", 1h);
  clock.advance(5min);
  (void)engine().sweep_records(100);
  EXPECT_EQ(api().get_worker("default", "w1")->status, core::WorkerStatus::offline);
  EXPECT_EQ(status_of(task.id), core::TaskStatus::claimed);
}

TEST_P(Gates, AWorkerThatDrainsGetsNothingMore) {
  (void)enqueue(task_of("t"));
  ASSERT_TRUE(api().register_worker({.worker_id = "w1"}).ok());
  ASSERT_TRUE(api().drain_worker({.worker_id = "w1"}).ok());
  EXPECT_TRUE(claim("w1").empty());
  EXPECT_EQ(claim("w2").size(), 1U);
}

TEST_P(Gates, AWorkerThatWasReplacedGetsNothingMore) {
  (void)enqueue(task_of("t"));
  const auto old = api().register_worker({.hostname = "h", .pid = 1});
  const auto next = api().register_worker({.hostname = "h", .pid = 1});
  EXPECT_TRUE(claim(old->worker_id).empty());
  EXPECT_EQ(claim(next->worker_id).size(), 1U);
}

TEST_P(Gates, AWorkerHoldsNoMoreThanItSaid) {
  for (int i = 0; i < 5; ++i) (void)enqueue(task_of("t"));
  ASSERT_TRUE(api().register_worker({.worker_id = "w1", .max_concurrent = 3}).ok());
  const auto first = claim("w1", 2);
  EXPECT_EQ(first.size(), 2U);
  EXPECT_EQ(claim("w1", 2).size(), 1U);
  EXPECT_TRUE(claim("w1", 2).empty());
  complete(first[0].task);
  EXPECT_EQ(claim("w1", 2).size(), 1U);
}

PAWL_ON_EVERY_STORE(Gates);

}  // namespace
}  // namespace pawl::testing
