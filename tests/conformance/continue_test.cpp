// A code run that continues as a new one: what the store shows of both, and the effect of a concurrent pause
// or stop.
#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

using core::RunState;

class ContinuedRuns : public CodeRunTest {
 public:
  void continue_body(const core::ClaimedTask& body, const std::string& input) {
    end_body(body, {.action = core::ReportAction::complete, .continue_as_new = core::RawJson{input}});
  }
};

TEST_P(ContinuedRuns, LinkToEachOther) {
  const core::RunId run = start_code("order", R"({"n":1})");
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "a");
  continue_body(body, R"({"n":2})");
  const core::Run first = run_of(run);
  EXPECT_EQ(first.state, RunState::completed);
  ASSERT_TRUE(first.continued_as);
  EXPECT_EQ(events(run).back().data.continued_as, first.continued_as);
  const core::Run next = run_of(*first.continued_as);
  EXPECT_EQ(next.state, RunState::running);
  EXPECT_EQ(next.facts.continued_from, run);
  EXPECT_EQ(next.facts.input.text, R"({"n":2})");
  const core::ClaimedTask again = claim_body(*first.continued_as);
  EXPECT_TRUE(again.memo->steps.empty());
  complete_body(again);
}

TEST_P(ContinuedRuns, PassOnTheirKey) {
  const core::StartRun start{
      .workflow = "order", .run_key = "one", .input = {"1"}, .kind = core::RunKind::code};
  const core::RunId run = runs().start_run(start)->run.facts.id;
  continue_body(claim_body(run), "2");
  const auto next = run_of(run).continued_as;
  ASSERT_TRUE(next);
  EXPECT_EQ(run_of(*next).facts.run_key, "one");
  const auto again = runs().start_run(start);
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->run.facts.id, *next);
}

TEST_P(ContinuedRuns, StartOnlyOneSuccessorForARepeatedReport) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  continue_body(body, "1");
  continue_body(body, "1");
  EXPECT_EQ(runs().list_runs({})->items.size(), 2U);
}

TEST_P(ContinuedRuns, StartTheirSuccessorAfterAPauseEnds) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  act(run, core::RunAction::pause);
  continue_body(body, "1");
  EXPECT_EQ(state_of(run), RunState::paused);
  act(run, core::RunAction::resume);
  continue_body(claim_body(run), "1");
  EXPECT_TRUE(run_of(run).continued_as);
}

TEST_P(ContinuedRuns, StartNoSuccessorWhenCancelled) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  act(run, core::RunAction::cancel);
  continue_body(body, "1");
  EXPECT_FALSE(run_of(run).continued_as);
  EXPECT_EQ(runs().list_runs({})->items.size(), 1U);
}

TEST_P(ContinuedRuns, AreNotAvailableToOrdinaryTasks) {
  enqueue({.type = "t"});
  const core::Task task = claim_one();
  const auto answer = report("w1", {.task_id = task.id,
                                    .fence = task.lease->fence,
                                    .action = core::ReportAction::complete,
                                    .continue_as_new = core::RawJson{"1"}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.problem().code, core::ProblemCode::invalid_argument);
}

PAWL_ON_EVERY_STORE(ContinuedRuns);

}  // namespace
}  // namespace pawl::testing
