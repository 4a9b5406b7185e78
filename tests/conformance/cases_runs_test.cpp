// Regression tests for other systems' bugs with graphs, steps, sagas and cancels (RELIABILITY B45 to B52).
#include <thread>

#include <fmt/format.h>

#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::NodeState;
using core::ReportAction;
using core::RunAction;
using core::RunEventType;
using core::RunState;
using Names = std::vector<std::string>;

class RunCases : public RunTest {
 public:
  // The commands for due timers that another node found, to be executed later.
  static std::vector<core::Command> found_due(DirectNode& node) {
    std::optional<core::TimePoint> next;
    return node.engine().sweeper().find_due(100, next);
  }
  core::Result<core::ReportAnswer> report_at(DirectNode& node, const std::string& node_id,
                                             ReportAction action) {
    return report_to(node.api(), "w1", report_of(held(node_id).task, action));
  }
  core::RunId start_saga() {
    define("saga", R"({"id":"a","activity":"t","compensate":"ua"},
                      {"id":"b","activity":"t","after":["a"],"compensate":"ub"},
                      {"id":"c","activity":"t","after":["b"],"compensate":"uc"},
                      {"id":"d","activity":"t","after":["c"],"retry":{"max_attempts":1}},
                      {"id":"ua","type":"compensation","activity":"u"},
                      {"id":"ub","type":"compensation","activity":"u"},
                      {"id":"uc","type":"compensation","activity":"u","retry":{"max_attempts":1}})");
    return start("saga");
  }
};

TEST_P(RunCases, B45_AStaleDecisionCreatesNoSecondTaskOrChild) {
  define("part", R"({"id":"x","activity":"t"})");
  define("naps", R"({"id":"s","type":"sleep","duration":"10s"},
                    {"id":"a","activity":"t","after":["s"]},
                    {"id":"p","type":"workflow","workflow":"part","after":["s"]})");
  const auto sweeper = another_node(2);
  const core::RunId run = start("naps");
  clock.advance(10s);
  auto stale = found_due(*sweeper);  // the sweeper stalls between its read and its write
  ASSERT_FALSE(stale.empty());
  tick();
  EXPECT_EQ(claimed(), (Names{"a", "x"}));
  (void)submit_group(*sweeper, std::move(stale));
  EXPECT_EQ(claimed(), Names{});
  EXPECT_EQ(nodes_of(run, RunEventType::task_scheduled), Names{"a"});
  EXPECT_EQ(nodes_of(run, RunEventType::child_started), Names{"p"});
  EXPECT_EQ(nodes_of(run, RunEventType::timer_fired), Names{"s"});
}

TEST_P(RunCases, B46_FiftyConcurrentCompletionsStartTheirJoinOnce) {
  std::string tasks;
  std::string after;
  for (int i = 0; i < 50; ++i) {
    tasks += fmt::format(R"({{"id":"n{}","activity":"t"}},)", i);
    after += fmt::format(R"({}"n{}")", after.empty() ? "" : ",", i);
  }
  define("join", tasks + R"({"id":"end","activity":"t","after":[)" + after + "]}");
  const core::RunId run = start("join");
  ASSERT_EQ(claimed().size(), 50U);
  const auto one = another_node(2);
  const auto two = another_node(3);
  const auto report_half = [this](DirectNode& node, int first) {
    for (int i = first; i < 50; i += 2) {
      core::Report report = report_of(held(fmt::format("n{}", i)).task, ReportAction::complete);
      EXPECT_TRUE(report_to(node.api(), "w1", report).ok());
    }
  };
  std::thread other{[&] { report_half(*one, 0); }};
  report_half(*two, 1);
  other.join();
  EXPECT_EQ(claimed(), Names{"end"});
  EXPECT_EQ(nodes_of(run, RunEventType::task_completed).size(), 50U);
  complete_node("end");
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunCases, B47_EmptyFanOutsSkippedTasksAndFailedBranchesReachTheEnd) {
  define("odd", R"({"id":"none","activity":"t","for_each":[]},
                   {"id":"skipped","activity":"t","when":{"$eq":[1,2]}},
                   {"id":"bad","activity":"t","on_error":"continue","retry":{"max_attempts":1}},
                   {"id":"join","activity":"t","after":["none","skipped","bad"]},
                   {"id":"gone","activity":"t","after":["skipped"]})");
  const core::RunId run = start("odd");
  fail_node("bad");
  EXPECT_EQ(work(), Names{"join"});
  EXPECT_EQ(state_of(run), RunState::completed);
  define("stops", R"({"id":"none","activity":"t","for_each":[]},
                     {"id":"bad","activity":"t","retry":{"max_attempts":1}},
                     {"id":"join","activity":"t","after":["none","bad"]})");
  const core::RunId failed = start("stops");
  fail_node("bad");
  EXPECT_EQ(state_of(failed), RunState::failed);
}

