// Runs that fail or are canceled after completed steps, waits, open runs, and the actions allowed in each
// state.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/run/run_machine.hpp"
#include "tests/core/definitions.hpp"
#include "tests/core/run_harness.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using testing::RunHarness;
using Names = std::vector<std::string>;

// Two parallel tasks with a compensation, followed by one without.
const std::string kSaga = R"({"id":"a","activity":"t","compensate":"undo_a"},
  {"id":"b","activity":"t","compensate":"undo_b"},
  {"id":"c","activity":"t","after":["a","b"]},
  {"id":"undo_a","type":"compensation","activity":"u","retry":{"max_attempts":7}},
  {"id":"undo_b","type":"compensation","activity":"u"})";

TEST(ASaga, UndoesInReverseOrderOfCompletionWithTheOutputsAsInput) {
  RunHarness run{kSaga};
  run.start();
  run.complete("b", R"({"id":2})");
  run.complete("a", R"({"id":1})");
  run.fail("c");
  EXPECT_EQ(run.state(), RunState::compensating);
  EXPECT_EQ(run.claimable(), Names{"undo_a"}) << "one at a time";
  EXPECT_EQ(run.task("undo_a").made.spec.payload.text, R"({"id":1})");
  EXPECT_EQ(run.task("undo_a").made.spec.retry.max_attempts, 7);
  run.lose("undo_a");
  EXPECT_EQ(run.state(), RunState::compensating) << "it is tried again";
  run.complete("undo_a");
  EXPECT_EQ(run.claimable(), Names{"undo_b"});
  run.complete("undo_b");
  EXPECT_EQ(run.state(), RunState::compensated);
  EXPECT_EQ(run.run().error->code, "boom") << "why it failed";
  EXPECT_EQ(run.nodes_of(RunEventType::compensation_completed), (Names{"undo_a", "undo_b"}));
  EXPECT_EQ(run.parent_outcomes().back().state, RunState::compensated);
}

// A saga whose undo_b, the first of its two compensations, has failed.
void fail_undo_of_b(RunHarness& run) {
  run.start();
  run.complete("a");
  run.complete("b");
  run.fail("c", "no_stock");
  run.fail("undo_b", "refused");
}

TEST(ASaga, RunsTheRemainingCompensationsAfterOneFailed) {
  RunHarness run{kSaga};
  fail_undo_of_b(run);
  EXPECT_EQ(run.state(), RunState::compensating);
  EXPECT_EQ(run.claimable(), Names{"undo_a"});
  run.complete("undo_a");
  EXPECT_EQ(run.state(), RunState::compensation_failed);
  EXPECT_EQ(run.run().error->code, "no_stock") << "the original error stays";
  ASSERT_TRUE(run.run().compensation_error);
  EXPECT_EQ(run.run().compensation_error->code, "compensation_failed");
  EXPECT_NE(run.run().compensation_error->message.find("'undo_b' failed"), std::string::npos);
  EXPECT_NE(run.run().compensation_error->message.find("Not undone (1): undo_b"), std::string::npos)
      << run.run().compensation_error->message;
}

TEST(ASaga, RetriesOnlyTheFailedCompensation) {
  RunHarness run{kSaga};
  fail_undo_of_b(run);
  run.complete("undo_a");
  ASSERT_TRUE(run.act(RunAction::retry));
  EXPECT_EQ(run.state(), RunState::compensating);
  EXPECT_FALSE(run.run().compensation_error);
  EXPECT_EQ(run.claimable(), Names{"undo_b"});
  run.complete("undo_b");
  EXPECT_EQ(run.state(), RunState::compensated);
  EXPECT_EQ(run.run().error->code, "no_stock");
}

TEST(ASaga, RetriesSeveralFailedCompensationsInReverseOrder) {
  RunHarness run{kSaga};
  fail_undo_of_b(run);
  run.fail("undo_a", "refused");
  ASSERT_EQ(run.state(), RunState::compensation_failed);
  ASSERT_TRUE(run.act(RunAction::retry));
  EXPECT_EQ(run.claimable(), Names{"undo_b"});
  run.complete("undo_b");
  EXPECT_EQ(run.claimable(), Names{"undo_a"});
  run.complete("undo_a");
  EXPECT_EQ(run.state(), RunState::compensated);
}

