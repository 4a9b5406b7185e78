// The order of a graph's tasks: fan-out and join, skips, tolerated failures, for_each.
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::NodeState;
using core::RunEventType;
using core::RunState;
using Names = std::vector<std::string>;

using RunGraph = RunTest;

TEST_P(RunGraph, AJoinStartsWhenAllPredecessorsHaveEnded) {
  define("join", R"({"id":"a","activity":"t"},{"id":"b","activity":"t"},
                    {"id":"c","activity":"t","after":["a","b"]})");
  const core::RunId run = start("join");
  EXPECT_EQ(claimed(), (Names{"a", "b"}));
  complete_node("a");
  EXPECT_EQ(claimed(), Names{});
  EXPECT_EQ(node_state(run, "c"), NodeState::blocked);
  complete_node("b");
  EXPECT_EQ(claimed(), Names{"c"});
  complete_node("c");
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunGraph, AFalseConditionSkipsTheTaskAndItsExclusiveSuccessors) {
  define("when", R"({"id":"a","activity":"t"},
                    {"id":"b","activity":"t","after":["a"],"when":{"$gt":[{"$ref":"#/input/n"},10]}},
                    {"id":"c","activity":"t","after":["b"]},
                    {"id":"d","activity":"t","after":["a","b"]})");
  const core::RunId run = start("when", R"({"n":3})");
  EXPECT_EQ(work(), (Names{"a", "d"}));
  EXPECT_EQ(state_of(run), RunState::completed);
  EXPECT_EQ(nodes_of(run, RunEventType::task_skipped), (Names{"b", "c"}));
  EXPECT_EQ(run_of(run).counts.skipped, 2);
}

TEST_P(RunGraph, AFailureWithOnErrorContinueDoesNotFailTheRun) {
  define("pass",
         R"({"id":"a","activity":"t","on_error":"continue"},{"id":"b","activity":"t","after":["a"]})");
  const core::RunId run = start("pass");
  fail_node("a");
  EXPECT_EQ(work(), Names{"b"});
  EXPECT_EQ(state_of(run), RunState::completed);
  EXPECT_EQ(node_state(run, "a"), NodeState::failed);
}

TEST_P(RunGraph, AForEachCreatesATaskPerElementAndCollectsTheirOutputs) {
  define("each",
         R"({"id":"a","activity":"t","for_each":{"$ref":"#/input"},
             "input":{"i":{"$ref":"#/index"},"v":{"$ref":"#/item"}}},
            {"id":"b","activity":"t","after":["a"],"input":{"$ref":"#/tasks/a/output"}})");
  const core::RunId run = start("each", R"(["x","y","z"])");
  EXPECT_EQ(claimed(), (Names{"a[0]", "a[1]", "a[2]"}));
  EXPECT_EQ(held("a[1]").task.payload.text, R"({"i":1,"v":"y"})");
  EXPECT_EQ(held("a[1]").execution_key, to_string(run) + ":a[1]:1");
  EXPECT_EQ(core::operation_key(held("a[1]").task), to_string(run) + ":a[1]");
  complete_node("a[2]", "2");
  complete_node("a[0]", "0");
  EXPECT_EQ(claimed(), Names{});
  complete_node("a[1]", "1");
  EXPECT_EQ(claimed(), Names{"b"});
  EXPECT_EQ(held("b").task.payload.text, "[0,1,2]");
  complete_node("b");
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunGraph, AForEachWithOnErrorContinueHasTheCompletedOutputs) {
  define("some",
         R"({"id":"a","activity":"t","for_each":{"$ref":"#/input"},"on_error":"continue"},
            {"id":"b","activity":"t","after":["a"],
             "input":{"all":{"$ref":"#/tasks/a/output"},"second":{"$ref":"#/tasks/a/output/1"},
                      "errors":{"$ref":"#/tasks/a/errors"},"code":{"$ref":"#/tasks/a/errors/0/code"}}},
            {"id":"c","activity":"t","after":["b"],"when":{"$exists":{"$ref":"#/tasks/a/errors/1"}}})",
         R"(,"output":{"$ref":"#/tasks/a/output"})");
  const core::RunId run = start("some", R"(["x","y","z"])");
  EXPECT_EQ(claimed(), (Names{"a[0]", "a[1]", "a[2]"}));
  complete_node("a[2]", "2");
  fail_node("a[0]");
  EXPECT_EQ(claimed(), Names{});
  complete_node("a[1]", R"({"v":1})");
  EXPECT_EQ(node_state(run, "a"), NodeState::failed);
  EXPECT_EQ(node_of(run, "a").output.text, R"([null,{"v":1},2])");
  EXPECT_EQ(claimed(), Names{"b"});
  const std::string message = node_of(run, "a[0]").error->message;
  EXPECT_EQ(held("b").task.payload.text,
            R"({"all":[null,{"v":1},2],"second":{"v":1},"errors":[{"index":0,"code":"boom","message":")" +
                message + R"("}],"code":"boom"})");
  complete_node("b");
  EXPECT_EQ(node_state(run, "c"), NodeState::skipped) << "there is one error";
  EXPECT_EQ(state_of(run), RunState::completed);
  EXPECT_EQ(run_of(run).output.text, R"([null,{"v":1},2])");
}

