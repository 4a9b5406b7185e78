// Compensations undo completed steps, in exact reverse order.
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::RunAction;
using core::RunEventType;
using core::RunState;
using Names = std::vector<std::string>;

class RunSaga : public RunTest {
 public:
  void define_saga() {
    define("saga", R"({"id":"a","activity":"t","compensate":"undo_a"},
                      {"id":"b","activity":"t","after":["a"],"compensate":"undo_b"},
                      {"id":"c","activity":"t","after":["b"],"retry":{"max_attempts":1}},
                      {"id":"undo_a","type":"compensation","activity":"u","retry":{"max_attempts":1}},
                      {"id":"undo_b","type":"compensation","activity":"u","retry":{"max_attempts":1}})");
  }
  core::RunId run_to_failure() {
    define_saga();
    const core::RunId run = start("saga");
    complete_node("a", R"("A")");
    complete_node("b", R"("B")");
    fail_node("c");
    return run;
  }
};

TEST_P(RunSaga, UndoesInReverseOrderOfCompletion) {
  const core::RunId run = run_to_failure();
  EXPECT_EQ(state_of(run), RunState::compensating);
  EXPECT_EQ(claimed(), Names{"undo_b"});
  EXPECT_EQ(held("undo_b").task.payload.text, R"("B")");
  complete_node("undo_b");
  EXPECT_EQ(claimed(), Names{"undo_a"});
  EXPECT_EQ(held("undo_a").task.payload.text, R"("A")");
  complete_node("undo_a");
  const core::Run ended = run_of(run);
  EXPECT_EQ(ended.state, RunState::compensated);
  EXPECT_EQ(ended.error->code, "boom");
  EXPECT_EQ(nodes_of(run, RunEventType::compensation_completed), (Names{"undo_b", "undo_a"}));
}

TEST_P(RunSaga, ReportsAPermanentlyFailedCompensation) {
  const core::RunId run = run_to_failure();
  const std::string why = run_of(run).error->code;
  fail_node("undo_b");
  EXPECT_EQ(state_of(run), RunState::compensating) << "the remaining compensations still run";
  complete_node("undo_a");
  const core::Run ended = run_of(run);
  EXPECT_EQ(ended.state, RunState::compensation_failed);
  EXPECT_EQ(ended.error->code, why) << "the original error stays";
  EXPECT_NE(ended.compensation_error->message.find("Not undone (1): undo_b"), std::string::npos)
      << ended.compensation_error->message;
  EXPECT_EQ(claimed(), Names{});
}

TEST_P(RunSaga, UndoesACancelledRun) {
  define_saga();
  const core::RunId run = start("saga");
  complete_node("a");
  EXPECT_EQ(act(run, RunAction::cancel).state, RunState::compensating);
  EXPECT_EQ(work(), Names{"undo_a"});
  EXPECT_EQ(state_of(run), RunState::compensated);
  EXPECT_EQ(run_of(run).error->code, "cancelled");
}

TEST_P(RunSaga, DelaysACancelUntilHeldTasksWithACompensationHaveEnded) {
  define_saga();
  const core::RunId run = start("saga");
  start_task("a");
  EXPECT_EQ(act(run, RunAction::cancel).state, RunState::running);
  EXPECT_TRUE(run_of(run).cancel_requested);
  const auto beat = report(held("a").task, core::ReportAction::heartbeat);
  EXPECT_TRUE(beat->cancel_requested);
  complete_node("a", "1");  // the completion arrived first, so a is undone
  EXPECT_EQ(work(), Names{"undo_a"});
  EXPECT_EQ(state_of(run), RunState::compensated);
}

TEST_P(RunSaga, EndsImmediatelyOnACancelWithNothingToUndo) {
  define("plain", R"({"id":"a","activity":"t"},{"id":"b","activity":"t"})");
  const core::RunId run = start("plain");
  (void)claim("w1", 1);
  EXPECT_EQ(act(run, RunAction::cancel).state, RunState::cancelled);
  EXPECT_EQ(claimed(), Names{});
  EXPECT_EQ(refused(run, RunAction::cancel), core::ProblemCode::already_completed);
}

TEST_P(RunSaga, UndoesAFailedRunOnRequest) {
  define("manual", R"({"id":"a","activity":"t","compensate":"u"},{"id":"b","activity":"t","after":["a"]},
                      {"id":"u","type":"compensation","activity":"u"})",
         R"(,"on_failure":"fail")");
  const core::RunId run = start("manual");
  complete_node("a");
  fail_node("b");
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(act(run, RunAction::compensate).state, RunState::compensating);
  EXPECT_EQ(work(), Names{"u"});
  EXPECT_EQ(state_of(run), RunState::compensated);
}

TEST_P(RunSaga, UndoesElementsOneByOne) {
  define("each", R"({"id":"a","activity":"t","for_each":{"$ref":"#/input"},"compensate":"u"},
                    {"id":"b","activity":"t","after":["a"]},
                    {"id":"u","type":"compensation","activity":"u"})");
  const core::RunId run = start("each", "[1,2,3]");
  claimed();
  complete_node("a[1]", "11");
  complete_node("a[0]", "10");
  complete_node("a[2]", "12");
  fail_node("b");
  EXPECT_EQ(work(), (Names{"u[2]", "u[0]", "u[1]"}));
  EXPECT_EQ(state_of(run), RunState::compensated);
}

TEST_P(RunSaga, IgnoresTheOutcomeOfAnAbandonedTask) {
  define("loose", R"({"id":"a","activity":"t"},{"id":"b","activity":"t"})");
  const core::RunId run = start("loose");
  claimed();
  act(run, RunAction::cancel);
  const std::int64_t sequence = run_of(run).sequence;
  complete_node("a");
  give_back("b");
  EXPECT_EQ(run_of(run).sequence, sequence);
  EXPECT_EQ(state_of(run), RunState::cancelled);
}

}  // namespace
PAWL_ON_EVERY_STORE(RunSaga);
}  // namespace pawl::testing
