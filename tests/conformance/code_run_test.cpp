// Code runs: the body writes steps, waits, loses its worker, continues, and undoes.
#include "core/run/run_graph.hpp"
#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

using core::NodeState;
using core::RunAction;
using core::RunState;
using core::StepAction;
using core::StepKind;
using core::StepWrite;
using core::StopReason;
using Names = std::vector<std::string>;

class CodeRun : public CodeRunTest {};

TEST_P(CodeRun, StepsArePassedToTheNextClaimOfTheBody) {
  const core::RunId run = start_code("order", R"({"total":5})");
  const core::ClaimedTask body = claim_body(run);
  EXPECT_EQ(body.task.type, "workflow:order");
  EXPECT_EQ(body.task.payload.text, R"({"total":5})");
  ASSERT_NE(body.memo, nullptr);
  EXPECT_TRUE(body.memo->steps.empty());
  complete_step(body, "reserve", R"({"id":7})");
  complete_step(body, "charge", "true");
  lose();
  const core::ClaimedTask again = claim_body(run);
  ASSERT_EQ(again.memo->steps.size(), 2U);
  EXPECT_EQ(again.memo->steps[0].step_id, "reserve");
  EXPECT_EQ(again.memo->steps[0].output.text, R"({"id":7})");
  EXPECT_EQ(again.memo->steps[1].step_id, "charge");
  complete_step(again, "ship");
  complete_body(again, R"("done")");
  EXPECT_EQ(run_of(run).state, RunState::completed);
  EXPECT_EQ(run_of(run).output.text, R"("done")");
}

TEST_P(CodeRun, ASecondCompletionChangesNothingAndReturnsTheFirstOutput) {
  const core::ClaimedTask body = claim_body(start_code());
  complete_step(body, "a", "1");
  const auto again = step(body, {.action = StepAction::complete, .step_id = "a", .output = {"2"}});
  EXPECT_EQ(again.now.output.text, "1");
  const auto begun = step(body, begin("a"));
  EXPECT_FALSE(begun.should_execute);
  EXPECT_EQ(begun.now.output.text, "1");
  EXPECT_EQ(write(body, {failed("a")}).problem().code, core::ProblemCode::already_completed);
}

TEST_P(CodeRun, AWorkerWithoutTheLeaseWritesNothing) {
  const core::RunId run = start_code();
  const core::ClaimedTask old = claim_body(run);
  lose();
  const core::ClaimedTask body = claim_body(run);
  EXPECT_EQ(write(old, {{.step_id = "late", .output = {"1"}}}).problem().code,
            core::ProblemCode::stale_lease);
  EXPECT_TRUE(write(body, {{.step_id = "good", .output = {"1"}}}).ok());
  const auto attempts = runs().list_steps({.id = run});
  ASSERT_TRUE(attempts.ok());
  ASSERT_EQ(attempts->size(), 1U);
  EXPECT_EQ(attempts->at(0).step_id, "good");
}

TEST_P(CodeRun, AFailedStepIsRetriedByItsPolicyAndThenFailsPermanently) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  StepWrite first = begin("charge");
  first.retry = core::RetryPolicy{.max_attempts = 2, .initial_interval = 10s, .jitter = 0};
  EXPECT_TRUE(step(body, first).should_execute);
  const auto failure = step(body, failed("charge"));
  EXPECT_TRUE(failure.scheduled_retry);
  EXPECT_EQ(failure.now.due_at, clock.now() + 10s);
  EXPECT_FALSE(step(body, begin("charge")).should_execute);  // too early
  clock.advance(10s);
  const auto second = step(body, begin("charge"));
  EXPECT_TRUE(second.should_execute);
  EXPECT_EQ(second.now.attempt, 2);
  EXPECT_FALSE(step(body, failed("charge")).scheduled_retry);
  EXPECT_EQ(step(body, begin("charge")).now.error->code, "boom");
  const auto attempts = runs().list_steps({.id = run});
  ASSERT_EQ(attempts->size(), 2U);
  EXPECT_FALSE(attempts->at(0).is_latest);
  EXPECT_EQ(attempts->at(0).retry_at, attempts->at(1).started_at);
  EXPECT_TRUE(attempts->at(1).is_latest);
  EXPECT_EQ(attempts->at(1).state, NodeState::failed);
}

