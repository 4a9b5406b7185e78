// Runs under faults: a group is applied completely or not at all.
#include "tests/conformance/faults.hpp"
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::RunState;
using store::StoreError;
using store::Verb;
using Names = std::vector<std::string>;

class RunFaults : public RunTest {
 public:
  RunFaults() : faulty(node(), clock, 99) {}

  core::Result<core::ReportAnswer> complete_on_faulty(const std::string& node_id) {
    core::ReportTasks command{.worker_id = "w1"};
    command.reports.push_back(report_of(held(node_id).task, core::ReportAction::complete));
    auto answers = faulty.node.api().report(std::move(command));
    if (!answers) return answers.problem();
    return answers->front();
  }

  // Throws `kind` at the first `count` calls of the verb.
  void fail_at(Verb verb, StoreError::Kind kind, int count) {
    faulty.plan.on_verb = [=, left = count](Verb now) mutable {
      if (now == verb && left-- > 0) lose(kind);
    };
  }

  FaultyNode faulty;
};

TEST_P(RunFaults, AGroupWithAConflictIsRetriedAndAppliedOnce) {
  define("chain", R"({"id":"a","activity":"t"},{"id":"b","activity":"t","after":["a"]})");
  for (const Verb verb : {Verb::begin, Verb::load, Verb::runs, Verb::commit}) {
    const core::RunId run = start("chain");
    claimed();
    fail_at(verb, StoreError::Kind::retry, 3);
    ASSERT_TRUE(complete_on_faulty("a").ok());
    EXPECT_EQ(nodes_of(run, core::RunEventType::task_completed), Names{"a"});
    EXPECT_EQ(nodes_of(run, core::RunEventType::task_scheduled), (Names{"a", "b"}));
    EXPECT_EQ(work(), Names{"b"});
    EXPECT_EQ(state_of(run), RunState::completed);
  }
}

TEST_P(RunFaults, AFailedCommitLeavesNoTrace) {
  define("chain", R"({"id":"a","activity":"t"},{"id":"b","activity":"t","after":["a"]})");
  const core::RunId run = start("chain");
  claimed();
  const core::Run before = run_of(run);
  fail_at(Verb::commit, StoreError::Kind::internal, 1);
  EXPECT_FALSE(complete_on_faulty("a").ok());
  EXPECT_EQ(run_of(run), before);
  EXPECT_EQ(claimed(), Names{});
  ASSERT_TRUE(complete_on_faulty("a").ok());
  EXPECT_EQ(work(), Names{"b"});
}

TEST_P(RunFaults, ALateReportOfALostWorkerChangesNothing) {
  define("one", R"({"id":"a","activity":"t"})");
  const core::RunId run = start("one");
  const core::Task lost = claim("w9", 1, 10s).front().task;
  clock.advance(11s);
  tick();
  EXPECT_EQ(work(), Names{"a"});
  const std::int64_t sequence = run_of(run).sequence;
  EXPECT_EQ(report(lost, core::ReportAction::complete).problem().code, core::ProblemCode::stale_lease);
  EXPECT_EQ(run_of(run).sequence, sequence);
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunFaults, ASagaContinuesAfterACrashBetweenAnyTwoSteps) {
  define("saga", R"({"id":"a","activity":"t","compensate":"ua"},
                    {"id":"b","activity":"t","after":["a"],"compensate":"ub"},
                    {"id":"c","activity":"t","after":["b"],"retry":{"max_attempts":1}},
                    {"id":"ua","type":"compensation","activity":"u"},
                    {"id":"ub","type":"compensation","activity":"u"})");
  const core::RunId run = start("saga");
  complete_node("a");
  complete_node("b");
  fail_node("c");
  for (const std::string& undo : {std::string{"ub"}, std::string{"ua"}}) {
    ASSERT_EQ(claimed(), Names{undo});
    fail_at(Verb::commit, StoreError::Kind::internal, 1);
    EXPECT_FALSE(complete_on_faulty(undo).ok());
    ASSERT_TRUE(complete_on_faulty(undo).ok());
  }
  EXPECT_EQ(state_of(run), RunState::compensated);
  EXPECT_EQ(nodes_of(run, core::RunEventType::compensation_completed), (Names{"ub", "ua"}));
}

TEST_P(RunFaults, AJoinStartsOnceWhenTwoNodesCompleteItsPredecessors) {
  define("join", R"({"id":"a","activity":"t"},{"id":"b","activity":"t"},
                    {"id":"c","activity":"t","after":["a","b"]})");
  const auto other = another_node(5);
  const core::RunId run = start("join");
  claimed();
  core::ReportTasks command{.worker_id = "w1"};
  command.reports.push_back(report_of(held("a").task, core::ReportAction::complete));
  ASSERT_TRUE(other->api().report(command)->front().ok());
  complete_node("b");
  EXPECT_EQ(work(), Names{"c"});
  EXPECT_EQ(nodes_of(run, core::RunEventType::task_scheduled), (Names{"a", "b", "c"}));
  EXPECT_EQ(state_of(run), RunState::completed);
}

}  // namespace
PAWL_ON_EVERY_STORE(RunFaults);
}  // namespace pawl::testing
