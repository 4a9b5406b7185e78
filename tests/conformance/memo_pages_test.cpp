// A long run's steps are returned in pages, which together contain each step exactly once, in its current
// state.

#include <map>

#include <fmt/format.h>

#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

class MemoPages : public CodeRunTest {
 public:
  // Claims the run's body, with the memo in pages or complete.
  core::ClaimedTask claim_in_pages(const core::RunId& run, bool in_pages = true) {
    const auto claimed = api().claim({.worker_id = "w1", .max = 1, .lease = 1h, .memo_pages = in_pages});
    EXPECT_TRUE(claimed.ok() && claimed->size() == 1 && claimed->front().task.run_id == run);
    return claimed->front();
  }
  std::vector<core::StepMemo> rest_of(const core::ClaimedTask& body) {
    std::vector<core::StepMemo> steps;
    for (std::optional<core::NodeKey> next = body.memo->next; next;) {
      const auto page = runs().list_memo({.id = *body.task.run_id}, *next);
      if (!page) {
        ADD_FAILURE() << page.problem().detail;
        break;
      }
      EXPECT_LE(page->steps.size(), core::kMemoPageNodes);
      steps.insert(steps.end(), page->steps.begin(), page->steps.end());
      next = page->next;
    }
    return steps;
  }
  void expect_all_steps(const core::ClaimedTask& body, int count) {
    std::vector<core::StepMemo> steps = body.memo->steps;
    for (core::StepMemo& step : rest_of(body)) steps.push_back(std::move(step));
    std::map<std::string, std::string> outputs;
    for (const core::StepMemo& step : steps)
      EXPECT_TRUE(outputs.emplace(step.step_id, step.output.text).second) << step.step_id;
    EXPECT_EQ(outputs.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      EXPECT_EQ(outputs[fmt::format("s{}", i)], std::to_string(i)) << "step " << i;
  }
  void complete_steps(const core::ClaimedTask& body, int from, int to) {
    for (int i = from; i < to; ++i) complete_step(body, fmt::format("s{}", i), std::to_string(i));
  }
  void release(const core::ClaimedTask& body) { end_body(body, {.action = core::ReportAction::release}); }
};

constexpr int kTwoPages = 1'330;  // and a row that lags behind the last events

TEST_P(MemoPages, ContainAllStepsOfALongRun) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_in_pages(run);
  complete_steps(body, 0, kTwoPages);
  release(body);
  const core::ClaimedTask again = claim_in_pages(run);
  EXPECT_LE(again.memo->steps.size(), core::kMemoPageNodes);
  ASSERT_TRUE(again.memo->next);
  expect_all_steps(again, kTwoPages);
}

TEST_P(MemoPages, ShowTheChangesOfOtherNodesAndOfTheSameGroup) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_in_pages(run);
  complete_steps(body, 0, kTwoPages);
  // One group fires the timer and claims the body.
  ASSERT_TRUE(wait_for(body, {.step_id = "nap", .kind = core::StepKind::sleep, .wait = 1s}));
  clock.advance(1s);
  tick();
  const auto other = another_node(2);  // has no cached state of the run
  const auto claimed = other->local().claim({.worker_id = "w2", .max = 1, .lease = 1h, .memo_pages = true});
  ASSERT_TRUE(claimed.ok() && claimed->size() == 1);
  std::map<std::string, core::NodeState> states;
  for (const core::StepMemo& step : claimed->front().memo->steps) states[step.step_id] = step.state;
  for (const core::StepMemo& step : rest_of(claimed->front())) states[step.step_id] = step.state;
  EXPECT_EQ(states.size(), static_cast<std::size_t>(kTwoPages) + 1);
  EXPECT_EQ(states["nap"], core::NodeState::completed);
}

TEST_P(MemoPages, AreReturnedOnlyToClaimsThatRequestThem) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_in_pages(run);
  complete_steps(body, 0, kTwoPages);
  release(body);
  const core::ClaimedTask again = claim_in_pages(run, false);
  EXPECT_FALSE(again.memo->next);
  expect_all_steps(again, kTwoPages);
}

TEST_P(MemoPages, AreBoundedInBytes) {
  constexpr int kLarge = 6;
  const std::string large = '"' + std::string(400 << 10, 'x') + '"';
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_in_pages(run);
  for (int i = 0; i < kLarge; ++i) complete_step(body, fmt::format("s{}", i), large);
  release(body);
  const core::ClaimedTask again = claim_in_pages(run);
  EXPECT_LE(again.memo->steps.size(), 2U);
  EXPECT_EQ(again.memo->steps.size() + rest_of(again).size(), static_cast<std::size_t>(kLarge));
}

TEST_P(MemoPages, AreNotNeededToReadOneStepById) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_in_pages(run);
  complete_steps(body, 0, 150);  // the first are in rows, the last in events only
  for (const int i : {0, 70, 149}) {
    const auto step = runs().get_step({.id = run}, fmt::format("s{}", i));
    ASSERT_TRUE(step.ok());
    EXPECT_EQ(step->step_id, fmt::format("s{}", i));
    EXPECT_EQ(step->output.text, std::to_string(i));
  }
  const auto missing = runs().get_step({.id = run}, "nothing/here");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.problem().code, core::ProblemCode::not_found);
  EXPECT_NE(missing.problem().detail.find("'nothing/here'"), std::string::npos);
}

PAWL_ON_EVERY_STORE(MemoPages);

}  // namespace
}  // namespace pawl::testing
