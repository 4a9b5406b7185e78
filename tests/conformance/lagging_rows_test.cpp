// A run's row lags behind its log while the body goes from step to step (core/run/run_lag.hpp). Neither reads
// of the run nor writes to it may show a difference.
#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "store/postgres/run_rows.hpp"
#include "store/run_tail.hpp"
#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

using core::RunState;

class LaggingRows : public CodeRunTest {
 public:
  store::StoredRun stored(const core::RunId& run) {
    return *node().store()->find_run(run, {.nodes = true, .signals = true, .events = true});
  }
  [[nodiscard]] bool lags(const core::RunId& run) {
    const store::StoredRun now = stored(run);
    return now.row.sequence < now.run.sequence;
  }
  core::Node step_of(const core::RunId& run, const std::string& name) {
    for (const core::Node& node : stored(run).nodes) {
      if (node.name == name) return node;
    }
    ADD_FAILURE() << "there is no step " << name;
    return {};
  }
  // The memory store has no lagging rows.
  [[nodiscard]] static bool may_lag() { return GetParam() != StoreKind::memory; }
};

TEST_P(LaggingRows, AreNotRewrittenByAStep) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  const std::int64_t before = stored(run).row.sequence;
  for (const char* name : {"a", "b", "c"}) complete_step(body, name);
  EXPECT_EQ(lags(run), may_lag());
  EXPECT_EQ(stored(run).row.sequence == before, may_lag());
  complete_body(body);
  EXPECT_FALSE(lags(run));
}

TEST_P(LaggingRows, AreReadWithTheLastStep) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "a", R"({"n":1})");
  clock.advance(5s);
  step(body, {.action = core::StepAction::begin, .step_id = "b"});
  ASSERT_EQ(lags(run), may_lag());
  const core::Run seen = run_of(run);
  EXPECT_EQ(seen.counts.completed, 1);
  EXPECT_EQ(seen.sequence, events(run).back().sequence);
  EXPECT_EQ(step_of(run, "a").output.text, R"({"n":1})");
  EXPECT_EQ(step_of(run, "b").state, core::NodeState::running);
  for (const std::vector<RunState>& states : {std::vector<RunState>{}, {RunState::running}}) {
    const auto page = runs().list_runs({.query = {.states = states}});
    ASSERT_TRUE(page.ok());
    ASSERT_EQ(page->items.size(), 1U);
    EXPECT_EQ(page->items.front().counts, seen.counts);
    EXPECT_EQ(page->items.front().updated_at, seen.updated_at);
  }
  const auto steps = runs().list_steps({.id = run});
  ASSERT_TRUE(steps.ok());
  EXPECT_EQ(steps->size(), 2U);
}

TEST_P(LaggingRows, AreCaughtUpByAnotherNode) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "a", "7");
  complete_step(body, "b");
  ASSERT_EQ(lags(run), may_lag());
  const auto other = another_node(2);
  core::SignalRun request{.run = {.id = run}};
  request.signal = {.name = "hello", .payload = {"1"}};
  ASSERT_TRUE(other->local().signal_run(request).ok());
  EXPECT_FALSE(lags(run));  // signals are looked up in rows, so the row must be current
  EXPECT_EQ(step_of(run, "a").output.text, "7");
  // The first node's cache holds the run from before the signal.
  complete_step(body, "c");
  lose();
  const core::ClaimedTask again = claim_body(run);
  ASSERT_EQ(again.memo->steps.size(), 3U);
  EXPECT_EQ(again.memo->steps[0].output.text, "7");
  EXPECT_EQ(again.memo->signals.size(), 1U);
  complete_body(again);
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(LaggingRows, AcceptWritesOfTwoNodesInTurns) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  const auto other = another_node(2);
  for (int i = 0; i < 10; ++i) {
    core::RunApi& api = i % 2 == 0 ? runs() : other->local();
    const auto written = api.write_steps({.run_id = run,
                                          .body = body.task.id,
                                          .fence = body.task.lease->fence,
                                          .steps = {{.step_id = fmt::format("s{}", i), .output = {"1"}}}});
    ASSERT_TRUE(written.ok()) << written.problem().detail;
  }
  EXPECT_EQ(run_of(run).counts.completed, 10);
  complete_body(body);
}