TEST_P(CodeRun, AnInvalidBeginIsRejectedWithTheInvalidField) {
  const core::ClaimedTask body = claim_body(start_code());
  const auto field = [&](StepWrite one) {
    return write(body, {std::move(one)}).problem().errors.at(0).field;
  };
  EXPECT_EQ(field(begin("wait", StepKind::signal)), "input.signal");
  EXPECT_EQ(field(begin("nap", StepKind::sleep)), "input");
  StepWrite child = begin("child", StepKind::child);
  child.child = core::ChildSpec{};
  EXPECT_EQ(field(child), "input.workflow");
}

// The retry of the run reset the step, which has no task until the body begins it again.
TEST_P(CodeRun, ATaskOfAStepCannotBeRetriedAlone) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  StepWrite spawned = begin("spawned", StepKind::task);
  spawned.task = task_of("t");
  step(body, spawned);
  fail_node("spawned");
  fail_body(body);
  const auto failed = api().list_tasks({.query = {.statuses = {core::TaskStatus::failed}, .type = "t"}});
  ASSERT_EQ(failed->items.size(), 1U);
  act(run, RunAction::retry);
  EXPECT_EQ(api().retry_task("default", failed->items[0].id).problem().code,
            core::ProblemCode::invalid_state);
}

TEST_P(CodeRun, ASleepHoldsNoWorkerAndEndsByTheStoreClock) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  StepWrite nap = begin("nap", StepKind::sleep);
  nap.wait = 24h;
  EXPECT_TRUE(wait_for(body, nap));
  EXPECT_EQ(state_of(run), RunState::sleeping);
  EXPECT_EQ(run_of(run).wake_at, clock.now() + 24h);
  EXPECT_FALSE(has_body(run));
  clock.advance(24h);
  tick();
  EXPECT_EQ(state_of(run), RunState::running);
  const core::ClaimedTask again = claim_body(run);
  EXPECT_EQ(again.memo->steps.at(0).state, NodeState::completed);
  EXPECT_EQ(get(again.task.id).attempts.size(), 1U)
      << "to wait is no attempt: the one in progress is listed alone";
  complete_body(again);
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(CodeRun, ASignalWakesTheBodyOrIsBuffered) {
  const core::RunId run = start_code();
  signal(run, "early", "1");
  core::ClaimedTask body = claim_body(run);
  ASSERT_EQ(body.memo->signals.size(), 1U);
  EXPECT_EQ(body.memo->signals[0].name, "early");
  StepWrite early = begin("first", StepKind::signal);
  early.signal = "early";
  EXPECT_EQ(step(body, early).now.output.text, "1");
  StepWrite late = begin("second", StepKind::signal);
  late.signal = "late";
  EXPECT_TRUE(wait_for(body, late));
  signal(run, "other");
  EXPECT_FALSE(has_body(run));
  signal(run, "late", R"({"ok":true})");
  body = claim_body(run);
  EXPECT_EQ(body.memo->steps.at(1).output.text, R"({"ok":true})");
  ASSERT_EQ(body.memo->signals.size(), 1U);
  EXPECT_EQ(body.memo->signals[0].name, "other");
  StepWrite never = begin("third", StepKind::signal);
  never.signal = "never";
  never.wait = 1h;
  EXPECT_TRUE(wait_for(body, never));
  clock.advance(1h);
  tick();
  body = claim_body(run);
  EXPECT_EQ(body.memo->steps.back().error->code, "timeout");
  complete_body(body);
}

TEST_P(CodeRun, ABodyIsWokenByASignalThatItNames) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  EXPECT_TRUE(write(body, {}, core::SuspendBody{.signals = {"go"}})->is_suspended);
  signal(run, "other");
  EXPECT_FALSE(has_body(run));
  signal(run, "go");
  const core::ClaimedTask again = claim_body(run);
  EXPECT_EQ(again.memo->signals.size(), 2U);
  complete_body(again);
}

