// Idempotency keys for workers' own calls.
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::IdempotencyStatus;
using core::ProblemCode;

class IdempotencyKeys : public Conformance {
 public:
  core::Result<core::IdempotencyBegun> begin(const std::string& hash = "sha256:1",
                                             std::optional<core::TaskId> task = {}) {
    return api().begin_idempotency({.key = "k", .request_hash = hash, .ttl = 1h, .task_id = task});
  }
};

TEST_P(IdempotencyKeys, ReturnTheOutcomeToARepeatedBegin) {
  EXPECT_TRUE(begin()->begun);
  EXPECT_EQ(begin().problem().code, ProblemCode::conflict);
  EXPECT_EQ(begin("sha256:2").problem().code, ProblemCode::idempotency_mismatch);
  const std::string response = R"({"n": 12345678901234567890, "a":1.0})";
  clock.advance(1s);
  ASSERT_TRUE(api().complete_idempotency({.key = "k", .response = {response}}).ok());
  const auto again = begin();
  EXPECT_FALSE(again->begun);
  EXPECT_EQ(again->key.status, IdempotencyStatus::completed);
  EXPECT_EQ(again->key.response.text, response) << "byte for byte";
  EXPECT_EQ(again->key.completed_at, clock.now());
  EXPECT_EQ(begin("sha256:2").problem().code, ProblemCode::idempotency_mismatch);
}

TEST_P(IdempotencyKeys, AreCompletedOnce) {
  EXPECT_EQ(api().complete_idempotency({.key = "k"}).problem().code, ProblemCode::not_found);
  ASSERT_TRUE(begin().ok());
  ASSERT_TRUE(api().complete_idempotency({.key = "k", .response = {"1"}}).ok());
  EXPECT_TRUE(api().complete_idempotency({.key = "k", .response = {"1"}}).ok()) << "the same report again";
  EXPECT_EQ(api().complete_idempotency({.key = "k", .response = {"2"}}).problem().code,
            ProblemCode::already_completed);
  EXPECT_EQ(api().fail_idempotency({.key = "k"}).problem().code, ProblemCode::already_completed);
}

TEST_P(IdempotencyKeys, CanBeginAgainAfterAFailure) {
  ASSERT_TRUE(begin().ok());
  ASSERT_TRUE(api().fail_idempotency({.key = "k", .response = {R"("no")"}}).ok());
  EXPECT_EQ(api().get_idempotency("default", "k")->status, IdempotencyStatus::failed);
  EXPECT_TRUE(begin("sha256:2")->begun);
  EXPECT_EQ(api().get_idempotency("default", "k")->request_hash, "sha256:2");
}

TEST_P(IdempotencyKeys, OfATaskThatLostItsLeaseCanBeBegunByTheNextHolder) {
  const core::Task task = enqueue(task_of("t"));
  (void)claim_one("w1", 30s);
  EXPECT_TRUE(begin("sha256:1", task.id)->begun);
  EXPECT_TRUE(begin("sha256:1", task.id)->begun) << "the answer was lost and the holder asks again";
  EXPECT_EQ(begin().problem().code, ProblemCode::conflict);
  clock.advance(31s);
  tick();
  EXPECT_EQ(claim_one("w2").id, task.id);
  EXPECT_TRUE(begin("sha256:1", task.id)->begun);
  EXPECT_EQ(begin().problem().code, ProblemCode::conflict) << "the new holder has its lease";
}

TEST_P(IdempotencyKeys, AreForgottenAfterTheirExpiry) {
  ASSERT_TRUE(begin().ok());
  ASSERT_TRUE(api().complete_idempotency({.key = "k", .response = {"1"}}).ok());
  clock.advance(1h);
  EXPECT_EQ(api().get_idempotency("default", "k").problem().code, ProblemCode::not_found);
  EXPECT_TRUE(begin("sha256:2")->begun);
  clock.advance(1h);
  EXPECT_EQ(engine().sweeper().sweep_records(100), 1);
  EXPECT_EQ(node().store()->find_record(core::idempotency_ref("default", "k")), std::nullopt);
  EXPECT_EQ(engine().sweeper().sweep_records(100), 0);
}

PAWL_ON_EVERY_STORE(IdempotencyKeys);

}  // namespace
}  // namespace pawl::testing
