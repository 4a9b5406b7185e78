// The bounds on one decision and one run, and how a run continues with work that a commit deferred.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/core/run_harness.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using testing::RunHarness;

constexpr const char* kEach = R"({"id":"a","activity":"t","for_each":{"$ref":"#/input"}})";

std::string numbers(int count) {
  std::string list = "[0";
  for (int i = 1; i < count; ++i) list += fmt::format(",{}", i);
  return list + "]";
}

int count_of(const RunHarness& run, RunEventType type) { return static_cast<int>(run.nodes_of(type).size()); }

TEST(Pages, StartAsManyTasksAsTheBudgetOfACommitAllows) {
  RunHarness run{kEach};
  run.page_by({.begun = 3});
  run.start(numbers(10));
  EXPECT_EQ(run.tasks().size(), 3U);
  EXPECT_EQ(count_of(run, RunEventType::timer_set), 1);
  run.fire("a");
  EXPECT_EQ(run.tasks().size(), 6U);
  run.advance(0s);
  EXPECT_EQ(run.tasks().size(), 10U);
  EXPECT_EQ(run.run().deferred, std::nullopt);
}

TEST(Pages, ShareOneTimerForAllDeferredTasks) {
  RunHarness run{R"({"id":"a","activity":"t"},{"id":"b","activity":"t"},{"id":"c","activity":"t"},
                    {"id":"d","activity":"t","after":["a","b","c"]})"};
  run.page_by({.begun = 1});
  run.start();
  EXPECT_EQ(run.claimable(), std::vector<std::string>{"a"});
  run.complete("a");
  EXPECT_EQ(count_of(run, RunEventType::timer_set), 1);
  run.advance(0s);
  EXPECT_EQ(run.claimable(), (std::vector<std::string>{"b", "c"}));
  run.complete("b");
  run.complete("c");
  run.complete("d");
  EXPECT_EQ(run.state(), RunState::completed);
}

