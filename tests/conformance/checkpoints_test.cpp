// Checkpoints that clients append.
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;

class Checkpoints : public Conformance {
 public:
  core::Result<core::CheckpointAppended> append(const core::TaskId& owner, const std::string& type,
                                                std::optional<std::int64_t> sequence = {}) {
    return api().append_checkpoint({.owner = owner,
                                    .type = type,
                                    .snapshot = {R"({"n":1.50})"},
                                    .metadata = {R"({"by":"me"})"},
                                    .sequence = sequence});
  }
};

TEST_P(Checkpoints, AreNumberedConsecutivelyWithinTheirOwner) {
  const core::Task task = enqueue(task_of("t"));
  const core::Task other = enqueue(task_of("t"));
  EXPECT_EQ(append(task.id, "iteration_start")->sequence, 1);
  EXPECT_EQ(append(task.id, "iteration_end", 2)->sequence, 2);
  EXPECT_EQ(append(other.id, "iteration_start")->sequence, 1);
  const auto listed = api().list_checkpoints("default", task.id);
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_EQ(listed->at(1), (core::Checkpoint{.sequence = 2,
                                             .type = "iteration_end",
                                             .snapshot = {R"({"n":1.50})"},
                                             .metadata = {R"({"by":"me"})"},
                                             .created_at = clock.now()}));
}

TEST_P(Checkpoints, WithAnUnexpectedSequenceAreRejected) {
  const core::Task task = enqueue(task_of("t"));
  ASSERT_TRUE(append(task.id, "tool_executed", 1).ok());
  const auto refused = append(task.id, "tool_executed", 1);
  EXPECT_EQ(refused.problem().code, ProblemCode::precondition_failed);
  EXPECT_NE(refused.problem().detail.find("has sequence 2, the request carried 1"), std::string::npos);
  EXPECT_EQ(api().list_checkpoints("default", task.id)->size(), 1U);
}

TEST_P(Checkpoints, AreDroppedExceptTheLast) {
  const core::Task task = enqueue(task_of("t"));
  for (int i = 0; i < 103; ++i)
    ASSERT_TRUE(append(task.id, i == 1 ? "iteration_start" : "tool_executed").ok());
  const auto listed = api().list_checkpoints("default", task.id);
  ASSERT_EQ(listed->size(), 100U);
  EXPECT_EQ(listed->front().sequence, 4);
  EXPECT_EQ(append(task.id, "tool_executed", 104)->sequence, 104);
  const auto summary = api().summarize_checkpoints("default", task.id);
  EXPECT_EQ(summary->total, 100);
  EXPECT_EQ(summary->max_sequence, 104);
  EXPECT_FALSE(summary->by_type.contains("iteration_start"));
}

TEST_P(Checkpoints, AreLimitedByTheirNamespace) {
  const core::Task task = enqueue(task_of("t"));
  ASSERT_TRUE(api().put_namespace({.patch = {.retention_checkpoints = 2}}).ok());
  clock.advance(1min);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(append(task.id, "tool_executed").ok());
  EXPECT_EQ(api().list_checkpoints("default", task.id)->front().sequence, 3);
}

TEST_P(Checkpoints, NeedAnOwnerInTheirNamespace) {
  const core::Task task = enqueue(task_of("t"));
  EXPECT_EQ(append(core::TaskId{}, "tool_executed").problem().code, ProblemCode::not_found);
  EXPECT_EQ(api().append_checkpoint({.ns = "other", .owner = task.id, .snapshot = {"1"}}).problem().code,
            ProblemCode::not_found);
  EXPECT_EQ(append(task.id, "").problem().errors.at(0).field, "type");
  EXPECT_EQ(append(task.id, "bogus").problem().errors.at(0).field, "type");
  EXPECT_EQ(api().append_checkpoint({.owner = task.id}).problem().errors.at(0).field, "snapshot");
  EXPECT_TRUE(api().list_checkpoints("default", task.id)->empty());
}

TEST_P(Checkpoints, AreKeptInEveryStateOfTheirTask) {
  const core::Task head = enqueue_keyed("k");
  const core::Task waiting = enqueue_keyed("k");
  EXPECT_EQ(append(waiting.id, "tool_executed")->sequence, 1);
  EXPECT_EQ(append(head.id, "tool_executed")->sequence, 1);
  const core::Task claimed = claim_one("w1");
  EXPECT_EQ(append(head.id, "llm_response")->sequence, 2);
  ASSERT_TRUE(report(claimed, core::ReportAction::complete).ok());
  EXPECT_EQ(append(head.id, "approval_point")->sequence, 3);
}

TEST_P(Checkpoints, OfARecoveryContinueTheSequenceOfTheTask) {
  const core::Task task = enqueue(task_of("t"));
  (void)claim_one("w1", 30s);
  ASSERT_TRUE(append(task.id, "tool_executed").ok());
  clock.advance(31s);
  tick();
  EXPECT_EQ(append(task.id, "tool_executed")->sequence, 3);
  EXPECT_EQ(api().list_checkpoints("default", task.id)->at(1).type, "error_boundary");
}

TEST_P(Checkpoints, AreListedByTypeAndSummarized) {
  const core::Task task = enqueue(task_of("t"));
  const core::TimePoint first_at = clock.now();
  EXPECT_EQ(*api().summarize_checkpoints("default", task.id), core::CheckpointSummary{});
  for (const char* type : {"tool_executed", "llm_response", "tool_executed", "llm_response"}) {
    ASSERT_TRUE(append(task.id, type).ok());
    clock.advance(1s);
  }
  EXPECT_EQ(api().list_checkpoints({.owner = task.id, .type = "tool_executed"})->size(), 2U);
  const auto latest = api().list_checkpoints({.owner = task.id, .type = "tool_executed", .latest = true});
  ASSERT_EQ(latest->size(), 1U);
  EXPECT_EQ(latest->front().sequence, 3);
  EXPECT_EQ(api().list_checkpoints({.owner = task.id, .latest = true})->at(0).sequence, 4);
  EXPECT_TRUE(api().list_checkpoints({.owner = task.id, .type = "approval_point", .latest = true})->empty());
  EXPECT_EQ(*api().summarize_checkpoints("default", task.id),
            (core::CheckpointSummary{.total = 4,
                                     .max_sequence = 4,
                                     .first_at = first_at,
                                     .last_at = first_at + 3s,
                                     .by_type = {{"tool_executed", 2}, {"llm_response", 2}}}));
}

TEST_P(Checkpoints, OfOneGroupAreNumberedInOrder) {
  const core::Task task = enqueue(task_of("t"));
  const core::AppendCheckpoint command{.owner = task.id, .sequence = 1};
  const auto answers = submit_group(node(), {command, command});
  EXPECT_EQ(std::get<core::CheckpointAppended>(*answers[0].answer()).sequence, 1);
  EXPECT_EQ(answers[1].problem(), ProblemCode::precondition_failed);
}

PAWL_ON_EVERY_STORE(Checkpoints);

}  // namespace
}  // namespace pawl::testing
