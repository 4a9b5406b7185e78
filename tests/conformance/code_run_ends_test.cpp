// How the engine suspends, stops and undoes code runs.

#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

using core::RunAction;
using core::RunState;
using core::StepAction;
using core::StepKind;
using core::StepWrite;

class CodeRunEnds : public CodeRunTest {};

TEST_P(CodeRunEnds, ASuspendedBodyWithNothingToUndoEndsWithItsRun) {
  for (const bool is_paused : {false, true}) {
    const core::RunId run = start_code();
    const core::ClaimedTask body = claim_body(run);
    complete_step(body, "look");
    StepWrite child = begin("child", StepKind::child);
    child.child = core::ChildSpec{.workflow = "other"};
    const core::StepAnswer begun = step(body, child);
    StepWrite nap = begin("nap", StepKind::sleep);
    nap.wait = 24h;
    EXPECT_TRUE(wait_for(body, nap));
    if (is_paused) act(run, RunAction::pause);
    EXPECT_EQ(act(run, RunAction::cancel).state, RunState::cancelled) << "without a worker";
    EXPECT_FALSE(has_body(run));
    EXPECT_EQ(run_of(run).error->code, "cancelled");
    EXPECT_EQ(state_of(*begun.now.child_id), RunState::cancelled);
  }
}

// A released attempt counts as none, as if the body had never been claimed.
TEST_P(CodeRunEnds, ABodyThatWasReleasedUndoesWhenItsRunIsCancelled) {
  for (const bool is_paused : {false, true}) {
    const core::RunId run = start_code();
    const core::ClaimedTask body = claim_body(run);
    complete_step(body, "reserve");
    if (is_paused) act(run, RunAction::pause);
    end_body(body, {.action = core::ReportAction::release});
    act(run, RunAction::cancel);
    const core::ClaimedTask unwinding = claim_body(run);
    ASSERT_NE(unwinding.memo, nullptr);
    EXPECT_EQ(unwinding.memo->stop, core::StopReason::cancelled);
    step(unwinding, undo("release"));
    fail_body(unwinding, "cancelled");
    EXPECT_EQ(state_of(run), RunState::compensated);
  }
}

TEST_P(CodeRunEnds, ACanceledOrFailingRunIsNotParked) {
  const auto park = [&](const core::ClaimedTask& body) {
    return runs()
        .write_steps({.run_id = *body.task.run_id,
                      .body = body.task.id,
                      .fence = body.task.lease->fence,
                      .park = "expected 'a', found 'b'"})
        .problem()
        .code;
  };
  const core::RunId cancelled = start_code();
  const core::ClaimedTask stopped = claim_body(cancelled);
  act(cancelled, RunAction::cancel);
  EXPECT_EQ(park(stopped), core::ProblemCode::invalid_state);
  fail_body(stopped, "code_changed");
  EXPECT_EQ(state_of(cancelled), RunState::cancelled);

  const core::RunId late =
      runs()
          .start_run({.workflow = "order", .kind = core::RunKind::code, .deadline = core::Duration{10s}})
          ->run.facts.id;
  const core::ClaimedTask overdue = claim_body(late);
  clock.advance(10s);
  tick();
  EXPECT_EQ(park(overdue), core::ProblemCode::invalid_state);
  step(overdue, undo("release", StepAction::begin));
  EXPECT_EQ(state_of(late), RunState::compensating);
  EXPECT_EQ(park(overdue), core::ProblemCode::invalid_state);
}

TEST_P(CodeRunEnds, AFailedCompensationDoesNotPreventTheOthers) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "reserve");
  StepWrite broken = undo("release", StepAction::fail);
  broken.error = {.code = "boom", .message = "it did not work", .retryable = false};
  ASSERT_TRUE(write(body, {broken, undo("refund")}).ok());
  EXPECT_EQ(state_of(run), RunState::compensating);
  fail_body(body, "no_stock");
  const core::Run ended = run_of(run);
  EXPECT_EQ(ended.state, RunState::compensation_failed);
  EXPECT_EQ(ended.error->code, "no_stock") << "the original error stays";
  EXPECT_NE(ended.compensation_error->message.find("'release' failed: it did not work (boom)"),
            std::string::npos)
      << ended.compensation_error->message;
}

TEST_P(CodeRunEnds, AWaitCannotBeReportedByTheBody) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  StepWrite approval = begin("approval", StepKind::signal);
  approval.signal = "approved";
  step(body, approval);
  for (const StepAction action : {StepAction::complete, StepAction::fail}) {
    const auto refused = write(body, {{.action = action,
                                       .step_id = "approval",
                                       .is_kind_given = false,
                                       .error = {.code = "boom", .message = "no"}}});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.problem().code, core::ProblemCode::conflict);
  }
}

