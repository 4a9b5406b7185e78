// Calls with an Idempotency-Key: the key and the call's effect are committed together.
#include "core/records/idempotency.hpp"
#include "tests/conformance/faults.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;
using core::Replayed;
using store::StoreError;

class Once : public Conformance {
 public:
  static core::DoOnce once(core::Command command, const std::string& hash = "sha256:1") {
    core::DoOnce keyed{.key = "k", .request_hash = hash, .ttl = 1h};
    keyed.keep = [](const core::Answer&) { return std::optional{core::RawJson{R"({"kept":1.0})"}}; };
    keyed.command = std::make_shared<core::AnyCommand>(core::AnyCommand{std::move(command)});
    return keyed;
  }
  static core::DoOnce enqueue_once(const std::string& hash = "sha256:1") {
    return once(core::EnqueueTasks{.tasks = {task_of("t")}}, hash);
  }
  static bool is_replayed(const core::Result<core::Answer>& answer) {
    const auto* replayed = answer ? std::get_if<Replayed>(&*answer) : nullptr;
    return replayed != nullptr && replayed->kept.text == R"({"kept":1.0})";
  }
  std::size_t tasks() { return list({}).size(); }
};

TEST_P(Once, ASecondRequestGetsTheStoredReply) {
  EXPECT_FALSE(is_replayed(submit(enqueue_once()).answer()));
  EXPECT_TRUE(is_replayed(submit(enqueue_once()).answer()));
  const auto other = another_node(2);
  EXPECT_TRUE(is_replayed(run_on(*other, enqueue_once())));
  EXPECT_EQ(tasks(), 1U);
}

TEST_P(Once, ADifferentRequestWithTheSameKeyIsRejected) {
  ASSERT_TRUE(submit(enqueue_once()).answer().ok());
  EXPECT_EQ(submit(enqueue_once("sha256:2")).problem(), ProblemCode::idempotency_mismatch);
  EXPECT_EQ(tasks(), 1U);
}

TEST_P(Once, AnExpiredKeyIsForgotten) {
  ASSERT_TRUE(submit(enqueue_once()).answer().ok());
  clock.advance(1h);
  EXPECT_FALSE(is_replayed(submit(enqueue_once("sha256:2")).answer()));
  EXPECT_EQ(tasks(), 2U);
}

TEST_P(Once, TwoRequestsInOneGroupAreExecutedOnce) {
  const auto group = submit_group(node(), {enqueue_once(), enqueue_once()});
  EXPECT_TRUE(group[0].answer().ok());
  EXPECT_EQ(group[1].problem(), ProblemCode::conflict);
  EXPECT_EQ(tasks(), 1U);
}

TEST_P(Once, ARejectedRequestMayBeRetried) {
  const core::AppendCheckpoint nobody{
      .owner = core::TaskId{*core::parse_uuid("01890000-0000-7000-8000-000000000000")},
      .type = "manual_checkpoint",
      .snapshot = {"1"}};
  EXPECT_EQ(submit(once(nobody)).problem(), ProblemCode::not_found);
  EXPECT_FALSE(is_replayed(submit(enqueue_once()).answer()));
}

TEST_P(Once, AFailedCommitStoresNoReply) {
  FaultyNode faulty{node(), clock, 3};
  faulty.plan.on_verb = [](store::Verb verb) {
    if (verb == store::Verb::commit) lose(StoreError::Kind::internal);
  };
  EXPECT_FALSE(run_on(faulty.node, enqueue_once()).ok());
  EXPECT_EQ(tasks(), 0U);
  EXPECT_FALSE(is_replayed(submit(enqueue_once()).answer())) << "no key is left behind";
  EXPECT_EQ(tasks(), 1U);
}

TEST_P(Once, ACommittedRequestWithALostReplyIsFoundByItsKey) {
  FaultyNode faulty{node(), clock, 3};
  faulty.plan.on_committed = [] { lose(StoreError::Kind::unknown); };
  EXPECT_FALSE(run_on(faulty.node, enqueue_once()).ok());
  EXPECT_EQ(tasks(), 1U);
  EXPECT_TRUE(is_replayed(submit(enqueue_once()).answer()));
  EXPECT_EQ(tasks(), 1U);
}

TEST_P(Once, ARepeatedClaimReturnsTheSameTasks) {
  (void)enqueue(task_of("t"));
  (void)enqueue(task_of("t"));
  const core::ClaimTasks claim{.worker_id = "w1", .max = 1};
  EXPECT_EQ(submit(once(claim)).tasks().size(), 1U);
  EXPECT_TRUE(is_replayed(submit(once(claim)).answer()));
  EXPECT_EQ(list({.statuses = {core::TaskStatus::claimed}}).size(), 1U);
}

TEST_P(Once, AnEmptyClaimMayBeRepeated) {
  const core::ClaimTasks claim{.worker_id = "w1", .max = 1};
  EXPECT_TRUE(submit(once(claim)).tasks().empty());
  (void)enqueue(task_of("t"));
  EXPECT_EQ(submit(once(claim)).tasks().size(), 1U);
}

TEST_P(Once, AWaitingClaimStoresItsKeyWhenItIsServed) {
  const core::ClaimTasks claim{.worker_id = "w1", .max = 1, .wait = 20s};
  const Pending waiting = submit(once(claim));
  EXPECT_FALSE(waiting.is_answered());
  (void)enqueue(task_of("t"));
  ASSERT_TRUE(waiting.is_answered());
  EXPECT_EQ(waiting.tasks().size(), 1U);
  EXPECT_TRUE(is_replayed(submit(once(claim)).answer()));
}

TEST_P(Once, ACallOfSeveralCommandsStoresItsKeyWithTheFirst) {
  const core::Task task = enqueue(task_of("t"));
  const core::DoOnce key{.key = "k", .request_hash = "sha256:1", .ttl = 1h};
  const auto first = node().local().once(key);
  ASSERT_TRUE(first->cancel_task("default", task.id).ok());
  EXPECT_FALSE(first->is_replayed());
  const auto second = node().local().once(key);
  EXPECT_EQ(second->cancel_task("default", task.id)->status, core::TaskStatus::cancelled);
  EXPECT_TRUE(second->is_replayed());
  core::DoOnce other = key;
  other.request_hash = "sha256:2";
  EXPECT_EQ(node().local().once(other)->cancel_task("default", task.id).problem().code,
            ProblemCode::idempotency_mismatch);
}

TEST_P(Once, RepeatedRecordAndCheckpointCallsGetTheSameReply) {
  const core::Task task = enqueue(task_of("t"));
  const core::DoOnce lock{.key = "lock", .request_hash = "sha256:1", .ttl = 1h};
  const auto acquired = node().local().once(lock)->acquire_lock({.key = "l", .holder = "h"});
  ASSERT_TRUE(api().release_lock({.key = "l", .holder = "h", .fence = acquired->lock.fence}).ok());
  const auto again = node().local().once(lock)->acquire_lock({.key = "l", .holder = "h"});
  EXPECT_EQ(again->lock, acquired->lock);

  const core::DoOnce note{.key = "note", .request_hash = "sha256:1", .ttl = 1h};
  const core::AppendCheckpoint append{.owner = task.id, .type = "manual_checkpoint", .snapshot = {"1"}};
  EXPECT_EQ(node().local().once(note)->append_checkpoint(append)->sequence, 1);
  EXPECT_EQ(node().local().once(note)->append_checkpoint(append)->sequence, 1);
  EXPECT_EQ(api().list_checkpoints("default", task.id)->size(), 1U);
}

PAWL_ON_EVERY_STORE(Once);

}  // namespace
}  // namespace pawl::testing