TEST(ASaga, IsCompensatedWhenTheFailedCompensationsAreSkipped) {
  RunHarness run{kSaga};
  fail_undo_of_b(run);
  run.fail("undo_a", "refused");
  const Status unnamed = run.skip(std::nullopt);
  EXPECT_EQ(unnamed.problem().code, ProblemCode::invalid_argument) << "two have failed";
  EXPECT_NE(unnamed.problem().detail.find("undo_a"), std::string::npos) << unnamed.problem().detail;
  EXPECT_EQ(run.skip("c").problem().code, ProblemCode::invalid_argument) << "it is no compensation";
  ASSERT_TRUE(run.skip("undo_b"));
  EXPECT_EQ(run.state(), RunState::compensation_failed);
  EXPECT_EQ(run.state_of("undo_b"), NodeState::skipped);
  ASSERT_TRUE(run.skip(std::nullopt));
  EXPECT_EQ(run.state(), RunState::compensated);
  EXPECT_FALSE(run.run().compensation_error);
  EXPECT_EQ(run.run().error->code, "no_stock");
}

TEST(ATermination, EndsARunWithoutUndoAndWithoutItsWorkers) {
  RunHarness run{kSaga};
  run.start();
  run.complete("a");
  run.claim("b");
  ASSERT_TRUE(run.act(RunAction::terminate));
  EXPECT_EQ(run.state(), RunState::cancelled);
  EXPECT_EQ(run.run().error->code, "terminated");
  EXPECT_TRUE(run.tasks().empty()) << "leases are revoked";
  EXPECT_EQ(run.act(RunAction::terminate).problem().code, ProblemCode::already_completed);
}

TEST(ATermination, EndsARunThatIsBeingCompensated) {
  RunHarness run{kSaga};
  run.start();
  run.complete("a");
  run.fail("b");
  run.claim("undo_a");
  ASSERT_EQ(run.state(), RunState::compensating);
  ASSERT_TRUE(run.act(RunAction::terminate));
  EXPECT_EQ(run.state(), RunState::cancelled);
  EXPECT_TRUE(run.tasks().empty());
}

TEST(ASaga, WithoutACompletedTaskEndsAsFailed) {
  RunHarness run{kSaga};
  run.start();
  run.fail("a");
  EXPECT_EQ(run.state(), RunState::failed);
}

TEST(ASaga, WaitsForHeldTasksAndUndoesThoseThatComplete) {
  RunHarness run{kSaga};
  run.start();
  run.claim("b");
  run.fail("a");
  EXPECT_EQ(run.state(), RunState::failing);
  run.complete("b");
  EXPECT_EQ(run.state(), RunState::compensating);
  run.complete("undo_b");
  EXPECT_EQ(run.state(), RunState::compensated);
}

TEST(ASaga, IsNotEndedByItsDeadline) {
  RunHarness run{kSaga, R"(,"deadline":"1m")"};
  run.start();
  run.complete("a");
  run.advance(1min);
  EXPECT_EQ(run.state(), RunState::compensating);
  run.advance(1h);
  run.complete("undo_a");
  EXPECT_EQ(run.state(), RunState::compensated);
  EXPECT_EQ(run.run().error->code, "deadline_exceeded");
}

TEST(ASaga, UndoesTheCompletedElementsOfAForEach) {
  RunHarness run{R"({"id":"a","activity":"t","for_each":[1,2,3],"compensate":"undo"},
                    {"id":"undo","type":"compensation","activity":"u"})"};
  run.start();
  run.complete("a[2]", "30");
  run.complete("a[0]", "10");
  run.fail("a[1]");
  EXPECT_EQ(run.task("undo[0]").made.spec.payload.text, "10");
  run.complete("undo[0]");
  EXPECT_EQ(run.task("undo[2]").made.spec.payload.text, "30");
  run.complete("undo[2]");
  EXPECT_EQ(run.state(), RunState::compensated);
}