TEST_P(CodeRunEnds, ADeadlineEndsASuspendedBodyWithNothingToUndo) {
  const core::RunId run =
      runs()
          .start_run({.workflow = "order", .kind = core::RunKind::code, .deadline = core::Duration{1h}})
          ->run.facts.id;
  StepWrite nap = begin("nap", StepKind::sleep);
  nap.wait = 24h;
  EXPECT_TRUE(wait_for(claim_body(run), nap));
  clock.advance(1h);
  tick();
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(run_of(run).error->code, "deadline_exceeded");
  EXPECT_FALSE(has_body(run));
}

TEST_P(CodeRunEnds, ABodyThatWaitsForARetryOfAStepSleeps) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  EXPECT_TRUE(step(body, begin("unfinished")).should_execute);
  StepWrite again = failed("flaky", "boom", true);
  again.retry_after = 1h;
  const core::StepAnswer failed_once = step(body, again);
  EXPECT_TRUE(failed_once.scheduled_retry);
  const core::StepAnswer early = step(body, begin("flaky"));
  EXPECT_FALSE(early.should_execute);
  EXPECT_TRUE(early.scheduled_retry) << "it has not failed for good";
  ASSERT_TRUE(write(body, {}, core::SuspendBody{.until = failed_once.now.due_at})->is_suspended);
  EXPECT_EQ(state_of(run), RunState::sleeping);
  EXPECT_EQ(run_of(run).wake_at, failed_once.now.due_at);
  clock.advance(1h);
  tick();
  const core::ClaimedTask woken = claim_body(run);
  EXPECT_EQ(state_of(run), RunState::running);
  EXPECT_TRUE(step(woken, begin("flaky")).should_execute);
}

TEST_P(CodeRunEnds, ADuplicateFailureReportIsCountedOnce) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  StepWrite again = failed("flaky", "boom", true);
  again.retry_after = 0s;
  again.attempt = 1;
  EXPECT_EQ(step(body, again).now.attempt, 1);
  const core::StepAnswer told_again = step(body, again);
  EXPECT_TRUE(told_again.scheduled_retry);
  EXPECT_EQ(told_again.now.attempt, 1);
  again.attempt = 2;
  EXPECT_EQ(step(body, again).now.attempt, 2);
}

TEST_P(CodeRunEnds, AStepEndsWithTheKindOfItsBegin) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "reserve");
  EXPECT_TRUE(step(body, undo("release", StepAction::begin)).should_execute);
  step(body, {.action = StepAction::complete, .step_id = "release", .is_kind_given = false, .output = {"1"}});
  const auto mistaken = write(body, {{.action = StepAction::complete, .step_id = "release"}});
  EXPECT_EQ(mistaken.problem().code, core::ProblemCode::conflict) << "where the kind is said it is compared";
  fail_body(body);
  EXPECT_EQ(state_of(run), RunState::compensated);
}

TEST_P(CodeRunEnds, ABodyThatEndsBeforeItsCompensationLeavesItUndone) {
  for (const bool completes : {false, true}) {
    const core::RunId run = start_code();
    const core::ClaimedTask body = claim_body(run);
    complete_step(body, "reserve");
    EXPECT_TRUE(step(body, undo("release", StepAction::begin)).should_execute);
    if (completes) {
      complete_body(body);
    } else {
      fail_body(body);
    }
    EXPECT_EQ(state_of(run), RunState::compensation_failed);
    const core::Run ended = run_of(run);
    EXPECT_NE(ended.compensation_error->message.find("Not undone (1): release"), std::string::npos)
        << ended.compensation_error->message;
  }
}

TEST_P(CodeRunEnds, ABodyCannotSuspendWithoutAWait) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  core::WriteSteps command{.run_id = run, .body = body.task.id, .fence = body.task.lease->fence};
  command.suspend = core::SuspendBody{.always = true};
  const auto refused = runs().write_steps(command);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.problem().code, core::ProblemCode::invalid_argument);
  EXPECT_NE(refused.problem().detail.find("suspend"), std::string::npos) << refused.problem().detail;
  complete_step(body, "reserve");
  complete_body(body);
  EXPECT_EQ(state_of(run), RunState::completed) << "the body is still held";
}

PAWL_ON_EVERY_STORE(CodeRunEnds);

}  // namespace
}  // namespace pawl::testing
