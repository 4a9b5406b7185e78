// The start times of step attempts as the API shows them, also of attempts that are written later.
#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

class StepStarts : public CodeRunTest {
 public:
  std::vector<core::StepAttempt> steps_of(const core::RunId& run) {
    const auto listed = runs().list_steps({.id = run});
    EXPECT_TRUE(listed.ok());
    return listed ? *listed : std::vector<core::StepAttempt>{};
  }
};

TEST_P(StepStarts, AreVisibleWhileTheStepRuns) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  clock.advance(5s);
  step(body, {.action = core::StepAction::begin, .step_id = "long", .took = 3s});
  ASSERT_EQ(steps_of(run).size(), 1U);
  EXPECT_EQ(steps_of(run)[0].state, core::NodeState::running);
  EXPECT_EQ(steps_of(run)[0].started_at, clock.now() - 3s);
  EXPECT_EQ(steps_of(run)[0].finished_at, std::nullopt);
  EXPECT_EQ(events(run).back().type, core::RunEventType::step_started);
  EXPECT_EQ(events(run).back().at, clock.now());
  const core::TimePoint began = clock.now() - 3s;
  clock.advance(4s);
  step(body, {.step_id = "long", .output = {"1"}, .took = 7s});
  ASSERT_EQ(steps_of(run).size(), 1U);
  EXPECT_EQ(steps_of(run)[0].started_at, began);
  EXPECT_EQ(steps_of(run)[0].finished_at, clock.now());
}

TEST_P(StepStarts, AreRecordedForAStepWrittenAtItsEnd) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  clock.advance(5s);
  step(body, {.step_id = "quick", .output = {"1"}, .took = 40ms});
  step(body, {.action = core::StepAction::fail,
              .step_id = "failing",
              .error = {.code = "boom", .message = "no", .retryable = false},
              .took = 2s});
  ASSERT_EQ(steps_of(run).size(), 2U);
  EXPECT_EQ(steps_of(run)[0].started_at, clock.now() - 40ms);
  EXPECT_EQ(steps_of(run)[1].started_at, clock.now() - 2s);
}

TEST_P(StepStarts, AreNotStoredForAShortStep) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  step(body, {.step_id = "short", .output = {"1"}, .took = 999us});
  EXPECT_TRUE(events(run).back().data.detail.empty());
  EXPECT_EQ(steps_of(run)[0].started_at, steps_of(run)[0].finished_at);
}

TEST_P(StepStarts, OfALaterAttemptRequireTheStep) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  const std::vector<core::RunEvent> before = events(run);
  for (const core::StepKind kind :
       {core::StepKind::function, core::StepKind::compensation, core::StepKind::marker}) {
    for (const int attempt : {2, 7, -1}) {
      SCOPED_TRACE(attempt);
      core::StepWrite late = begin("a", kind);
      late.attempt = attempt;
      const std::string why =
          std::to_string(attempt) + " cannot begin: the run has no step 'a', so its first attempt is 1";
      const auto alone = write(body, {late});
      ASSERT_FALSE(alone.ok());
      ASSERT_EQ(alone.problem().code, core::ProblemCode::invalid_argument);
      EXPECT_EQ(alone.problem().detail, "attempt: " + why);
      EXPECT_EQ(alone.problem().errors.at(0), (core::FieldError{"attempt", why}));
      const auto second = write(body, {begin("b"), late});
      ASSERT_FALSE(second.ok());
      EXPECT_EQ(second.problem().errors.at(0), (core::FieldError{"steps[1].attempt", why}));
    }
  }
  EXPECT_EQ(events(run), before) << "nothing was written";
  core::StepWrite first = begin("a");
  first.attempt = 1;
  EXPECT_TRUE(step(body, first).should_execute);
}

TEST_P(StepStarts, OfALaterAttemptMayFollowAnEarlierWriteOfTheSameCommand) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  core::StepWrite again = failed("a");
  again.retry_after = 0s;
  core::StepWrite second = begin("a");
  second.attempt = 2;
  const auto written = write(body, {again, second});
  ASSERT_TRUE(written.ok()) << written.problem().detail;
  EXPECT_TRUE(written->steps.at(1).should_execute);
  EXPECT_EQ(written->steps.at(1).now.attempt, 2);
}

PAWL_ON_EVERY_STORE(StepStarts);

}  // namespace
}  // namespace pawl::testing
