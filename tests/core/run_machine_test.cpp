// Runs from start to end, one behavior per test. The harness replays each decision.
#include "core/run/run_machine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/core/definitions.hpp"
#include "tests/core/run_harness.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using testing::RunHarness;
using Names = std::vector<std::string>;

std::string work(const std::string& id, const std::string& after = "", const std::string& more = "") {
  return fmt::format(R"({{"id":"{0}","activity":"do.{0}","after":[{1}]{2}}})", id, after, more);
}

std::string both(const std::string& a, const std::string& b) { return a + "," + b; }

const std::string kDiamond =
    work("a") + "," + work("b", R"("a")") + "," + work("c", R"("a")") + "," +
    work("d", R"("b","c")", R"(,"input":{"b":{"$ref":"#/tasks/b/output"},"n":{"$ref":"#/input/n"}})");

TEST(ARun, OfADiamondStartsEachTaskAfterItsPredecessors) {
  RunHarness run{kDiamond};
  run.start(R"({"n":1.0})");
  EXPECT_EQ(run.state(), RunState::running);
  EXPECT_EQ(run.claimable(), Names{"a"});
  EXPECT_EQ(run.task("a").made.spec.type, "do.a");
  EXPECT_EQ(run.task("a").made.spec.payload.text, R"({"n":1.0})") << "no input: the run's";
  run.complete("a");
  EXPECT_EQ(run.claimable(), (Names{"b", "c"}));
  run.complete("c");
  EXPECT_EQ(run.claimable(), Names{"b"});
  EXPECT_EQ(run.run().counts.blocked, 1);
  run.complete("b", R"({"x": 2})");
  EXPECT_EQ(run.task("d").made.spec.payload.text, R"({"b":{"x": 2},"n":1.0})");
  run.complete("d", "7");
  EXPECT_EQ(run.state(), RunState::completed);
  EXPECT_EQ(run.run().output.text, R"({"d":7})") << "of what nothing comes after";
  EXPECT_EQ(run.run().counts, (RunCounts{.completed = 4}));
  ASSERT_EQ(run.parent_outcomes().size(), 1U);
  EXPECT_EQ(run.parent_outcomes()[0].state, RunState::completed);
}

TEST(ARun, RendersItsOutputTemplateWithNullForSkippedTasks) {
  RunHarness run{both(work("a"), work("b", R"("a")", R"(,"when":false)")),
                 R"(,"output":{"a":{"$ref":"#/tasks/a/output/x"},"b":{"$ref":"#/tasks/b/output"}})"};
  run.start();
  run.complete("a", R"({"x":[1]})");
  EXPECT_EQ(run.state(), RunState::completed);
  EXPECT_EQ(run.run().output.text, R"({"a":[1],"b":null})");
}

TEST(ARun, WithOnlySkippedTasksCompletesAtItsStart) {
  RunHarness run{both(work("a", "", R"(,"when":false)"), work("b", R"("a")"))};
  run.start();
  EXPECT_EQ(run.state(), RunState::completed);
  EXPECT_EQ(run.event_names(), (Names{"workflow_created", "workflow_started", "task_skipped", "task_skipped",
                                      "workflow_completed"}));
}

TEST(ASkip, PropagatesToTasksWithoutAnotherPath) {
  RunHarness run{work("a") + "," + work("b", R"("a")", R"(,"when":{"$eq":[{"$ref":"#/tasks/a/output"},1]})") +
                 "," + work("c", R"("b")") + "," + work("d", R"("a","c")")};
  run.start();
  run.complete("a", "2");
  EXPECT_EQ(run.nodes_of(RunEventType::task_skipped), (Names{"b", "c"}));
  EXPECT_EQ(run.claimable(), Names{"d"}) << "it has another way to it";
  run.complete("d");
  EXPECT_EQ(run.state(), RunState::completed);
  EXPECT_EQ(run.run().counts, (RunCounts{.completed = 2, .skipped = 2}));
}

TEST(AForEach, MakesATaskForEachElementAndAnArrayInOrder) {
  RunHarness run{both(
      work("a", "", R"(,"for_each":{"$ref":"#/input/list"},"input":[{"$ref":"#/item"},{"$ref":"#/index"}])"),
      work("b", R"("a")", R"(,"input":{"$ref":"#/tasks/a/output"})"))};
  run.start(R"({"list":["x", 2 ,{"y":null}]})");
  EXPECT_EQ(run.claimable(), (Names{"a[0]", "a[1]", "a[2]"}));
  EXPECT_EQ(run.task("a[2]").made.spec.payload.text, R"([{"y":null},2])");
  EXPECT_EQ(run.run().counts, (RunCounts{.blocked = 1, .pending = 3}));
  run.complete("a[2]", "30");
  run.complete("a[0]", "10");
  EXPECT_EQ(run.state_of("a"), NodeState::waiting);
  run.complete("a[1]", "20");
  EXPECT_EQ(run.task("b").made.spec.payload.text, "[10,20,30]");
  run.complete("b");
  EXPECT_EQ(run.run().counts, (RunCounts{.completed = 4}));
}

TEST(AForEach, OfNothingCompletesImmediatelyWithAnEmptyArray) {
  RunHarness run{both(work("a", "", R"(,"for_each":{"$ref":"#/input/list"})"),
                      work("b", R"("a")", R"(,"input":{"$ref":"#/tasks/a/output"})"))};
  run.start(R"({"list":[]})");
  EXPECT_EQ(run.state_of("a"), NodeState::completed);
  EXPECT_EQ(run.task("b").made.spec.payload.text, "[]");
}

TEST(AForEach, OfOneElementReturnsAnArray) {
  RunHarness run{work("a", "", R"(,"for_each":[{"$ref":"#/input"}],"input":{"$ref":"#/item"})")};
  run.start("5");
  EXPECT_EQ(run.task("a[0]").made.spec.payload.text, "5");
  run.complete("a[0]", "6");
  EXPECT_EQ(run.run().output.text, R"({"a":[6]})");
}

TEST(AForEach, CancelsTheOtherElementsWhenOneFails) {
  RunHarness run{work("a", "", R"(,"for_each":[1,2,3])")};
  run.start();
  run.claim("a[1]");
  run.fail("a[0]");
  EXPECT_EQ(run.state(), RunState::failing) << "one is still held";
  EXPECT_EQ(run.state_of("a[2]"), NodeState::cancelled);
  EXPECT_TRUE(run.task("a[1]").is_stop_requested);
  run.complete("a[1]");
  EXPECT_EQ(run.state(), RunState::failed);
  EXPECT_EQ(run.state_of("a"), NodeState::failed);
}

TEST(AForEach, WithOnErrorContinueEndsAsFailedAndStartsItsSuccessors) {
  RunHarness run{both(work("a", "", R"(,"for_each":[1,2],"on_error":"continue")"), work("b", R"("a")"))};
  run.start();
  run.fail("a[0]");
  EXPECT_EQ(run.state(), RunState::running);
  run.complete("a[1]");
  EXPECT_EQ(run.state_of("a"), NodeState::failed);
  run.complete("b");
  EXPECT_EQ(run.state(), RunState::completed);
}

TEST(AForEach, WithOversizedOutputsFailsAndDoesNotHangWhenRetried) {
  RunHarness run{work("a", "", R"(,"for_each":[1,2])")};
  run.start();
  const std::string large = "\"" + std::string(kPayloadBytesMax * 2 / 3, 'x') + "\"";
  run.complete("a[0]", large);
  run.complete("a[1]", large);
  EXPECT_EQ(run.state(), RunState::failed);
  EXPECT_EQ(run.run().error->code, "payload_too_large");
  ASSERT_TRUE(run.act(RunAction::retry));
  EXPECT_EQ(run.state(), RunState::failed);
}

TEST(AReference, ToAMissingValueFailsItsTask) {
  RunHarness run{both(work("a"), work("b", R"("a")", R"(,"input":{"$ref":"#/tasks/a/output/id"})"))};
  run.start();
  run.complete("a", "{}");
  EXPECT_EQ(run.state(), RunState::failed);
  EXPECT_EQ(run.node_of("b").error->code, "invalid_reference");
  EXPECT_EQ(run.run().error->code, "invalid_reference");
  EXPECT_NE(run.run().error->message.find("task 'b' failed"), std::string::npos);
}

TEST(AConditionOrAList, FailsItsTaskIfItCannotBeEvaluated) {
  for (const char* more : {R"(,"when":{"$ref":"#/input/x"})", R"(,"when":{"$lt":[1,"a"]})",
                           R"(,"for_each":{"$ref":"#/input"})"}) {
    RunHarness run{work("a", "", more)};
    run.start();
    EXPECT_EQ(run.state(), RunState::failed) << more;
    EXPECT_FALSE(run.run().error->retryable);
  }
}

TEST(AFailure, WithOnErrorContinueStartsTheSuccessors) {
  RunHarness run{both(work("a", "", R"(,"on_error":"continue")"), work("b", R"("a")"))};
  run.start();
  run.fail("a");
  EXPECT_EQ(run.claimable(), Names{"b"});
  run.complete("b");
  EXPECT_EQ(run.state(), RunState::completed);
  EXPECT_EQ(run.run().counts, (RunCounts{.completed = 1, .failed = 1}));
}

TEST(AFailure, CancelsWaitingTasksAndStopsHeldOnesBeforeTheRunEnds) {
  RunHarness run{work("a") + "," + work("b") + "," + work("c") + "," + work("d", R"("a","b")") +
                 R"(,{"id":"w","type":"workflow","workflow":"y"},{"id":"z","type":"sleep","duration":"1h"})"};
  run.start();
  run.claim("b");
  run.fail("a", "no_luck");
  EXPECT_EQ(run.state(), RunState::failing);
  EXPECT_EQ(run.state_of("c"), NodeState::cancelled) << "no worker held it";
  EXPECT_EQ(run.state_of("z"), NodeState::cancelled);
  EXPECT_TRUE(run.task("b").is_stop_requested);
  EXPECT_EQ(run.stopped_children(), Names{"w"});
  run.complete("b");
  EXPECT_EQ(run.state(), RunState::failing);
  EXPECT_TRUE(run.claimable().empty());
  run.finish_child("w", RunState::cancelled);
  EXPECT_EQ(run.state(), RunState::failed);
  EXPECT_EQ(run.run().error->code, "no_luck");
  EXPECT_EQ(run.state_of("d"), NodeState::cancelled);
  EXPECT_EQ(shown_counts(run.run()), (RunCounts{.completed = 1, .failed = 1, .cancelled = 4}));
}

TEST(ALostLease, IsRecordedAndTheTaskRetried) {
  RunHarness run{work("a")};
  run.start();
  run.lose("a");
  EXPECT_EQ(run.state_of("a"), NodeState::pending);
  run.complete("a");
  EXPECT_EQ(run.node_of("a").attempt, 2);
  EXPECT_EQ(run.event_names(),
            (Names{"workflow_created", "workflow_started", "task_scheduled", "task_started", "lease_expired",
                   "task_retrying", "task_started", "task_completed", "workflow_completed"}));
}

TEST(AReport, IsIgnoredIfLateOrOfAnotherTask) {
  RunHarness run{both(work("a"), work("b", R"("a")"))};
  run.start();
  const TaskId id = run.task("a").made.task_id;
  run.complete("a");
  const auto before = run.run();
  run.report_late({.node = {.index = 0}, .task_id = id, .kind = TaskOutcomeKind::failed});
  run.report_late({.node = {.index = 1}, .task_id = id, .kind = TaskOutcomeKind::completed});
  run.report_late({.node = {.index = 77}, .task_id = id, .kind = TaskOutcomeKind::completed});
  EXPECT_EQ(run.run(), before);
}

TEST(ATask, CancelledByAnOperatorCountsAsFailed) {
  RunHarness run{work("a")};
  run.start();
  run.claim("a");
  run.stop("a");
  EXPECT_EQ(run.state(), RunState::failed);
  EXPECT_EQ(run.run().error->code, "cancelled");
}

TEST(APause, HoldsPendingTasksAndNewlyUnblockedTasks) {
  RunHarness run{work("a") + "," + work("b", R"("a")") + "," + work("c")};
  run.start();
  run.claim("a");
  ASSERT_TRUE(run.act(RunAction::pause));
  EXPECT_EQ(run.state(), RunState::paused);
  EXPECT_TRUE(run.claimable().empty()) << "c is held";
  run.complete("a");
  EXPECT_EQ(run.state(), RunState::paused);
  EXPECT_EQ(run.state_of("b"), NodeState::blocked);
  ASSERT_TRUE(run.act(RunAction::resume));
  EXPECT_EQ(run.claimable(), (Names{"b", "c"}));
  run.complete("b");
  run.claim("c");
  ASSERT_TRUE(run.act(RunAction::pause));
  run.complete("c");
  EXPECT_EQ(run.state(), RunState::paused) << "the last one ended: it completes when it is resumed";
  ASSERT_TRUE(run.act(RunAction::resume));
  EXPECT_EQ(run.state(), RunState::completed);
}

TEST(APause, HoldsRetriedTasksAndEndsWithAFailure) {
  RunHarness run{work("a")};
  run.start();
  run.claim("a");
  ASSERT_TRUE(run.act(RunAction::pause));
  run.lose("a");
  EXPECT_TRUE(run.claimable().empty());
  ASSERT_TRUE(run.act(RunAction::resume));
  run.claim("a");
  ASSERT_TRUE(run.act(RunAction::pause));
  run.fail("a");
  EXPECT_EQ(run.state(), RunState::failed);
}

TEST(ADeadline, FailsTheRun) {
  RunHarness run{work("a"), R"(,"deadline":"1h")"};
  run.start();
  run.advance(59min);
  EXPECT_EQ(run.state(), RunState::running);
  run.advance(1min);
  EXPECT_EQ(run.state(), RunState::failed);
  EXPECT_EQ(run.run().error->code, "deadline_exceeded");
  ASSERT_TRUE(run.act(RunAction::retry));
  run.advance(1h);
  EXPECT_EQ(run.state(), RunState::running) << "whoever retries it wants it to go on";
  run.complete("a");
  EXPECT_EQ(run.state(), RunState::completed);
}

TEST(ARetry, ReplaysFailedTasksAndKeepsCompletedOnes) {
  RunHarness run{work("a") + "," + work("b", R"("a")") + "," + work("c", R"("b")") + "," +
                 work("e", "", R"(,"for_each":[1,2])")};
  run.start();
  run.complete("a", "1");
  run.complete("e[0]", "5");
  run.fail("b");
  EXPECT_EQ(run.state(), RunState::failed);
  ASSERT_TRUE(run.act(RunAction::retry));
  EXPECT_EQ(run.state(), RunState::running);
  EXPECT_EQ(run.run().error, std::nullopt);
  EXPECT_EQ(run.claimable(), (Names{"b", "e[1]"}));
  EXPECT_EQ(run.task("b").made.attempts_used, 1) << "no execution key comes twice";
  run.complete("b");
  run.complete("e[1]", "6");
  run.complete("c");
  EXPECT_EQ(run.state(), RunState::completed);
  EXPECT_EQ(run.run().output.text, R"({"c":null,"e":[5,6]})");
  EXPECT_EQ(run.nodes_of(RunEventType::task_completed), (Names{"a", "e[0]", "b", "e[1]", "e", "c"}));
}

TEST(ARetry, OfAFailingRunRestartsTheTasksThatWereStopped) {
  RunHarness run{both(work("a"), work("b"))};
  run.start();
  run.claim("b");
  run.fail("a");
  ASSERT_EQ(run.state(), RunState::failing);
  ASSERT_TRUE(run.act(RunAction::retry));
  EXPECT_EQ(run.claimable(), Names{"a"});
  run.stop("b");
  EXPECT_EQ(run.claimable(), (Names{"a", "b"})) << "it stopped, and is wanted after all";
  run.complete("a");
  run.complete("b");
  EXPECT_EQ(run.state(), RunState::completed);
  EXPECT_EQ(run.node_of("b").attempt, 2);
}

TEST(ARewind, KeepsAllResultsBeforeItsTargetInANewRun) {
  RunHarness run{kDiamond + "," + work("e", "", R"(,"for_each":[1,2])")};
  run.start(R"({"n":1})");
  run.complete("e[1]", "2");
  run.complete("a", "1");
  run.complete("c");
  run.complete("e[0]", "1");
  run.complete("b", "5");
  run.complete("d");
  ASSERT_EQ(run.state(), RunState::completed);
  const auto fork = run.rewind("b");
  ASSERT_TRUE(fork);
  EXPECT_EQ((*fork)->claimable(), Names{"b"});
  EXPECT_EQ((*fork)->state_of("c"), NodeState::completed);
  EXPECT_EQ((*fork)->node_of("e").output.text, "[1,2]");
  EXPECT_EQ((*fork)->run().facts.rewound_from, run.run().facts.id);
  (*fork)->complete("b", "6");
  EXPECT_EQ((*fork)->task("d").made.spec.payload.text, R"({"b":6,"n":1})");
  (*fork)->complete("d");
  EXPECT_EQ((*fork)->state(), RunState::completed);
  EXPECT_EQ(run.rewind("nobody").problem().errors[0].field, "to");
}

TEST(ARewind, ToTheFirstTaskKeepsNoResult) {
  RunHarness run{kDiamond};
  run.start(R"({"n":1})");
  const auto fork = run.rewind("a");
  ASSERT_TRUE(fork);
  EXPECT_EQ((*fork)->claimable(), Names{"a"});
}

}  // namespace
}  // namespace pawl::core
