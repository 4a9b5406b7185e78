// Canceled steps of code runs, and step begins that arrive late.
#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

using core::NodeState;
using core::RunState;
using core::StepAction;
using core::StepKind;
using core::StepWrite;

class CanceledSteps : public CodeRunTest {};

TEST_P(CanceledSteps, EndAndStopTheirTask) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  StepWrite nap = begin("nap", StepKind::sleep);
  nap.wait = 1h;
  StepWrite approval = begin("approval", StepKind::signal);
  approval.signal = "approved";
  StepWrite mail = begin("mail", StepKind::task);
  mail.task = core::TaskSpec{.type = "mail"};
  const auto begun = write(body, {nap, approval, mail});
  ASSERT_TRUE(begun.ok()) << begun.problem().detail;
  std::vector<StepWrite> cancels;
  for (const StepWrite& one : {nap, approval, mail, begin("lambda")})
    cancels.push_back({.action = StepAction::cancel, .step_id = one.step_id, .kind = one.kind});
  for (int times = 0; times < 2; ++times) {  // repeating the cancel changes nothing
    const auto written = write(body, cancels);
    ASSERT_TRUE(written.ok()) << written.problem().detail;
    for (const core::StepAnswer& answer : written->steps) {
      EXPECT_EQ(answer.now.state, NodeState::cancelled) << answer.step_id;
      EXPECT_EQ(answer.now.error->code, "cancelled");
      EXPECT_FALSE(answer.should_execute);
    }
  }
  ASSERT_TRUE(runs().signal_run({.run = {.id = run}, .signal = {.name = "approved", .payload = {"1"}}}).ok());
  for (const core::ClaimedTask& other : claim("w2", 10, 30s)) EXPECT_NE(other.task.type, "mail");
  lose();
  const core::ClaimedTask again = claim_body(run);
  EXPECT_EQ(again.memo->signals.size(), 1U) << "a canceled wait reads no signal";
  for (const core::StepMemo& memo : again.memo->steps) EXPECT_EQ(memo.state, NodeState::cancelled);
  complete_step(again, "done");
  const auto late = step(again, {.action = StepAction::cancel, .step_id = "done"});
  EXPECT_EQ(late.now.state, NodeState::completed) << "what has ended is not canceled";
  complete_body(again);
  EXPECT_EQ(run_of(run).state, RunState::completed);
}

TEST_P(CanceledSteps, CancelTheirChildRun) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  StepWrite child = begin("child", StepKind::child);
  child.child = core::ChildSpec{.workflow = "other", .input = {"1"}};
  const core::RunId child_run = *step(body, child).now.child_id;
  step(body, {.action = StepAction::cancel, .step_id = "child", .kind = StepKind::child});
  EXPECT_EQ(run_of(child_run).state, RunState::cancelled);
  complete_body(body);
  EXPECT_EQ(run_of(run).state, RunState::completed);
}

TEST_P(CanceledSteps, IgnoreABeginOfAnAttemptThatIsNotTheNext) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  const auto begin_attempt = [&](int attempt) {
    StepWrite one = begin("a");
    one.attempt = attempt;
    return step(body, one).now;
  };
  const auto events = [&] { return runs().list_run_events({.run = {.id = run}})->size(); };
  EXPECT_EQ(begin_attempt(1).state, NodeState::running);
  const std::size_t before = events();
  EXPECT_EQ(begin_attempt(1).attempt, 1);
  EXPECT_EQ(events(), before);
  StepWrite again_soon = failed("a");
  again_soon.retry_after = core::Duration{0};
  step(body, again_soon);
  EXPECT_EQ(begin_attempt(1).state, NodeState::pending) << "it ended before its begin arrived";
  EXPECT_EQ(begin_attempt(2).attempt, 2);
}

PAWL_ON_EVERY_STORE(CanceledSteps);

}  // namespace
}  // namespace pawl::testing