TEST(ASaga, RequestedByAnOperatorUndoesAFailedRun) {
  RunHarness run{kSaga, R"(,"on_failure":"fail")"};
  run.start();
  run.complete("a");
  run.fail("b");
  ASSERT_EQ(run.state(), RunState::failed);
  ASSERT_TRUE(run.act(RunAction::compensate));
  EXPECT_EQ(run.state(), RunState::compensating);
  run.complete("undo_a");
  EXPECT_EQ(run.state(), RunState::compensated);

  RunHarness nothing{kSaga};
  nothing.start();
  nothing.fail("a");
  EXPECT_EQ(nothing.act(RunAction::compensate).problem().code, ProblemCode::invalid_state);
}

TEST(ACancel, WithNothingToUndoEndsTheRunImmediately) {
  RunHarness run{R"({"id":"a","activity":"t"},{"id":"b","activity":"t"},
                    {"id":"w","type":"workflow","workflow":"y"},{"id":"s","type":"signal","signal":"x"})"};
  run.start();
  run.claim("a");
  ASSERT_TRUE(run.act(RunAction::cancel));
  EXPECT_EQ(run.state(), RunState::cancelled);
  EXPECT_TRUE(run.task("a").is_stop_requested);
  EXPECT_EQ(run.stopped_children(), Names{"w"});
  const auto ended = run.run();
  run.complete("a");
  run.finish_child("w", RunState::cancelled);
  EXPECT_EQ(run.run(), ended) << "what was cut loose changes nothing";
  EXPECT_EQ(run.run().counts.live(), 0);
}

TEST(ACancel, OfARunWithCompletedTasksUndoesThem) {
  RunHarness run{kSaga};
  run.start();
  run.complete("a");
  run.claim("b");
  ASSERT_TRUE(run.act(RunAction::cancel));
  EXPECT_EQ(run.state(), RunState::failing);
  run.stop("b");
  EXPECT_EQ(run.state(), RunState::compensating);
  run.complete("undo_a");
  EXPECT_EQ(run.state(), RunState::compensated);
  EXPECT_EQ(run.run().error->code, "cancelled");
}

TEST(ACancel, WaitsForHeldTasksThatHaveACompensation) {
  for (const bool completes : {false, true}) {
    RunHarness run{kSaga};
    run.start();
    run.claim("a");
    ASSERT_TRUE(run.act(RunAction::cancel));
    EXPECT_EQ(run.state(), RunState::running);
    EXPECT_TRUE(run.run().cancel_requested);
    EXPECT_FALSE(run.act(RunAction::pause)) << "it is being cancelled";
    EXPECT_FALSE(run.signal("x"));
    if (completes) {
      run.complete("a");
      EXPECT_EQ(run.state(), RunState::compensating);
    } else {
      run.stop("a");
      EXPECT_EQ(run.state(), RunState::cancelled);
    }
  }
}

TEST(AnOrder, RunsAsTheExampleShows) {
  RunHarness run{*parse_definition(testing::kOrderFulfilment)};
  run.start(R"({"total":12.50,"parcels":["p1","p2"]})");
  run.complete("reserve_inventory", R"({"id":"r1"})");
  EXPECT_EQ(run.task("process_payment").made.spec.payload.text, R"({"amount":12.50,"reservation":"r1"})");
  run.complete("process_payment");
  EXPECT_EQ(run.state(), RunState::sleeping);
  EXPECT_EQ(run.run().wake_at, run.clock.now() + 24h * 7) << "the signal's timeout";
  ASSERT_TRUE(run.signal("approved", R"({"ok":true})"));
  EXPECT_EQ(run.run().wake_at, run.clock.now() + 10s);
  run.advance(10s);
  EXPECT_EQ(run.claimable(), (Names{"ship_order[0]", "ship_order[1]"}));
  run.complete("ship_order[0]", "1");
  run.complete("ship_order[1]", "2");
  EXPECT_EQ(run.state(), RunState::sleeping) << "it waits for its child";
  EXPECT_EQ(run.children().at("notify").workflow, "notify-customer");
  run.finish_child("notify", RunState::failed);
  EXPECT_EQ(run.state(), RunState::completed) << "on_error: continue";
  EXPECT_EQ(run.run().output.text, "[1,2]");
}