TEST_P(CodeRun, SpawnedTasksWakeTheBodyWhenAllHaveEnded) {
  const core::RunId run = start_code();
  core::ClaimedTask body = claim_body(run);
  std::vector<StepWrite> spawned;
  Names names;
  for (int i = 0; i < 3; ++i) {
    names.push_back("label#" + std::to_string(i));
    spawned.push_back(begin(names.back(), StepKind::task));
    spawned.back().task = task_of("shipping.label", std::to_string(i));
  }
  EXPECT_TRUE(write(body, spawned, core::SuspendBody{.steps = names, .wants_all = true})->is_suspended);
  const auto tasks = claim("w3", 10);
  ASSERT_EQ(tasks.size(), 3U);
  EXPECT_EQ(tasks[0].execution_key, to_string(run) + ":" + *tasks[0].task.node_id + ":1");
  for (const core::ClaimedTask& task : tasks) {
    EXPECT_FALSE(has_body(run));
    complete_body(task, task.task.payload.text);
  }
  body = claim_body(run);
  for (const core::StepMemo& one : body.memo->steps) EXPECT_EQ(one.state, NodeState::completed);
  complete_body(body);
}

TEST_P(CodeRun, AChildRunsAndItsEndWakesTheParent) {
  const core::RunId run = start_code();
  core::ClaimedTask body = claim_body(run);
  StepWrite child = begin("notify", StepKind::child);
  child.child = core::ChildSpec{.workflow = "notify", .input = {"5"}, .run_key = "n1"};
  EXPECT_TRUE(wait_for(body, child));
  const auto bodies = claim("w3", 10);
  ASSERT_EQ(bodies.size(), 1U);
  EXPECT_EQ(bodies[0].task.type, "workflow:notify");
  const core::Run of_child = run_of(*bodies[0].task.run_id);
  EXPECT_EQ(of_child.facts.kind, core::RunKind::code);
  EXPECT_EQ(of_child.facts.parent->node_id, "notify");
  EXPECT_EQ(of_child.facts.run_key, "n1");
  complete_body(bodies[0], R"("sent")");
  body = claim_body(run);
  EXPECT_EQ(body.memo->steps.at(0).output.text, R"("sent")");
  StepWrite second = begin("again", StepKind::child);
  second.child = core::ChildSpec{.workflow = "notify", .run_key = "n1"};
  EXPECT_EQ(step(body, second).step_id, "again");
  EXPECT_EQ(step(body, second).now.error->code, "conflict");
  complete_body(body);
}

TEST_P(CodeRun, UnawaitedStepsAreCancelledWhenTheBodyEnds) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  StepWrite spawned = begin("later", StepKind::task);
  spawned.task = task_of("t");
  step(body, spawned);
  StepWrite child = begin("child", StepKind::child);
  child.child = core::ChildSpec{.workflow = "other"};
  const core::StepAnswer begun = step(body, child);
  complete_body(body);
  EXPECT_EQ(state_of(run), RunState::completed);
  EXPECT_EQ(state_of(*begun.now.child_id), RunState::cancelled);
  EXPECT_TRUE(claim("w3").empty());
}

TEST_P(CodeRun, AFailedBodyFailsTheRunAndARetryResumesAtTheFailedStep) {
  const core::RunId run = start_code();
  core::ClaimedTask body = claim_body(run);
  complete_step(body, "good");
  step(body, failed("bad", "boom", false));
  fail_body(body);
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(run_of(run).error->code, "boom");
  act(run, RunAction::retry);
  body = claim_body(run);
  EXPECT_EQ(body.memo->stop, std::nullopt);
  EXPECT_FALSE(step(body, begin("good")).should_execute);
  EXPECT_TRUE(step(body, begin("bad")).should_execute);
  complete_step(body, "bad");
  complete_body(body);
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(CodeRun, ARunWhoseBodyNeverStartedIsCancelledImmediately) {
  const core::RunId run = start_code();
  EXPECT_EQ(act(run, RunAction::cancel).state, RunState::cancelled);
  EXPECT_FALSE(has_body(run));
}

TEST_P(CodeRun, AHeldBodyReceivesTheCancelAndEndsTheRun) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "a");
  EXPECT_EQ(act(run, RunAction::cancel).state, RunState::failing) << "it is visible at once";
  EXPECT_TRUE(report(body.task, core::ReportAction::heartbeat)->cancel_requested);
  EXPECT_EQ(write(body, {{.step_id = "b", .output = {"1"}}})->stop, StopReason::cancelled);
  fail_body(body, "cancelled");
  EXPECT_EQ(state_of(run), RunState::cancelled);
}

