// Runs from start to end, with tasks that ordinary workers execute.
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::NodeState;
using core::RunState;

using RunLife = RunTest;

TEST_P(RunLife, PassesTheOutputOfATaskToItsSuccessor) {
  define("order",
         R"({"id":"a","activity":"t.a"},
            {"id":"b","activity":"t.b","after":["a"],"input":{"got":{"$ref":"#/tasks/a/output/n"}}})",
         R"(,"output":{"$ref":"#/tasks/b/output"})");
  const core::RunId run = start("order", R"({"x":1})");
  EXPECT_EQ(state_of(run), RunState::running);
  EXPECT_EQ(claimed(), std::vector<std::string>{"a"});
  EXPECT_EQ(held("a").task.payload.text, R"({"x":1})");
  EXPECT_EQ(held("a").task.type, "t.a");
  EXPECT_EQ(held("a").task.run_id, run);
  EXPECT_EQ(held("a").execution_key, to_string(run) + ":a:1");
  start_task("a");
  EXPECT_EQ(node_state(run, "a"), NodeState::running);
  complete_node("a", R"({"n":42})");
  EXPECT_EQ(claimed(), std::vector<std::string>{"b"});
  EXPECT_EQ(held("b").task.payload.text, R"({"got":42})");
  complete_node("b", R"("done")");
  const core::Run ended = run_of(run);
  EXPECT_EQ(ended.state, RunState::completed);
  EXPECT_EQ(ended.output.text, R"("done")");
  EXPECT_EQ(ended.counts.completed, 2);
  EXPECT_EQ(
      event_names(run),
      (std::vector<std::string>{"workflow_created", "workflow_started", "task_scheduled", "task_started",
                                "task_completed", "task_scheduled", "task_completed", "workflow_completed"}));
  EXPECT_EQ(events(run)[4].actor, (core::EventActor{.type = "worker", .id = "w1"}));
}

TEST_P(RunLife, ServesAWaitingClaimInTheGroupThatCreatesTheTask) {
  define("chain", R"({"id":"a","activity":"t"},{"id":"b","activity":"t","after":["a"]})");
  const core::RunId run = start("chain");
  claimed();
  const Pending waiting = waiting_claim({.worker_id = "w2"});
  EXPECT_FALSE(waiting.is_answered());
  complete_node("a");
  ASSERT_TRUE(waiting.is_answered());
  EXPECT_EQ(waiting.tasks().at(0).node_id, "b");
  EXPECT_EQ(state_of(run), RunState::running);
}

}  // namespace
PAWL_ON_EVERY_STORE(RunLife);
}  // namespace pawl::testing