TEST_P(RunGraph, AForEachWithoutFailuresHasNoErrors) {
  define("none", R"({"id":"a","activity":"t","for_each":[1,2],"on_error":"continue"},
                    {"id":"b","activity":"t","after":["a"],"input":{"$ref":"#/tasks/a/errors"}})");
  const core::RunId run = start("none");
  claimed();
  complete_node("a[0]");
  complete_node("a[1]");
  claimed();
  EXPECT_EQ(held("b").task.payload.text, "[]");
  complete_node("b");
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunGraph, AForEachWithOnlyFailuresIsAnArrayOfNulls) {
  define("all", R"({"id":"a","activity":"t","for_each":[1,2],"on_error":"continue"},
                   {"id":"b","activity":"t","after":["a"],"input":{"$ref":"#/tasks/a/output"}})");
  const core::RunId run = start("all");
  claimed();
  fail_node("a[0]");
  fail_node("a[1]");
  claimed();
  EXPECT_EQ(held("b").task.payload.text, "[null,null]");
  EXPECT_EQ(node_of(run, "a").error->code, "boom");
  complete_node("b");
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunGraph, TheErrorOfATaskWithOnErrorContinueCanBeReferenced) {
  define("pass", R"({"id":"a","activity":"t","on_error":"continue"},
                    {"id":"b","activity":"t","after":["a"],"input":{"$ref":"#/tasks/a/errors/0/code"}})");
  const core::RunId run = start("pass");
  claimed();
  fail_node("a");
  claimed();
  EXPECT_EQ(held("b").task.payload.text, R"("boom")");
  complete_node("b");
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunGraph, AnEmptyForEachCompletesImmediately) {
  define("each", R"({"id":"a","activity":"t","for_each":[]},
                    {"id":"b","activity":"t","after":["a"],"input":{"$ref":"#/tasks/a/output"}})");
  const core::RunId run = start("each");
  EXPECT_EQ(claimed(), Names{"b"});
  EXPECT_EQ(held("b").task.payload.text, "[]");
  complete_node("b");
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunGraph, AReferenceToAMissingValueFailsItsTask) {
  define("ref", R"({"id":"a","activity":"t"},
                   {"id":"b","activity":"t","after":["a"],"input":{"$ref":"#/tasks/a/output/none"}})");
  const core::RunId run = start("ref");
  complete_node("a", "{}");
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(run_of(run).error->code, "invalid_reference");
}

TEST_P(RunGraph, ATaskIsRetriedByItsPolicyBeforeItFailsTheRun) {
  define("retry",
         R"({"id":"a","activity":"t","retry":{"max_attempts":2,"initial_interval":"1s","jitter":0}})");
  const core::RunId run = start("retry");
  start_task("a");
  fail_node("a", true);
  EXPECT_EQ(state_of(run), RunState::running);
  EXPECT_EQ(node_state(run, "a"), NodeState::pending);
  EXPECT_EQ(claimed(), Names{});
  clock.advance(1s);
  tick();
  EXPECT_EQ(claimed(), Names{"a"});
  EXPECT_EQ(held("a").execution_key, to_string(run) + ":a:2");
  EXPECT_EQ(core::operation_key(held("a").task), to_string(run) + ":a");
  fail_node("a", true);
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(run_of(run).error->code, "boom");
}

TEST_P(RunGraph, ALostLeaseIsRecordedAndTheTaskRetried) {
  define("lost", R"({"id":"a","activity":"t"})");
  const core::RunId run = start("lost");
  (void)claim("w9", 1, 10s);
  clock.advance(11s);
  tick();
  EXPECT_EQ(nodes_of(run, RunEventType::lease_expired), Names{"a"});
  EXPECT_EQ(nodes_of(run, RunEventType::task_retrying), Names{"a"});
  EXPECT_EQ(work(), Names{"a"});
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunGraph, ATimedOutAttemptIsRecorded) {
  define("slow", R"({"id":"a","activity":"t","timeout":"5s","retry":{"max_attempts":1}})");
  const core::RunId run = start("slow");
  start_task("a");
  clock.advance(6s);
  tick();
  EXPECT_EQ(nodes_of(run, RunEventType::task_timed_out), Names{"a"});
  EXPECT_EQ(state_of(run), RunState::failed);
}

TEST_P(RunGraph, CancellingATaskFailsItsRun) {
  define("one", R"({"id":"a","activity":"t"},{"id":"b","activity":"t"})");
  const core::RunId run = start("one");
  const core::TaskId task = *node_of(run, "a").task_id;
  ASSERT_TRUE(api().cancel_task("default", task).ok());
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(node_state(run, "b"), NodeState::cancelled);
  EXPECT_EQ(claimed(), Names{});
}

TEST_P(RunGraph, RetryingATaskOfARunIsRejectedAndNamesTheRun) {
  define("one", R"({"id":"a","activity":"t"})");
  const core::RunId run = start("one");
  const core::TaskId task = *node_of(run, "a").task_id;
  fail_node("a");
  const auto refused = api().retry_task("default", task);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.problem().code, core::ProblemCode::invalid_state);
  EXPECT_NE(refused.problem().detail.find(to_string(run)), std::string::npos);
}

