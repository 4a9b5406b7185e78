// Checkpoints of runs: stored beside the run, with an event in its log.
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;

class RunCheckpoints : public RunTest {
 public:
  core::Result<core::CheckpointAppended> append(const core::RunId& run, const std::string& type,
                                                const std::string& snapshot = "{}") {
    return api().append_checkpoint({.owner = run, .type = type, .snapshot = {snapshot}});
  }
};

TEST_P(RunCheckpoints, AreNumberedConsecutivelyAndLogged) {
  const core::RunId run = runs().open_run({})->run.facts.id;
  EXPECT_EQ(append(run, "iteration_start")->sequence, 1);
  const auto second = append(run, "iteration_end", R"({"n":1})");
  EXPECT_EQ(second->sequence, 2);
  const std::vector<core::RunEvent> log = events(run);
  ASSERT_GE(log.size(), 2U);
  EXPECT_EQ(log.back().type, core::RunEventType::checkpoint_written);
  EXPECT_EQ(log.back().data.detail.text,
            R"({"checkpoint_id":")" + second->checkpoint_id + R"(","type":"iteration_end","sequence":2})");
  EXPECT_EQ(run_of(run).sequence, log.back().sequence);
  const auto listed = api().list_checkpoints("default", run);
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_EQ(listed->at(1).snapshot.text, R"({"n":1})");
}

TEST_P(RunCheckpoints, LetAnAgentResumeAtTheLatestOfAType) {
  const core::RunId run = runs().open_run({})->run.facts.id;
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(append(run, "iteration_start", std::to_string(i)).ok());
    if (i == 3) break;  // the agent is killed
    ASSERT_TRUE(append(run, "iteration_end", std::to_string(i)).ok());
  }
  const auto latest = api().list_checkpoints({.owner = run, .type = "iteration_end", .latest = true});
  ASSERT_EQ(latest->size(), 1U);
  EXPECT_EQ(latest->at(0).snapshot.text, "2");
  const auto summary = api().summarize_checkpoints("default", run);
  EXPECT_EQ(summary->total, 5);
  EXPECT_EQ(summary->by_type,
            (std::map<std::string, std::int64_t>{{"iteration_end", 2}, {"iteration_start", 3}}));
}

TEST_P(RunCheckpoints, AreAcceptedAfterTheEnd) {
  const core::RunId run = runs().open_run({})->run.facts.id;
  act(run, core::RunAction::complete);
  EXPECT_EQ(append(run, "manual_checkpoint")->sequence, 1);
  EXPECT_EQ(state_of(run), core::RunState::completed);
}

TEST_P(RunCheckpoints, NeedARunInTheirNamespace) {
  const core::RunId run = runs().open_run({})->run.facts.id;
  EXPECT_EQ(append(core::RunId{}, "tool_executed").problem().code, ProblemCode::not_found);
  EXPECT_EQ(api().append_checkpoint({.ns = "other", .owner = run, .snapshot = {"1"}}).problem().code,
            ProblemCode::not_found);
  EXPECT_EQ(api().list_checkpoints("other", run).problem().code, ProblemCode::not_found);
  EXPECT_EQ(api().summarize_checkpoints("other", run).problem().code, ProblemCode::not_found);
}

TEST_P(RunCheckpoints, IncludeAnErrorBoundaryAfterALostLease) {
  define("flow", R"({"id":"a","activity":"t"})");
  start("flow");
  claimed();
  const core::TaskId task = held("a").task.id;
  clock.advance(1h);
  tick();
  const auto found = api().list_checkpoints({.owner = task, .type = "error_boundary", .latest = true});
  ASSERT_EQ(found->size(), 1U);
  EXPECT_NE(found->at(0).snapshot.text.find("ease expired"), std::string::npos) << found->at(0).snapshot.text;
}

PAWL_ON_EVERY_STORE(RunCheckpoints);

}  // namespace
}  // namespace pawl::testing