TEST_P(CodeRun, ABodyLostAfterACancelUnwindsOnAnotherWorker) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "a");
  act(run, RunAction::cancel);
  lose();
  const core::ClaimedTask again = claim_body(run);
  EXPECT_EQ(again.memo->stop, StopReason::cancelled);
  fail_body(again, "cancelled");
  EXPECT_EQ(state_of(run), RunState::cancelled);
}

TEST_P(CodeRun, ASuspendedBodyIsWokenToUndoItsSteps) {
  const core::RunId run = start_code();
  core::ClaimedTask body = claim_body(run);
  complete_step(body, "reserve");
  StepWrite nap = begin("nap", StepKind::sleep);
  nap.wait = 24h;
  EXPECT_TRUE(wait_for(body, nap, true));
  act(run, RunAction::cancel);
  body = claim_body(run);
  EXPECT_EQ(body.memo->stop, StopReason::cancelled);
  step(body, undo("release"));
  EXPECT_EQ(state_of(run), RunState::compensating);
  lose();  // while it undoes
  body = claim_body(run);
  EXPECT_EQ(body.memo->stop, StopReason::cancelled);
  EXPECT_FALSE(step(body, undo("release", StepAction::begin)).should_execute);
  fail_body(body, "cancelled");
  EXPECT_EQ(state_of(run), RunState::compensated);
  EXPECT_EQ(run_of(run).error->code, "cancelled");
}

TEST_P(CodeRun, AFailedRunCanBeUndoneByItsCodeOnRequest) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "reserve");
  fail_body(body);
  EXPECT_EQ(state_of(run), RunState::failed);
  act(run, RunAction::compensate);
  EXPECT_EQ(state_of(run), RunState::compensating);
  const core::ClaimedTask undoing = claim_body(run);
  ASSERT_NE(undoing.memo, nullptr);
  EXPECT_EQ(undoing.memo->stop, StopReason::compensate);
  ASSERT_EQ(undoing.memo->steps.size(), 1U);
  step(undoing, undo("release"));
  fail_body(undoing);
  EXPECT_EQ(state_of(run), RunState::compensated);
}

TEST_P(CodeRun, ACancelledWaitStartsAgainAfterARetry) {
  const core::RunId run = start_code();
  StepWrite nap = begin("nap", StepKind::sleep);
  nap.wait = 1h;
  const core::ClaimedTask body = claim_body(run);
  step(body, nap);
  fail_body(body);
  act(run, RunAction::retry);
  const core::ClaimedTask again = claim_body(run);
  const auto unbegun = write(again, {}, core::SuspendBody{.steps = {"nap"}});
  EXPECT_EQ(unbegun.problem().errors.at(0).field, "suspend.steps") << "it would never end";
  EXPECT_TRUE(wait_for(again, nap));
  clock.advance(1h);
  tick();
  complete_body(claim_body(run));
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(CodeRun, APermanentlyFailedCompensationIsReported) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "reserve");
  step(body, undo("refund"));
  StepWrite bad = undo("release", StepAction::fail);
  bad.error = {.code = "gone", .message = "no such thing", .retryable = false};
  step(body, bad);
  fail_body(body);
  EXPECT_EQ(state_of(run), RunState::compensation_failed);
  EXPECT_NE(run_of(run).compensation_error->message.find("'release' failed"), std::string::npos);
}

TEST_P(CodeRun, ADeadlineStopsTheBody) {
  const auto started =
      runs().start_run({.workflow = "order", .kind = core::RunKind::code, .deadline = core::Duration{1h}});
  const core::RunId run = started->run.facts.id;
  core::ClaimedTask body = claim_body(run);
  StepWrite wait = begin("wait", StepKind::signal);
  wait.signal = "ok";
  EXPECT_TRUE(wait_for(body, wait, true));
  clock.advance(1h);
  tick();
  body = claim_body(run);
  EXPECT_EQ(body.memo->stop, StopReason::deadline_exceeded);
  fail_body(body, "deadline_exceeded");
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(run_of(run).error->code, "deadline_exceeded");
}

