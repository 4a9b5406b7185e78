// A run's counts as the API shows them.
#include "tests/conformance/code_steps.hpp"
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

class RunCounts : public CodeRunTest {
 public:
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> pending_and_running(const core::RunId& run) {
    const core::RunCounts counts = core::shown_counts(run_of(run));
    const auto listed = runs().list_runs({});
    EXPECT_EQ(core::shown_counts(listed->items.front()), counts) << "a list says the same";
    const auto viewed = runs().view_run({.id = run});
    EXPECT_EQ(core::shown_counts(viewed->run), counts);
    const auto replayed = runs().replay_run({.id = run}, std::nullopt);
    EXPECT_EQ(core::shown_counts(replayed->rebuilt.run), counts);
    return {counts.pending, counts.running};
  }
};
using Pair = std::pair<std::int64_t, std::int64_t>;

TEST_P(RunCounts, CountClaimedTasksAsRunning) {
  define("flow", R"({"id":"a","activity":"t"},{"id":"b","activity":"t"},{"id":"c","activity":"t"})");
  const core::RunId run = start("flow");
  EXPECT_EQ(pending_and_running(run), (Pair{3, 0}));
  const core::Task first = claim_one("w1", 1h);
  EXPECT_EQ(pending_and_running(run), (Pair{2, 1}));
  const core::Task second = claim_one("w1", 1h);
  EXPECT_EQ(pending_and_running(run), (Pair{1, 2}));
  ASSERT_TRUE(report(second, core::ReportAction::start).ok());
  EXPECT_EQ(pending_and_running(run), (Pair{1, 2})) << "whether it was started or not";
  ASSERT_TRUE(report(first, core::ReportAction::release).ok());
  EXPECT_EQ(pending_and_running(run), (Pair{2, 1}));
  complete(second);
  EXPECT_EQ(pending_and_running(run), (Pair{2, 0}));
}

TEST_P(RunCounts, AreSeparateForEachRun) {
  define("flow", R"({"id":"a","activity":"t"},{"id":"b","activity":"t"})");
  const core::RunId first = start("flow");
  (void)claim("w1", 10, 1h);
  const core::RunId second = start("flow");
  const auto listed = runs().list_runs({});
  ASSERT_EQ(listed->items.size(), 2U);
  EXPECT_EQ(core::shown_counts(listed->items[0]).pending, 2);
  EXPECT_EQ(core::shown_counts(listed->items[1]).running, 2);
  EXPECT_EQ(core::shown_counts(run_of(first)).running, 2);
  EXPECT_EQ(core::shown_counts(run_of(second)).running, 0);
}

TEST_P(RunCounts, CountATaskOfAnOpenRunAsPendingAfterALostLease) {
  const core::RunId run = runs().open_run({})->run.facts.id;
  add(run);
  (void)claim_one("w1", 10s);
  EXPECT_EQ(pending_and_running(run), (Pair{0, 1}));
  clock.advance(11s);
  tick();
  EXPECT_EQ(pending_and_running(run), (Pair{1, 0}));
}

TEST_P(RunCounts, CountTheHeldBodyOfACodeRun) {
  const core::RunId run = start_code();
  EXPECT_EQ(pending_and_running(run), (Pair{1, 0}));
  const core::ClaimedTask body = claim_body(run);
  EXPECT_EQ(pending_and_running(run), (Pair{0, 1}));
  complete_step(body, "a");
  EXPECT_EQ(pending_and_running(run), (Pair{0, 1}));
  EXPECT_TRUE(wait_for(body, {.step_id = "wait", .kind = core::StepKind::sleep, .wait = 1h}));
  EXPECT_EQ(pending_and_running(run), (Pair{0, 0})) << "it waits";
}

PAWL_ON_EVERY_STORE(RunCounts);

}  // namespace
}  // namespace pawl::testing
