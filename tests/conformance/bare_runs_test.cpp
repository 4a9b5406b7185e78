// A short code run that never waits has no node rows (core/run/run_lag.hpp): its nodes are rebuilt from its
// log. Neither reads nor later commands may show a difference.
#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "store/run_tail.hpp"
#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

using core::RunState;

class BareRuns : public CodeRunTest {
 public:
  store::StoredRun stored(const core::RunId& run) {
    return *node().store()->find_run(run, {.nodes = true, .signals = true, .events = true});
  }
  core::RunId completed(int steps) {
    const core::RunId run = start_code();
    const core::ClaimedTask body = claim_body(run);
    for (int i = 0; i < steps; ++i) complete_step(body, fmt::format("s{}", i), std::to_string(i));
    complete_body(body, "7");
    return run;
  }
  // The memory store writes all rows.
  [[nodiscard]] static bool may_be_bare() { return GetParam() != StoreKind::memory; }
};

TEST_P(BareRuns, AreReadWithAllTheirNodes) {
  const core::RunId run = completed(3);
  const store::StoredRun now = stored(run);
  EXPECT_EQ(now.row.is_bare, may_be_bare());
  EXPECT_EQ(now.misfit, "");
  ASSERT_EQ(now.nodes.size(), 4U);
  for (const core::Node& node : now.nodes) EXPECT_EQ(node.state, core::NodeState::completed);
  EXPECT_EQ(now.run.output.text, "7");
  EXPECT_EQ(run_of(run).counts, now.run.counts);
  const auto page = runs().list_runs({.query = {.states = {RunState::completed}}});
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->items.size(), 1U);
  EXPECT_EQ(page->items.front().output, now.run.output);
  EXPECT_EQ(page->items.front().sequence, now.run.sequence);
}

TEST_P(BareRuns, ContinueAfterAFailureFromTheirLastStep) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "a", "1");
  complete_step(body, "b", "2");
  fail_body(body);
  ASSERT_EQ(state_of(run), RunState::failed);
  ASSERT_EQ(stored(run).row.is_bare, may_be_bare());
  const auto other = another_node(2);  // has no cached state of the run
  ASSERT_TRUE(
      other->local().act_on_run({.run = {.id = run}, .asked = {.action = core::RunAction::retry}}).ok());
  EXPECT_FALSE(stored(run).row.is_bare);
  const core::ClaimedTask again = claim_body(run);
  ASSERT_EQ(again.memo->steps.size(), 2U);
  EXPECT_EQ(again.memo->steps[1].output.text, "2");
  complete_body(again);
  EXPECT_EQ(stored(run).nodes.size(), 3U);
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(BareRuns, GetAllTheirRowsWhenTheyStartToWait) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "a", "1");
  EXPECT_EQ(stored(run).row.is_bare, may_be_bare());
  wait_for(body, {.step_id = "nap", .kind = core::StepKind::sleep, .wait = 1h});
  EXPECT_FALSE(stored(run).row.is_bare);
  EXPECT_EQ(stored(run).nodes.size(), 3U);
  clock.advance(1h);
  tick();
  const core::ClaimedTask again = claim_body(run);
  EXPECT_EQ(again.memo->steps.size(), 2U);
  complete_body(again);
  EXPECT_FALSE(stored(run).row.is_bare);
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(BareRuns, AreLimitedToAFewEvents) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim("w1", 1, 1h).at(0);
  for (int i = 0; i <= core::kLagEventsMax; ++i) complete_step(body, fmt::format("s{}", i));
  complete_body(body);
  EXPECT_FALSE(stored(run).row.is_bare);
  EXPECT_EQ(stored(run).nodes.size(), static_cast<std::size_t>(core::kLagEventsMax) + 2);
}

TEST_P(BareRuns, AreClaimedWithTheChangesOfAnotherNode) {
  const core::RunId run = start_code();  // this node has the run cached
  const auto other = another_node(2);
  core::ClaimTasks wanted{.ns = "default", .worker_id = "w9", .queues = {"default"}, .max = 10};
  const auto claimed = other->api().claim(wanted);
  ASSERT_EQ(claimed->size(), 1U);
  const core::ClaimedTask& body = claimed->front();
  const auto written = other->local().write_steps({.run_id = run,
                                                   .body = body.task.id,
                                                   .fence = body.task.lease->fence,
                                                   .steps = {{.step_id = "a", .output = {"1"}}}});
  ASSERT_TRUE(written.ok());
  lose();
  const core::ClaimedTask again = claim_body(run);
  ASSERT_EQ(again.memo->steps.size(), 1U);
  EXPECT_EQ(again.memo->steps[0].output.text, "1");
}

TEST_P(BareRuns, AreClaimedWithTheirSignals) {
  const core::RunId run = start_code();
  core::SignalRun request{.run = {.id = run}};
  request.signal = {.name = "hello", .payload = {"1"}};
  ASSERT_TRUE(runs().signal_run(request).ok());
  EXPECT_EQ(claim_body(run).memo->signals.size(), 1U);
}

TEST_P(BareRuns, WithATamperedRowAreDetected) {
  const store::StoredRun read = stored(completed(2));
  store::StoredRun row{.run = read.run, .row = read.row};
  row.row.is_bare = true;
  store::catch_up(row, read.events);
  EXPECT_EQ(row.misfit, "");
  row = {.run = read.run, .row = read.row};
  row.row.is_bare = true;
  row.run.state = RunState::failed;
  store::catch_up(row, read.events);
  EXPECT_NE(row.misfit, "");
  row = {.run = read.run, .row = read.row};
  row.row.is_bare = true;
  store::catch_up(row, {read.events.begin(), read.events.end() - 1});
  EXPECT_NE(row.misfit, "");
}

PAWL_ON_EVERY_STORE(BareRuns);

}  // namespace
}  // namespace pawl::testing