TEST_P(CodeRun, ANodeWithACachedRunSeesTheChangesOfAnotherNode) {
  const auto started =
      runs().start_run({.workflow = "order", .kind = core::RunKind::code, .deadline = core::Duration{1h}});
  const core::RunId run = started->run.facts.id;
  StepWrite nap = begin("nap", StepKind::sleep);
  nap.wait = 24h;
  EXPECT_TRUE(wait_for(claim_body(run), nap, true));  // on this node, which caches the run
  const auto other = another_node(2);
  clock.advance(1h);
  (void)other->engine().sweeper().tick(100);  // the deadline: the body has another task now
  const auto unwinding = other->api().claim({.worker_id = "w1"});
  ASSERT_EQ(unwinding->size(), 1U);
  EXPECT_EQ(unwinding->front().memo->stop, StopReason::deadline_exceeded);
  fail_body(unwinding->front(), "deadline_exceeded");
  EXPECT_EQ(state_of(run), RunState::failed);
}

TEST_P(CodeRun, TheBodyOfAPausedRunContinuesWhenTheRunResumes) {
  const core::RunId run = start_code();
  core::ClaimedTask body = claim_body(run);
  StepWrite nap = begin("nap", StepKind::sleep);
  nap.wait = 10s;
  EXPECT_TRUE(wait_for(body, nap));
  act(run, RunAction::pause);
  clock.advance(10s);
  tick();
  EXPECT_FALSE(has_body(run));
  act(run, RunAction::resume);
  body = claim_body(run);
  EXPECT_EQ(body.memo->steps.at(0).state, NodeState::completed);
  complete_body(body);
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(CodeRun, APausedRunUnwindsWhenItIsCancelled) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "reserve");
  StepWrite nap = begin("nap", StepKind::sleep);
  nap.wait = 24h;
  EXPECT_TRUE(wait_for(body, nap, true));
  act(run, RunAction::pause);
  act(run, RunAction::cancel);
  const core::ClaimedTask unwinding = claim_body(run);
  ASSERT_NE(unwinding.memo, nullptr);
  EXPECT_EQ(unwinding.memo->stop, StopReason::cancelled);
  step(unwinding, undo("release"));
  fail_body(unwinding, "cancelled");
  EXPECT_EQ(state_of(run), RunState::compensated);
}

TEST_P(CodeRun, AParkedRunIsPausedWithTheReason) {
  const core::RunId run = start_code();
  core::ClaimedTask body = claim_body(run);
  const auto parked = runs().write_steps({.run_id = run,
                                          .body = body.task.id,
                                          .fence = body.task.lease->fence,
                                          .park = "expected step 'a', found 'b'"});
  ASSERT_TRUE(parked.ok());
  EXPECT_EQ(state_of(run), RunState::paused);
  EXPECT_EQ(run_of(run).custom_status, "expected step 'a', found 'b'");
  EXPECT_FALSE(has_body(run));
  act(run, RunAction::resume);
  body = claim_body(run);
  complete_body(body);
}

TEST_P(CodeRun, ABodyLearnsThatItsRunIsPausedAndIsHeldAfterItsRelease) {
  const core::RunId run = start_code();
  core::ClaimedTask body = claim_body(run);
  const auto complete = [&](const char* name) {
    return *write(body, {{.action = core::StepAction::complete, .step_id = name, .output = {"1"}}});
  };
  EXPECT_FALSE(complete("a").is_paused);
  act(run, RunAction::pause);
  EXPECT_TRUE(complete("b").is_paused) << "what runs may finish";
  end_body(body, {.action = core::ReportAction::release});
  EXPECT_EQ(state_of(run), RunState::paused);
  EXPECT_FALSE(has_body(run));
  act(run, RunAction::resume);
  body = claim_body(run);
  EXPECT_EQ(body.memo->steps.size(), 2U);
  EXPECT_EQ(body.task.attempt, 1) << "a pause spends nothing";
  EXPECT_FALSE(complete("c").is_paused);
  complete_body(body);
}

TEST_P(CodeRun, ARewoundRunKeepsTheStepsBeforeThePoint) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  for (const char* id : {"a", "b", "c"}) complete_step(body, id, std::string{"\""} + id + "\"");
  complete_body(body);
  const auto fork = runs().rewind_run({.run = {.id = run}, .to = "b"});
  ASSERT_TRUE(fork.ok()) << fork.problem().detail;
  const core::ClaimedTask again = claim_body(fork->facts.id);
  ASSERT_EQ(again.memo->steps.size(), 1U);
  EXPECT_EQ(again.memo->steps[0].output.text, R"("a")");
  complete_body(again);
}