TEST_P(RunCases, B48_AnOutputIsStoredOnceAndStaysTheSameAfterLosses) {
  define("reads", R"({"id":"a","activity":"t"},
                     {"id":"b","activity":"t","after":["a"],"input":{"from":{"$ref":"#/tasks/a/output"}}})");
  const core::RunId run = start("reads");
  claimed();
  const core::Task first = held("a").task;
  const std::string output = R"({"z":1,"a":1.50,"id":9007199254740993})";
  complete_node("a", output);
  core::Report again = report_of(first, ReportAction::complete);
  again.output = {R"({"other":true})"};
  (void)report_to(api(), "w1", again);  // whatever the answer, nothing changes
  for (int tries = 0; tries < 3; ++tries) {
    const auto lost = claim("lost", 1, 5s);
    ASSERT_EQ(lost.size(), 1U);
    EXPECT_EQ(lost.front().task.payload.text, R"({"from":)" + output + "}");
    clock.advance(5s);
    tick();
    clock.advance(1min);  // the backoff before the retry
    tick();
  }
  EXPECT_EQ(node_of(run, "a").output.text, output);
  EXPECT_EQ(nodes_of(run, RunEventType::task_completed), Names{"a"});
}

TEST_P(RunCases, B49_CompensationsRunOnceInReverseOrderWhereverWorkersDie) {
  const core::RunId run = start_saga();
  for (const char* done : {"a", "b", "c"}) complete_node(done);
  fail_node("d");
  for (const std::string undo : {"uc", "ub", "ua"}) {
    const auto lost = claim("lost", 10, 5s);
    ASSERT_EQ(lost.size(), 1U) << "one at a time";
    EXPECT_EQ(lost.front().task.node_id, undo);
    if (undo != "uc") {  // uc has only one attempt
      clock.advance(5s);
      tick();
      clock.advance(1min);
      tick();
      EXPECT_EQ(claimed(), Names{undo});
      complete_node(undo);
    } else {
      ASSERT_TRUE(report_to(api(), "lost", report_of(lost.front().task, ReportAction::complete)).ok());
    }
  }
  EXPECT_EQ(state_of(run), RunState::compensated);
  EXPECT_EQ(nodes_of(run, RunEventType::compensation_completed), (Names{"uc", "ub", "ua"}));
}

TEST_P(RunCases, B50_ARunWithAFailedCompensationIsNeverReportedAsUndone) {
  const core::RunId failing = start_saga();
  for (const char* done : {"a", "b", "c"}) complete_node(done);
  fail_node("d");
  fail_node("uc");
  for (const char* undone : {"ub", "ua"}) complete_node(undone);
  EXPECT_EQ(state_of(failing), RunState::compensation_failed);
  EXPECT_EQ(nodes_of(failing, RunEventType::compensation_completed), (Names{"ub", "ua"}));
  // Without a handler for a compensation, the run stays compensating.
  const core::RunId waiting = start_saga();
  for (const char* done : {"a", "b", "c"}) complete_node(done);
  fail_node("d");
  clock.advance(24h);
  tick();
  EXPECT_EQ(state_of(waiting), RunState::compensating);
}

