// Runs that wait: for time, for signals, for children.
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::NodeState;
using core::RunAction;
using core::RunEventType;
using core::RunState;
using Names = std::vector<std::string>;

using RunWait = RunTest;

TEST_P(RunWait, ASleepEndsAtItsTimeAndNotBefore) {
  define("nap", R"({"id":"s","type":"sleep","duration":"10s"},{"id":"b","activity":"t","after":["s"]})");
  const core::RunId run = start("nap");
  EXPECT_EQ(state_of(run), RunState::sleeping);
  EXPECT_EQ(run_of(run).wake_at, clock.now() + 10s);
  clock.advance(9s);
  tick();
  EXPECT_EQ(claimed(), Names{});
  clock.advance(1s);
  tick();
  EXPECT_EQ(state_of(run), RunState::running);
  EXPECT_EQ(work(), Names{"b"});
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunWait, TheTickerLearnsTheNextDueTime) {
  define("nap", R"({"id":"s","type":"sleep","duration":"10s"})");
  start("nap");
  EXPECT_EQ(engine().take_earliest_scheduled(), clock.now() + 10s);
  EXPECT_EQ(engine().sweeper().tick(100).next_due, clock.now() + 10s);
}

TEST_P(RunWait, ALaterSignalEndsTheWait) {
  define("ask", R"({"id":"w","type":"signal","signal":"ok"},
                   {"id":"b","activity":"t","after":["w"],"input":{"$ref":"#/tasks/w/output"}})");
  const core::RunId run = start("ask");
  EXPECT_EQ(state_of(run), RunState::sleeping);
  signal(run, "other");
  EXPECT_EQ(state_of(run), RunState::sleeping);
  EXPECT_EQ(signal(run, "ok", R"({"by":"me"})").state, RunState::running);
  claimed();
  EXPECT_EQ(held("b").task.payload.text, R"({"by":"me"})");
  complete_node("b");
  EXPECT_EQ(state_of(run), RunState::completed);
  const auto late = runs().signal_run({.run = {.id = run}, .signal = {.name = "ok"}});
  EXPECT_EQ(late.problem().code, core::ProblemCode::already_completed);
}

TEST_P(RunWait, EarlySignalsAreBufferedInOrder) {
  define("ask", R"({"id":"a","activity":"t"},
                   {"id":"w1","type":"signal","signal":"ok","after":["a"]},
                   {"id":"w2","type":"signal","signal":"ok","after":["w1"]})");
  const core::RunId run = start("ask");
  signal(run, "ok", "1", "first");
  signal(run, "ok", "7", "first");  // a duplicate
  signal(run, "ok", "2");
  complete_node("a");
  EXPECT_EQ(state_of(run), RunState::completed);
  EXPECT_EQ(node_of(run, "w1").output.text, "1");
  EXPECT_EQ(node_of(run, "w2").output.text, "2");
  EXPECT_EQ(nodes_of(run, RunEventType::signal_received).size(), 2U);
}

// A client that lost the answer repeats the signal, and the run may have ended meanwhile.
TEST_P(RunWait, ARepeatedSignalIsAcceptedAfterTheRunHasEnded) {
  define("wait", R"({"id":"ok","type":"signal","signal":"approved"})");
  const core::RunId run = start("wait");
  signal(run, "approved", "1", "k");
  ASSERT_EQ(state_of(run), RunState::completed);
  const std::size_t before = events(run).size();
  EXPECT_EQ(signal(run, "approved", "1", "k").state, RunState::completed);
  EXPECT_EQ(events(run).size(), before);
  core::SignalRun other{.run = {.id = run}};
  other.signal = {.name = "approved", .payload = {"1"}, .idempotency_key = "other"};
  EXPECT_EQ(runs().signal_run(other).problem().code, core::ProblemCode::already_completed);
}

TEST_P(RunWait, ASignalWithAnOutdatedSequenceIsRejected) {
  define("wait", R"({"id":"ok","type":"signal","signal":"approved"})");
  const core::RunId run = start("wait");
  core::SignalRun approve{.run = {.id = run}};
  approve.signal = {.name = "approved", .idempotency_key = "k", .expected_sequence = 999};
  EXPECT_EQ(runs().signal_run(approve).problem().code, core::ProblemCode::precondition_failed);
  const auto sequence = run_of(run).sequence;
  approve.signal.expected_sequence = sequence;
  ASSERT_TRUE(runs().signal_run(approve).ok());
  EXPECT_EQ(state_of(run), RunState::completed);
  EXPECT_TRUE(runs().signal_run(approve).ok()) << "a repeated signal changes nothing";
}

TEST_P(RunWait, ASignalTimeoutFailsItsTask) {
  define("ask", R"({"id":"w","type":"signal","signal":"ok","timeout":"1h"})");
  const core::RunId run = start("ask");
  clock.advance(1h);
  tick();
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(run_of(run).error->code, "timeout");
}

TEST_P(RunWait, ADeadlineFailsTheRunAndStopsItsTasks) {
  define("late", R"({"id":"a","activity":"t"},{"id":"b","activity":"t"})", R"(,"deadline":"1m")");
  const core::RunId run = start("late");
  start_task("a");
  clock.advance(61s);
  EXPECT_EQ(engine().sweeper().tick(100).woken, 1);
  EXPECT_EQ(state_of(run), RunState::failing);  // its tasks are asked to stop and still held
  give_back("a");
  EXPECT_EQ(node_state(run, "a"), NodeState::cancelled);
  EXPECT_EQ(state_of(run), RunState::failing);
  give_back("b");
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(run_of(run).error->code, "deadline_exceeded");
  EXPECT_EQ(engine().sweeper().tick(100).woken, 0);
}