TEST_P(RunGraph, TasksAreListedByTheirRun) {
  define("two", R"({"id":"a","activity":"t"},{"id":"b","activity":"t"})");
  const core::RunId run = start("two");
  start("two");
  (void)enqueue(task_of("t"));
  core::ListTasks of_run{.query = {.run_id = run}, .newest_first = false};
  auto page = node().local().list_tasks(of_run);
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->items.size(), 2U);
  EXPECT_EQ(page->items[0].node_id, "a");
  EXPECT_EQ(page->items[1].run_id, run);
  of_run.query.statuses = {core::TaskStatus::completed};
  EXPECT_EQ(node().local().list_tasks(of_run)->items.size(), 0U);
}

// --- declared types of a run's tasks ---

TEST_P(RunGraph, TasksGetTheDefaultsOfTheirTypeIfTheDefinitionHasNone) {
  ASSERT_TRUE(api()
                  .put_type({.type = {.name = "t",
                                      .queue = "default",
                                      .priority = 7,
                                      .retry = core::RetryPolicy{.max_attempts = 2},
                                      .timeout = 5s}})
                  .ok());
  define("typed", R"({"id":"a","activity":"t"},{"id":"b","activity":"t","priority":1,"timeout":"9s"})");
  start("typed");
  EXPECT_EQ(claimed(), (Names{"a", "b"}));
  EXPECT_EQ(held("a").task.priority, 7);
  EXPECT_EQ(held("a").task.retry.max_attempts, 2);
  EXPECT_EQ(held("a").task.timeout, 5s);
  EXPECT_EQ(held("b").task.priority, 1);
  EXPECT_EQ(held("b").task.timeout, 9s);
}

TEST_P(RunGraph, ATypeSendsItsTasksToItsQueue) {
  ASSERT_TRUE(api().put_type({.type = {.name = "t", .queue = "slow"}}).ok());
  define("typed", R"({"id":"a","activity":"t"},{"id":"b","activity":"t","queue":"default"})");
  start("typed");
  EXPECT_EQ(claimed(), Names{"b"});
  EXPECT_EQ(api().claim({.worker_id = "w", .queues = {"slow"}})->at(0).task.node_id, "a");
}

TEST_P(RunGraph, AnInputThatViolatesItsTypeFailsTheTaskImmediately) {
  ASSERT_TRUE(api().put_type({.type = {.name = "t", .required = {"to"}}}).ok());
  define("typed", R"({"id":"a","activity":"t"})");
  const core::RunId run = start("typed", R"({"cc":1})");
  EXPECT_EQ(claimed(), Names{});
  EXPECT_EQ(state_of(run), RunState::failed);
  const auto error = node_of(run, "a").error;
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, "invalid_argument");
  EXPECT_NE(error->message.find("payload.to"), std::string::npos) << error->message;
}

// --- traces ---

TEST_P(RunGraph, AClaimedTaskHasTheTraceOfItsRun) {
  define("traced", R"({"id":"a","activity":"t"},{"id":"b","type":"workflow","workflow":"part"})");
  define("part", R"({"id":"c","activity":"t"})");
  const auto started = runs().start_run(
      {.workflow = "traced", .trace_id = "4bf92f3577b34da6a3ce929d0e0e4736", .span_id = "00f067aa0ba902b7"});
  ASSERT_TRUE(started.ok());
  EXPECT_EQ(claimed(), (Names{"a", "c"}));
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  EXPECT_EQ(held("a").task.traceparent, trace);
  EXPECT_EQ(held("c").task.traceparent, trace) << "a child is part of its parent's trace";
  start("part");
  give_back_all();
  const auto again = claimed();
  EXPECT_EQ(again.size(), 3U);
}

TEST_P(RunGraph, TasksAndChildrenGetTheTraceFlagsAndStateOfTheRun) {
  define("traced", R"({"id":"a","activity":"t"},{"id":"b","type":"workflow","workflow":"part"})");
  define("part", R"({"id":"c","activity":"t"})");
  const auto started = runs().start_run({.workflow = "traced",
                                         .trace_id = "4bf92f3577b34da6a3ce929d0e0e4736",
                                         .span_id = "00f067aa0ba902b7",
                                         .trace_flags = 0,
                                         .tracestate = "v=1"});
  ASSERT_TRUE(started.ok());
  EXPECT_EQ(claimed(), (Names{"a", "c"}));
  const auto other = another_node(2);
  for (const char* node : {"a", "c"}) {
    const auto stored = other->local().get_task("default", held(node).task.id);
    for (const core::Task& task : {held(node).task, stored->task}) {
      EXPECT_EQ(task.traceparent, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00") << node;
      EXPECT_EQ(task.tracestate, "v=1") << node;
    }
  }
  give_back_all();
  EXPECT_EQ(claimed().size(), 2U);
  EXPECT_EQ(held("a").task.tracestate, "v=1");
}

}  // namespace
PAWL_ON_EVERY_STORE(RunGraph);
}  // namespace pawl::testing