TEST_P(LaggingRows, LoseNothingWhenTheLeaseIsLost) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "a", "1");
  complete_step(body, "b", "2");
  ASSERT_EQ(lags(run), may_lag());
  lose();
  const auto other = another_node(2);  // has no cached state of the run
  core::ClaimTasks wanted{.ns = "default", .worker_id = "w9", .queues = {"default"}, .max = 10};
  const auto claimed = other->api().claim(wanted);
  ASSERT_TRUE(claimed.ok()) << claimed.problem().detail;
  ASSERT_EQ(claimed->size(), 1U);
  const core::ClaimedTask& again = claimed->front();
  ASSERT_EQ(again.memo->steps.size(), 2U);
  EXPECT_EQ(again.memo->steps[1].output.text, "2");
}

TEST_P(LaggingRows, LagByALimitedNumberOfEvents) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim("w1", 1, 1h).at(0);
  for (int i = 0; i < 250; ++i) complete_step(body, fmt::format("s{}", i));
  const store::StoredRun many = stored(run);
  EXPECT_LE(many.run.sequence - many.row.sequence, core::kLagEventsMax);
  EXPECT_EQ(many.nodes.size(), 251U);
  complete_step(body, "soon");
  EXPECT_EQ(lags(run), may_lag());
  clock.advance(core::kLagMax + 1s);
  complete_step(body, "late");
  EXPECT_FALSE(lags(run));
}

TEST_P(LaggingRows, NeverLagInTheirIndexedColumns) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "a");
  ASSERT_EQ(lags(run), may_lag());
  step(body, {.action = core::StepAction::fail,
              .step_id = "b",
              .error = {.code = "boom", .message = "it did not work"}});
  const auto retrying = [&] { return runs().list_runs({.query = {.retrying = true}})->items.size(); };
  EXPECT_EQ(retrying(), 1U);
  clock.advance(10s);
  step(body, {.action = core::StepAction::begin, .step_id = "b"});
  EXPECT_EQ(retrying(), 0U);
  complete_step(body, "b");
  wait_for(body, {.step_id = "nap", .kind = core::StepKind::sleep, .wait = 1h});
  EXPECT_FALSE(lags(run));
  clock.advance(1h);
  tick();
  const core::ClaimedTask again = claim_body(run);
  EXPECT_EQ(again.memo->steps.size(), 3U);
}

TEST_P(LaggingRows, WithAMissingEventAreDetected) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  for (const char* name : {"a", "b", "c"}) complete_step(body, name);
  store::StoredRun read = stored(run);
  store::StoredRun row{.run = read.run, .row = read.row};
  row.run.sequence = read.row.sequence;
  std::vector<store::StoredEvent> tail{read.events.end() - 2, read.events.end()};
  store::catch_up(row, tail);
  EXPECT_NE(row.misfit, "");
}

// A transaction's reads see each other's commits: the tail may grow before its nodes are read.
TEST_P(LaggingRows, AreReadAgainIfTheirTailGrows) {
  if (GetParam() != StoreKind::postgres) return;
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "first");
  signal(run, "hello");  // writes the rows of the run's nodes
  store::postgres::Server server{database().location(), nullptr};
  store::postgres::Connection connection{server};
  connection.connect_or_throw();
  const store::PeekRun peek{.id = run, .page = {.from = {.index = 0x7fffffff}}};  // none of the tail's nodes
  std::vector<store::NodeRef> nodes;
  const auto read = [&] {
    store::postgres::ask_for_pages(connection, {&peek, 1}, nodes);
    return store::postgres::read_pages(connection.run_or_throw(), {&peek, 1}, nodes);
  };
  complete_step(body, "a");
  ASSERT_TRUE(lags(run));
  EXPECT_FALSE(read());
  complete_step(body, "b");
  EXPECT_FALSE(read());
  const auto found = read();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at(0)->misfit, "");
  EXPECT_EQ(found->at(0)->run.counts.completed, 3);
}

PAWL_ON_EVERY_STORE(LaggingRows);

}  // namespace
}  // namespace pawl::testing