TEST_P(CodeRun, ABodyThatCrashesItsWorkersFailsUnlessItMakesProgress) {
  const core::RunId run = start_code();
  const auto lose_ten = [&] {
    for (int i = 0; i < 10; ++i) {
      claim_body(run);
      lose();
      lose(80s);  // later losses are retried after a backoff
    }
  };
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "a");
  lose();
  for (int i = 0; i < 9; ++i) {
    claim_body(run);
    lose();
    lose(80s);
  }
  EXPECT_EQ(state_of(run), RunState::running);  // the run made progress, so the count of losses restarted
  lose_ten();
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(run_of(run).error->code, "worker_lost");
}

TEST_P(CodeRun, AnUndefinedWorkflowIsCodeIfAWorkerOffersIt) {
  const auto unknown = runs().start_run({.workflow = "order"});
  EXPECT_EQ(unknown.problem().code, core::ProblemCode::not_found);
  ASSERT_TRUE(api().register_worker({.worker_id = "w1", .workflow_types = {"order"}}).ok());
  const auto started = runs().start_run({.workflow = "order"});
  ASSERT_TRUE(started.ok()) << started.problem().detail;
  EXPECT_EQ(started->run.facts.kind, core::RunKind::code);
}

TEST_P(CodeRun, InvalidStepsAreRejectedByFieldAndNothingIsWritten) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  const std::int64_t sequence = run_of(run).sequence;
  const auto refusal = [&](StepWrite one) { return write(body, {std::move(one)}).problem(); };
  EXPECT_EQ(refusal(begin("")).errors.at(0).field, "step_id");
  EXPECT_EQ(refusal({.step_id = "a", .output = {"{"}}).errors.at(0).field, "output");
  EXPECT_EQ(refusal(begin("s", StepKind::sleep)).errors.at(0).field, "input");
  EXPECT_EQ(refusal({.step_id = "s", .kind = StepKind::sleep}).errors.at(0).field, "kind");
  EXPECT_EQ(write(body, {}, core::SuspendBody{.steps = {"none"}}).problem().code,
            core::ProblemCode::invalid_argument);
  EXPECT_EQ(run_of(run).sequence, sequence);
  define("graph", R"({"id":"a","activity":"t"})");
  const core::RunId graph = start("graph");
  const auto task = claim("w3").at(0);
  EXPECT_EQ(
      runs().write_steps({.run_id = graph, .body = task.task.id, .fence = 1, .steps = {begin("x")}}).ok(),
      false);
}

TEST_P(CodeRun, ABodyWakesOnItsSignalEvenIfAStepConsumesIt) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  StepWrite wait = begin("go", StepKind::signal);
  wait.signal = "go";
  const auto written = write(body, {wait}, core::SuspendBody{.signals = {"go"}});
  ASSERT_TRUE(written.ok()) << written.problem().detail;
  EXPECT_TRUE(written->is_suspended);
  EXPECT_FALSE(has_body(run));
  signal(run, "go", "7");
  const core::ClaimedTask again = claim_body(run);
  ASSERT_EQ(again.memo->steps.size(), 1U);
  EXPECT_EQ(again.memo->steps[0].output.text, "7");
  complete_body(again);
}

TEST_P(CodeRun, ABodyCannotWaitForAChildOfAnotherRun) {
  const core::RunId run = start_code();
  const core::RunId other = start_code("other");
  const core::ClaimedTask body = claim_body(run);
  const auto refused = write(body, {}, core::SuspendBody{.children = {other}});
  EXPECT_EQ(refused.problem().errors.at(0).field, "children");
}

TEST_P(CodeRun, GraphShowsTheBodyAndItsSteps) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "zeta");
  step(body, begin("alpha"));
  const auto view = node().local().view_run({.id = run});
  ASSERT_TRUE(view.ok());
  const core::RunGraph graph = core::graph_of(*view);
  ASSERT_EQ(graph.nodes.size(), 3U);
  EXPECT_EQ(graph.nodes[0].id, "body");
  EXPECT_EQ(graph.nodes[1].id, "zeta");
  EXPECT_EQ(graph.nodes[1].state, NodeState::completed);
  EXPECT_EQ(graph.nodes[2].id, "alpha");
  EXPECT_EQ(graph.nodes[2].state, NodeState::running);
  EXPECT_EQ(graph.edges.size(), 2U);
}

PAWL_ON_EVERY_STORE(CodeRun);

}  // namespace
}  // namespace pawl::testing