TEST_P(RunCases, B51_ACancelRacesACompletionWithOneWinnerVisibleToBoth) {
  define("one", R"({"id":"a","activity":"t"})");
  // Completion first: the cancel is rejected as too late.
  const core::RunId completed = start("one");
  complete_node("a");
  const auto late = runs().act_on_run({.run = {.id = completed}, .asked = {.action = RunAction::cancel}});
  EXPECT_EQ(late.problem().code, core::ProblemCode::already_completed);
  EXPECT_EQ(state_of(completed), RunState::completed);
  // Cancel first: the handler is asked to stop, and its report does not revive the run.
  const core::RunId cancelled = start("one");
  claimed();
  EXPECT_EQ(act(cancelled, RunAction::cancel).state, RunState::cancelled);
  const auto beat = report(held("a").task, ReportAction::heartbeat);
  ASSERT_TRUE(beat.ok());
  EXPECT_TRUE(beat->cancel_requested);
  const std::int64_t sequence = run_of(cancelled).sequence;
  EXPECT_EQ(report(held("a").task, ReportAction::complete)->status, core::TaskStatus::completed);
  EXPECT_EQ(state_of(cancelled), RunState::cancelled);
  EXPECT_EQ(run_of(cancelled).sequence, sequence);
}

TEST_P(RunCases, B51_ACancelAndACompletionInOneGroupLeaveOneOutcome) {
  define("one", R"({"id":"a","activity":"t"})");
  for (const bool is_cancel_first : {true, false}) {
    const core::RunId run = start("one");
    claimed();
    core::ReportTasks report{.worker_id = "w1"};
    report.reports.push_back(report_of(held("a").task, ReportAction::complete));
    core::Command cancel = core::ActOnRun{.run = {.id = run}, .asked = {.action = RunAction::cancel}};
    std::vector<core::Command> group;
    group.push_back(is_cancel_first ? cancel : core::Command{report});
    group.push_back(is_cancel_first ? core::Command{report} : cancel);
    const auto answers = submit_group(node(), std::move(group));
    EXPECT_EQ(state_of(run), is_cancel_first ? RunState::cancelled : RunState::completed);
    EXPECT_EQ(answers[is_cancel_first ? 0 : 1].answer().ok(), is_cancel_first);
    (void)report_at(node(), "a", ReportAction::release);  // the run has ended, whatever this report returns
  }
}

TEST_P(RunCases, B52_AnOutputIsStoredUnchangedOrRejectedWithTheTaskStillHeld) {
  define("one", R"({"id":"a","activity":"t","retry":{"max_attempts":1}})",
         R"(,"output":{"$ref":"#/tasks/a/output"})");
  const std::vector<std::string> kept{
      R"("\u0000")", "1e400", "-0", R"({"a":1,"a":2})", "9223372036854775807", R"("\ud83d\ude00")"};
  for (const std::string& output : kept) {
    const core::RunId run = start("one");
    complete_node("a", output);
    EXPECT_EQ(run_of(run).output.text, output);
  }
  const std::vector<std::string> bad{std::string{"\"\0\"", 3}, R"("\ud800")", "\"\xff\"", "{",
                                     "\"\xed\xa0\x80\""};
  for (const std::string& output : bad) {
    const core::RunId run = start("one");
    claimed();
    core::Report report = report_of(held("a").task, ReportAction::complete);
    report.output = {output};
    EXPECT_EQ(report_to(api(), "w1", report).problem().code, core::ProblemCode::invalid_argument);
    EXPECT_EQ(node_state(run, "a"), NodeState::pending) << "nothing was written";
    fail_node("a");  // an unstorable output fails like any other failure
    EXPECT_EQ(state_of(run), RunState::failed);
  }
}

}  // namespace
PAWL_ON_EVERY_STORE(RunCases);
}  // namespace pawl::testing