TEST(ASignal, IsBufferedAndConsumedInOrder) {
  RunHarness run{R"({"id":"a","activity":"t"},{"id":"s","type":"signal","signal":"go","after":["a"]},
                    {"id":"r","type":"signal","signal":"go","after":["s"]})"};
  run.start();
  ASSERT_TRUE(run.signal("go", "1", "k1"));
  ASSERT_TRUE(run.signal("other", "9"));
  ASSERT_TRUE(run.signal("go", "1", "k1"));
  EXPECT_EQ(run.nodes_of(RunEventType::signal_received).size(), 2U)
      << "the same key again is the same signal";
  run.complete("a");
  EXPECT_EQ(run.node_of("s").output.text, "1") << "it came before the wait";
  EXPECT_EQ(run.state_of("r"), NodeState::waiting);
  EXPECT_EQ(run.state(), RunState::sleeping);
  ASSERT_TRUE(run.signal("go", "2"));
  EXPECT_EQ(run.node_of("r").output.text, "2");
  EXPECT_EQ(run.state(), RunState::completed);
  EXPECT_EQ(run.signal("go").problem().code, ProblemCode::already_completed);
}

TEST(ASignal, GoesToTheTaskThatHasWaitedLongest) {
  RunHarness run{R"({"id":"late","type":"signal","signal":"go","after":["a"]},{"id":"a","activity":"t"},
                    {"id":"early","type":"signal","signal":"go"})"};
  run.start();
  run.complete("a");
  ASSERT_TRUE(run.signal("go", "1"));
  EXPECT_EQ(run.state_of("early"), NodeState::completed);
  EXPECT_EQ(run.state_of("late"), NodeState::waiting);
}

TEST(ASignal, FailsItsTaskIfItArrivesTooLate) {
  RunHarness run{R"({"id":"s","type":"signal","signal":"go","timeout":"1h"})"};
  run.start();
  run.advance(1h - 1us);
  EXPECT_EQ(run.state(), RunState::sleeping);
  run.advance(1us);
  EXPECT_EQ(run.state(), RunState::failed);
  EXPECT_EQ(run.run().error->code, "timeout");
  EXPECT_EQ(run.nodes_of(RunEventType::task_timed_out), Names{"s"});
}

TEST(ASignal, WhilePausedIsConsumedAndItsSuccessorsAreHeld) {
  RunHarness run{R"({"id":"s","type":"signal","signal":"go"},{"id":"a","activity":"t","after":["s"]})"};
  run.start();
  ASSERT_TRUE(run.act(RunAction::pause));
  ASSERT_TRUE(run.signal("go"));
  EXPECT_EQ(run.state_of("s"), NodeState::completed);
  EXPECT_TRUE(run.claimable().empty());
  ASSERT_TRUE(run.act(RunAction::resume));
  EXPECT_EQ(run.claimable(), Names{"a"});
}

TEST(Sleeps, FireInOrderAndOnce) {
  RunHarness run{R"({"id":"a","type":"sleep","duration":"2h"},{"id":"b","type":"sleep","duration":"1h"})"};
  run.start();
  EXPECT_EQ(run.run().wake_at, run.clock.now() + 1h);
  run.advance(1h);
  EXPECT_EQ(run.state(), RunState::sleeping);
  EXPECT_EQ(run.run().wake_at, run.clock.now() + 1h) << "of the one that is left";
  run.advance(5h);
  EXPECT_EQ(run.state(), RunState::completed);
  EXPECT_EQ(run.nodes_of(RunEventType::timer_fired), (Names{"b", "a"}));
}

TEST(Sleeps, DoNotEndEarly) {
  RunHarness run{R"({"id":"a","type":"sleep","duration":"2h"})"};
  run.start();
  const core::Run before = run.run();
  run.fire("a");
  EXPECT_EQ(run.run(), before);
}

