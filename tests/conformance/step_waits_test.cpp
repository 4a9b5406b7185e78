// A write of steps whose reply waits for their end: the reply is sent by the commit that ends them, by a
// stop, or with their current state at the timeout.
#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

class StepWaits : public CodeRunTest {
 public:
  Pending begin_tasks(const core::ClaimedTask& body, const std::vector<std::string>& names,
                      core::AwaitSteps await) {
    core::WriteSteps command{
        .run_id = *body.task.run_id, .body = body.task.id, .fence = body.task.lease->fence, .await = await};
    for (const std::string& name : names) {
      core::StepWrite write = begin(name, core::StepKind::task);
      write.task = core::TaskSpec{.type = "mail", .payload = {"1"}};
      command.steps.push_back(std::move(write));
    }
    return submit(std::move(command));
  }
  void complete_next_task() {
    const core::Task task = claim("w2", 1, 30s).at(0).task;
    const core::Report report{.task_id = task.id,
                              .fence = task.lease->fence,
                              .action = core::ReportAction::complete,
                              .output = {"2"}};
    ASSERT_TRUE(this->report("w2", report).ok());
  }
  static core::StepsWritten written(const Pending& pending) {
    return std::get<core::StepsWritten>(*pending.answer());
  }
};

TEST_P(StepWaits, DelayTheReplyUntilTheFirstStepEnds) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  const Pending pending = begin_tasks(body, {"a", "b"}, {.at_most = 10s});
  ASSERT_FALSE(pending.is_answered());
  complete_next_task();
  ASSERT_TRUE(pending.is_answered());
  EXPECT_EQ(written(pending).steps[0].now.state, core::NodeState::completed);
  EXPECT_EQ(written(pending).steps[0].now.output.text, "2");
  EXPECT_FALSE(core::has_ended(written(pending).steps[1].now.state));
}

TEST_P(StepWaits, DelayTheReplyUntilAllStepsEnd) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  const Pending pending = begin_tasks(body, {"a", "b"}, {.at_most = 10s, .wants_all = true});
  complete_next_task();
  ASSERT_FALSE(pending.is_answered());
  complete_next_task();
  ASSERT_TRUE(pending.is_answered());
  for (const core::StepAnswer& one : written(pending).steps)
    EXPECT_EQ(one.now.state, core::NodeState::completed);
}

TEST_P(StepWaits, EndAtTheirTimeout) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  const Pending pending = begin_tasks(body, {"a"}, {.at_most = 10s});
  tick();
  ASSERT_FALSE(pending.is_answered());
  clock.advance(10s);
  tick();
  node().engine().end_waits();
  ASSERT_TRUE(pending.is_answered());
  EXPECT_FALSE(core::has_ended(written(pending).steps[0].now.state));
}

TEST_P(StepWaits, EndWhenTheRunIsCancelled) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  const Pending pending = begin_tasks(body, {"a"}, {.at_most = 10s});
  act(run, core::RunAction::cancel);
  ASSERT_TRUE(pending.is_answered());
  EXPECT_EQ(written(pending).stop, core::StopReason::cancelled);
}

TEST_P(StepWaits, EndImmediatelyForEndedSteps) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  ASSERT_FALSE(begin_tasks(body, {"a"}, {.at_most = 10s}).is_answered());
  complete_next_task();
  const Pending again = begin_tasks(body, {"a"}, {.at_most = 10s});
  ASSERT_TRUE(again.is_answered());
  EXPECT_EQ(written(again).steps[0].now.state, core::NodeState::completed);
}

TEST_P(StepWaits, OverAMinuteAreRejected) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  const Pending pending = begin_tasks(body, {"a"}, {.at_most = 61s});
  EXPECT_EQ(pending.problem(), core::ProblemCode::invalid_argument);
}

PAWL_ON_EVERY_STORE(StepWaits);

}  // namespace
}  // namespace pawl::testing