TEST(Pages, AreBoundedByTheBytesOfInputs) {
  RunHarness run{
      R"({"id":"a","activity":"t","for_each":{"$ref":"#/input/items"},"input":{"$ref":"#/input/text"}})"};
  run.page_by({.rendered = 2'500});
  run.start(fmt::format(R"({{"items":{},"text":"{}"}})", numbers(10), std::string(998, 'x')));
  EXPECT_EQ(run.tasks().size(), 3U) << "the last one may go beyond";
}

TEST(Pages, AreBoundedByTheBytesReadThroughReferences) {
  RunHarness run{
      R"({"id":"a","activity":"t","for_each":{"$ref":"#/input/items"},"input":[{"$ref":"#/item"},{"$ref":"#/input/x"}]})"};
  run.page_by({.scanned = 5'000});
  run.start(fmt::format(R"({{"items":{},"x":1,"text":"{}"}})", numbers(10), std::string(1'000, 'x')));
  EXPECT_LT(run.tasks().size(), 10U);
  run.advance(0s);
  EXPECT_EQ(run.tasks().size(), 10U);
}

TEST(Pages, StopWhileTheRunIsPausedAndContinueOnResume) {
  RunHarness run{kEach};
  run.page_by({.begun = 2});
  run.start(numbers(5));
  ASSERT_TRUE(run.act(RunAction::pause));
  run.advance(0s);
  EXPECT_EQ(run.tasks().size(), 2U);
  ASSERT_TRUE(run.act(RunAction::resume));
  run.advance(0s);
  EXPECT_EQ(run.tasks().size(), 5U);
}

TEST(Pages, ContinueWhenTheRunIsResumedBeforeTheTimerFires) {
  RunHarness run{kEach};
  run.page_by({.begun = 2});
  run.start(numbers(5));
  ASSERT_TRUE(run.act(RunAction::pause));
  ASSERT_TRUE(run.act(RunAction::resume));
  EXPECT_EQ(run.tasks().size(), 4U);
  run.advance(0s);
  EXPECT_EQ(run.tasks().size(), 5U);
}

TEST(Pages, OfACanceledRunStartNoTask) {
  RunHarness run{kEach, R"(,"on_failure":"fail")"};
  run.page_by({.begun = 2});
  run.start(numbers(5));
  ASSERT_TRUE(run.act(RunAction::cancel));
  run.advance(0s);
  EXPECT_EQ(run.state(), RunState::cancelled);
  EXPECT_TRUE(run.tasks().empty());
}

TEST(Pages, OfARetriedRunStartTheDeferredTasks) {
  RunHarness run{kEach, R"(,"on_failure":"fail")"};
  run.page_by({.begun = 2});
  run.start(numbers(5));
  run.fail("a[0]");
  run.advance(0s);
  ASSERT_EQ(run.state(), RunState::failed);
  ASSERT_TRUE(run.act(RunAction::retry));
  run.advance(0s);
  EXPECT_EQ(run.tasks().size(), 5U);
}

TEST(Pages, StopAsManyChildrenAsTheBudgetOfACommitAllows) {
  RunHarness run{R"({"id":"a","type":"workflow","workflow":"y","for_each":{"$ref":"#/input"}})",
                 R"(,"on_failure":"fail")"};
  run.start(numbers(5));
  run.page_by({.stopped_children = 2});
  ASSERT_TRUE(run.act(RunAction::cancel));
  EXPECT_EQ(run.state(), RunState::cancelled);
  EXPECT_EQ(run.stopped_children().size(), 2U);
  run.advance(0s);
  EXPECT_EQ(run.stopped_children().size(), 5U);
}

TEST(Pages, StopTheChildrenOfAFailedRunBeforeItEnds) {
  RunHarness run{R"({"id":"a","type":"workflow","workflow":"y","for_each":{"$ref":"#/input"}},
                    {"id":"b","activity":"t"})",
                 R"(,"on_failure":"fail")"};
  run.start(numbers(3));
  run.page_by({.stopped_children = 1});
  run.fail("b");
  EXPECT_EQ(run.state(), RunState::failing);
  run.advance(0s);
  EXPECT_EQ(run.stopped_children().size(), 3U);
  for (const char* child : {"a[0]", "a[1]", "a[2]"}) run.finish_child(child, RunState::cancelled);
  EXPECT_EQ(run.state(), RunState::failed);
}

TEST(RunBounds, FailAChildThatIsTooDeepAndNameTheSetting) {
  RunHarness run{R"({"id":"a","type":"workflow","workflow":"y"})"};
  run.bound_by({.child_depth_max = 3});
  run.stand_at_depth(3);
  run.start();
  ASSERT_EQ(run.state(), RunState::failed);
  EXPECT_TRUE(run.children().empty());
  EXPECT_EQ(run.node_of("a").error->code, "limit_exceeded");
  EXPECT_EQ(run.node_of("a").error->message,
            "a child of this run is 4 runs deep, limits.child_depth allows 3");
}

TEST(RunBounds, AllowAChildAtTheDepthLimit) {
  RunHarness run{R"({"id":"a","type":"workflow","workflow":"y"})"};
  run.bound_by({.child_depth_max = 3});
  run.stand_at_depth(2);
  run.start();
  EXPECT_EQ(run.children().size(), 1U);
}

TEST(RunBounds, FailAnOversizedFanOutWithOneInputBeforeItStarts) {
  RunHarness run{
      R"({"id":"a","activity":"t","for_each":{"$ref":"#/input/items"},"input":{"$ref":"#/input/text"}})"};
  run.bound_by({.rendered_bytes_max = 9'000});
  run.start(fmt::format(R"({{"items":{},"text":"{}"}})", numbers(10), std::string(998, 'x')));
  ASSERT_EQ(run.state(), RunState::failed);
  EXPECT_TRUE(run.tasks().empty());
  EXPECT_EQ(run.node_of("a").error->code, "limit_exceeded");
  EXPECT_NE(run.node_of("a").error->message.find(
                "makes 10000 bytes of inputs in this run, limits.run_rendered allows 9000"),
            std::string::npos)
      << run.node_of("a").error->message;
}

TEST(RunBounds, FailTheElementWhoseInputExceedsTheRunLimit) {
  RunHarness run{
      R"({"id":"a","activity":"t","for_each":{"$ref":"#/input/items"},"input":[{"$ref":"#/item"},{"$ref":"#/input/text"}]})"};
  run.bound_by({.rendered_bytes_max = 300'000});
  run.page_by({.rendered = 100'000});
  run.start(fmt::format(R"({{"items":{},"text":"{}"}})", numbers(9), std::string(90'000, 'x')));
  run.advance(0s);
  EXPECT_EQ(run.state(), RunState::failed);
  EXPECT_GT(run.run().cost.rendered, 200'000);
  EXPECT_NE(run.run().error->message.find("limits.run_rendered allows 300000"), std::string::npos);
}

TEST(RunBounds, FailTheTaskWhoseReferencesReadTooMuch) {
  std::string tasks;
  for (int i = 0; i < 10; ++i)
    tasks += fmt::format(R"({}{{"id":"n{}","activity":"t","input":{{"$ref":"#/input/x"}}}})",
                         i == 0 ? "" : ",", i);
  RunHarness run{tasks};
  run.bound_by({.scanned_bytes_max = 500'000});
  run.start(fmt::format(R"({{"x":1,"text":"{}"}})", std::string(100'000, 'x')));
  EXPECT_EQ(run.state(), RunState::failed);
  EXPECT_NE(run.run().error->message.find("limits.run_scanned allows 500000"), std::string::npos);
}

TEST(RunBounds, FailAFanOutThatGivesARunTooManyTasks) {
  std::string tasks;
  for (int i = 0; i < 6; ++i)
    tasks += fmt::format(R"({}{{"id":"n{}","activity":"t","for_each":{{"$ref":"#/input"}},"input":1}})",
                         i == 0 ? "" : ",", i);
  RunHarness run{tasks};
  run.do_not_replay();
  run.page_by({});
  run.start(numbers(10'000));
  for (int i = 0; i < 200 && run.state() == RunState::running; ++i) run.advance(0s);
  EXPECT_EQ(run.state(), RunState::failed);
  EXPECT_NE(run.run().error->message.find("at most 50000 can be"), std::string::npos);
}

}  // namespace
}  // namespace pawl::core