TEST(AChild, FailsItsTaskAndARetryStartsAnotherChild) {
  RunHarness run{R"({"id":"w","type":"workflow","workflow":"y","timeout":"1h","input":{"x":1}})"};
  run.start();
  EXPECT_EQ(run.children().at("w").deadline_at, run.clock.now() + 1h);
  EXPECT_EQ(run.children().at("w").input.text, R"({"x":1})");
  const RunId first = run.children().at("w").child_id;
  run.finish_child("w", RunState::failed);
  EXPECT_EQ(run.state(), RunState::failed);
  EXPECT_EQ(run.run().error->code, "below") << "as it says";
  ASSERT_TRUE(run.act(RunAction::retry));
  EXPECT_NE(run.children().at("w").child_id, first);
  run.finish_child("w", RunState::completed, "3");
  EXPECT_EQ(run.run().output.text, R"({"w":3})");
}

TEST(AChild, ReplacedByARetryDoesNotEndTheTaskOfItsSuccessor) {
  RunHarness run{R"({"id":"w","type":"workflow","workflow":"y"})"};
  run.start();
  const RunId first = run.children().at("w").child_id;
  run.finish_child("w", RunState::failed);
  ASSERT_TRUE(run.act(RunAction::retry));
  const core::Run before = run.run();
  run.report_child({.child_id = first, .node = {.index = 0}, .state = RunState::completed, .output = {"1"}});
  EXPECT_EQ(run.run(), before);
}

TEST(AnOpenRun, AcceptsTasksOneByOneAndKeepsTheirOrder) {
  RunHarness run{RunHarness::OpenRun{}};
  run.start();
  EXPECT_EQ(run.state(), RunState::running);
  const std::string a = *run.add();
  const std::string b = *run.add({a});
  EXPECT_EQ(run.claimable(), Names{a});
  EXPECT_EQ(run.act(RunAction::complete).problem().code, ProblemCode::invalid_state) << "two have not ended";
  run.complete(a);
  EXPECT_EQ(run.claimable(), Names{b});
  run.complete(b);
  EXPECT_EQ(run.state(), RunState::running) << "more may come";
  const std::string c = *run.add({a, b});
  run.complete(c);
  ASSERT_TRUE(run.act(RunAction::complete));
  EXPECT_EQ(run.state(), RunState::completed);
  EXPECT_EQ(run.add().problem().code, ProblemCode::invalid_state);
}

TEST(AnOpenRun, CancelsTheSuccessorsOfAFailedTaskAndStaysOpen) {
  RunHarness run{RunHarness::OpenRun{}};
  run.start();
  const std::string a = *run.add();
  const std::string b = *run.add({a});
  const std::string c = *run.add({b});
  const std::string d = *run.add();
  run.fail(a);
  EXPECT_EQ(run.state(), RunState::running);
  EXPECT_FALSE(run.has_task(b));
  EXPECT_FALSE(run.has_task(c));
  EXPECT_EQ(run.claimable(), Names{d});
  EXPECT_EQ(run.add({b}).problem().errors[0].field, "after[0]");
  EXPECT_EQ(run.add({"00000000-0000-7000-8000-000000000000"}).problem().errors[0].field, "after[0]");
}

TEST(AnOpenRun, WithAutoCompleteFailsIfATaskDidNotComplete) {
  for (const bool fails : {false, true}) {
    RunHarness run{RunHarness::OpenRun{.auto_complete = true}};
    run.start();
    const std::string a = *run.add();
    const std::string b = *run.add();
    run.complete(a);
    fails ? run.fail(b) : run.complete(b);
    EXPECT_EQ(run.state(), fails ? RunState::failed : RunState::completed);
  }
}

TEST(AnOpenRun, HoldsAddedTasksWhilePaused) {
  RunHarness run{RunHarness::OpenRun{}};
  run.start();
  ASSERT_TRUE(run.act(RunAction::pause));
  const std::string a = *run.add();
  EXPECT_TRUE(run.claimable().empty());
  ASSERT_TRUE(run.act(RunAction::resume));
  EXPECT_EQ(run.claimable(), Names{a});
  ASSERT_TRUE(run.act(RunAction::cancel));
  EXPECT_EQ(run.state(), RunState::cancelled);
}