TEST_P(RunWait, AStuckRunIsReportedOncePerInterval) {
  define("long", R"({"id":"a","activity":"t"})");
  const core::RunId run = start("long");
  clock.advance(31min);
  const auto swept = api().sweep({.check = core::RecoveryCheck::stuck});
  ASSERT_TRUE(swept.ok());
  EXPECT_EQ(swept->changed, 1);
  EXPECT_EQ(events(run).back().type, RunEventType::recovery_started);
  EXPECT_EQ(events(run).back().actor.type, "recovery");
  EXPECT_EQ(api().sweep({.check = core::RecoveryCheck::stuck})->changed, 0);
}

// --- children ---

class RunChildren : public RunTest {
 public:
  void define_family(const std::string& more = "") {
    define("child", R"({"id":"c","activity":"t","retry":{"max_attempts":1}})",
           R"(,"output":{"$ref":"#/tasks/c/output"})");
    define("parent", R"({"id":"p","type":"workflow","workflow":"child","input":{"k":1})" + more +
                         R"(},{"id":"b","activity":"t","after":["p"]})");
  }
  core::RunId child_of(const core::RunId& run) { return *node_of(run, "p").child_id; }
};

TEST_P(RunChildren, SetTheOutputOfTheirTask) {
  define_family();
  const core::RunId run = start("parent");
  EXPECT_EQ(state_of(run), RunState::sleeping);
  const core::RunId child = child_of(run);
  EXPECT_EQ(run_of(child).facts.parent->run_id, run);
  claimed();
  EXPECT_EQ(held("c").task.payload.text, R"({"k":1})");
  complete_node("c", "5");
  EXPECT_EQ(state_of(child), RunState::completed);
  EXPECT_EQ(node_of(run, "p").output.text, "5");
  EXPECT_EQ(work(), Names{"b"});
  EXPECT_EQ(state_of(run), RunState::completed);
  const auto children = runs().list_runs({.query = {.parent = run}});
  ASSERT_EQ(children->items.size(), 1U);
  EXPECT_EQ(children->items[0].facts.id, child);
}

TEST_P(RunChildren, FailTheirParent) {
  define_family();
  const core::RunId run = start("parent");
  fail_node("c");
  EXPECT_EQ(state_of(child_of(run)), RunState::failed);
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(run_of(run).error->code, "boom");
}

TEST_P(RunChildren, DoNotFailTheirParentWithOnErrorContinue) {
  define_family(R"(,"on_error":"continue")");
  const core::RunId run = start("parent");
  fail_node("c");
  EXPECT_EQ(work(), Names{"b"});
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunChildren, AreCancelledWithTheirParent) {
  define_family();
  const core::RunId run = start("parent");
  const core::RunId child = child_of(run);
  act(run, RunAction::cancel);
  EXPECT_EQ(state_of(child), RunState::cancelled);
  EXPECT_EQ(state_of(run), RunState::cancelled);
  EXPECT_EQ(claimed(), Names{});
}

TEST_P(RunChildren, FailTheirParentWhenCancelled) {
  define_family();
  const core::RunId run = start("parent");
  act(child_of(run), RunAction::cancel);
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(run_of(run).error->code, "cancelled");
}

TEST_P(RunChildren, WithoutADefinitionAreCodeIfAWorkerOffersThem) {
  ASSERT_TRUE(api().register_worker({.worker_id = "w9", .workflow_types = {"notify"}}).ok());
  define("parent", R"({"id":"p","type":"workflow","workflow":"notify","input":{"k":1}})");
  const core::RunId run = start("parent");
  EXPECT_EQ(run_of(child_of(run)).facts.kind, core::RunKind::code);
  EXPECT_EQ(claimed(), Names{"body"});
  EXPECT_EQ(held("body").task.type, "workflow:notify");
  EXPECT_EQ(held("body").task.payload.text, R"({"k":1})");
  complete_node("body", "6");
  EXPECT_EQ(node_of(run, "p").output.text, "6");
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunChildren, OfAMissingWorkflowFailTheirTask) {
  define("orphan", R"({"id":"p","type":"workflow","workflow":"none"})");
  const core::RunId run = start("orphan");
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(run_of(run).error->code, "no_such_workflow");
}

TEST_P(RunChildren, OfAForEachAreOnePerElement) {
  define("leaf", R"({"id":"c","activity":"t"})");
  define("fan", R"({"id":"p","type":"workflow","workflow":"leaf","for_each":{"$ref":"#/input"},
                    "input":{"$ref":"#/item"}})");
  const core::RunId run = start("fan", "[1,2,3]");
  EXPECT_EQ(claim("w1", 10).size(), 3U);
  EXPECT_EQ(runs().list_runs({.query = {.parent = run}})->items.size(), 3U);
}

}  // namespace
PAWL_ON_EVERY_STORE(RunWait);
PAWL_ON_EVERY_STORE(RunChildren);
}  // namespace pawl::testing