// For each state and action, the resulting state. Pairs that are not listed are refused.
struct Allowed {
  RunState from;
  RunAction action;
  RunState to;
};
constexpr std::array kAllowed{
    Allowed{RunState::created, RunAction::cancel, RunState::cancelled},
    Allowed{RunState::running, RunAction::pause, RunState::paused},
    Allowed{RunState::running, RunAction::cancel, RunState::failing},
    Allowed{RunState::sleeping, RunAction::pause, RunState::paused},
    Allowed{RunState::sleeping, RunAction::cancel, RunState::failing},
    Allowed{RunState::paused, RunAction::resume, RunState::running},
    Allowed{RunState::paused, RunAction::cancel, RunState::failing},
    Allowed{RunState::failing, RunAction::retry, RunState::running},
    Allowed{RunState::failed, RunAction::retry, RunState::running},
    Allowed{RunState::failed, RunAction::compensate, RunState::compensating},
    Allowed{RunState::compensation_failed, RunAction::retry, RunState::compensating},
    Allowed{RunState::created, RunAction::terminate, RunState::cancelled},
    Allowed{RunState::running, RunAction::terminate, RunState::cancelled},
    Allowed{RunState::sleeping, RunAction::terminate, RunState::cancelled},
    Allowed{RunState::paused, RunAction::terminate, RunState::cancelled},
    Allowed{RunState::failing, RunAction::terminate, RunState::cancelled},
    Allowed{RunState::compensating, RunAction::terminate, RunState::cancelled},
};

TEST(AnAction, IsRejectedUnlessTheTableListsIt) {
  const auto definition = parse_definition(fmt::format(R"({{"name":"x","tasks":[{}]}})", kSaga));
  const Graph graph{*definition};
  for (int i = 0; i < kRunStateCount; ++i) {
    for (int j = 0; j < kRunActionCount; ++j) {
      const auto from = static_cast<RunState>(i);
      const auto action = static_cast<RunAction>(j);
      SCOPED_TRACE(fmt::format("{} {}", to_string(from), to_string(action)));
      // This needs a failed step: see ASaga.IsCompensatedWhenTheFailedCompensationsAreSkipped.
      if (action == RunAction::skip && from == RunState::compensation_failed) continue;
      RunHarness run{kSaga};
      run.start();
      run.complete("a");
      run.claim("b");
      WorkingRun working{{.definition = &*definition, .graph = &graph}, run.run(), &run};
      working.change_run().state = from;
      if (from == RunState::created) working.change_run().undoable = 0;
      if (from == RunState::created) working.change_run().facts.on_failure = OnFailure::fail;
      const auto decision = decide_action(working, {.action = action}, {.next_id = [] { return Uuid{}; }});
      const auto row = std::find_if(kAllowed.begin(), kAllowed.end(), [&](const Allowed& one) {
        return one.from == from && one.action == action;
      });
      ASSERT_EQ(decision.ok(), row != kAllowed.end());
      if (decision) {
        EXPECT_EQ(working.run().state, row->to);
        continue;
      }
      EXPECT_EQ(working.run().state, from) << "nothing is changed";
      EXPECT_TRUE(working.changed_nodes().empty());
      if (action == RunAction::complete) continue;
      EXPECT_EQ(decision.problem().code,
                is_closed(from) ? ProblemCode::already_completed : ProblemCode::invalid_state);
      EXPECT_NE(decision.problem().detail.find(to_string(from)), std::string::npos);
    }
  }
}

TEST(AnAction, ComparesTheExpectedSequence) {
  RunHarness run{kSaga};
  run.start();
  EXPECT_EQ(run.act(RunAction::pause, run.run().sequence + 1).problem().code,
            ProblemCode::precondition_failed);
  EXPECT_TRUE(run.act(RunAction::pause, run.run().sequence));
}

}  // namespace
}  // namespace pawl::core
