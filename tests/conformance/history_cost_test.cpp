// The cost of a code run does not grow with its history: a step, a wait, a signal and a read cost only the
// rows that they touch. SQLite traces each row that a statement returns, so rows are counted there; the other
// stores run the same cases for their results.
#include <atomic>

#include <fmt/format.h>
#include <sqlite3.h>

#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

std::atomic<std::int64_t> rows_returned = 0;

int count_row(unsigned /*event*/, void* /*context*/, void* /*statement*/, void* /*unused*/) {
  ++rows_returned;
  return 0;
}

int trace_rows(sqlite3* db, char** /*error*/, const sqlite3_api_routines* /*api*/) {
  return sqlite3_trace_v2(db, SQLITE_TRACE_ROW, count_row, nullptr);
}

class HistoryCost : public CodeRunTest {
 public:
  // The stores of these tests are opened with the trace on.
  static void SetUpTestSuite() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(trace_rows)); }
  static void TearDownTestSuite() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(trace_rows)); }

  // The number of rows read by `what`.
  template <typename What>
  static std::int64_t rows_of(const What& what) {
    const std::int64_t before = rows_returned;
    what();
    return rows_returned - before;
  }

  core::ClaimedTask claim_for_long(const core::RunId& run) {
    for (core::ClaimedTask& one : claim("w1", 100, 1h)) {
      if (one.task.run_id == run) return one;
    }
    ADD_FAILURE() << "the body cannot be claimed";
    return {};
  }
  void complete_steps(const core::ClaimedTask& body, int from, int to) {
    for (int i = from; i < to; ++i) complete_step(body, fmt::format("s{}", i));
  }
};

constexpr int kShort = 200;
constexpr int kLong = 1'200;
constexpr int kWindow = 100;  // the run's row is rewritten at least once in this many steps

TEST_P(HistoryCost, OfAStepDoesNotGrowWithTheRun) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_for_long(run);
  complete_steps(body, 0, kShort);
  const auto early = rows_of([&] { complete_steps(body, kShort, kShort + kWindow); });
  complete_steps(body, kShort + kWindow, kLong);
  const auto late = rows_of([&] { complete_steps(body, kLong, kLong + kWindow); });
  EXPECT_LE(late, early + early / 10);
  EXPECT_EQ(run_of(run).counts.completed, kLong + kWindow);
}

TEST_P(HistoryCost, OfASpawnedTaskDoesNotGrowWithTheRun) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_for_long(run);
  const auto spawn = [&](int i) {
    core::StepWrite write{
        .action = core::StepAction::begin, .step_id = fmt::format("t{}", i), .kind = core::StepKind::task};
    write.task = core::TaskSpec{.type = "mail", .payload = {"1"}};
    step(body, write);
    const auto task = claim("w2", 1, 30s).at(0).task;
    ASSERT_TRUE(report("w2", {.task_id = task.id,
                              .fence = task.lease->fence,
                              .action = core::ReportAction::complete,
                              .output = {"2"}})
                    .ok());
    EXPECT_EQ(step(body, write).now.state, core::NodeState::completed);
  };
  complete_steps(body, 0, kShort);
  spawn(0);
  const auto early = rows_of([&] { spawn(1); });
  complete_steps(body, kShort, kLong);
  spawn(2);
  const auto late = rows_of([&] { spawn(3); });
  EXPECT_LE(late, early + 1);
}

TEST_P(HistoryCost, OfASignalDoesNotGrowWithTheRun) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_for_long(run);
  complete_steps(body, 0, kShort);
  signal(run, "hello");
  const auto early = rows_of([&] { signal(run, "hello"); });
  complete_steps(body, kShort, kLong);
  signal(run, "hello");
  const auto late = rows_of([&] { signal(run, "hello"); });
  EXPECT_LE(late, early + 1);
}

TEST_P(HistoryCost, OfAReadOfALaggingRunIsItsTailOnly) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_for_long(run);
  complete_steps(body, 0, kShort);
  wait_for(body, {.step_id = "nap", .kind = core::StepKind::sleep, .wait = 1s});
  clock.advance(1s);
  tick();
  const core::ClaimedTask again = claim_for_long(run);
  complete_step(again, "last");
  EXPECT_LE(rows_of([&] { EXPECT_EQ(run_of(run).counts.completed, kShort + 2); }), 20);
  const auto listed = rows_of([&] { EXPECT_EQ(runs().list_runs({})->items.size(), 1U); });
  EXPECT_LE(listed, 20);
}

// The client passes only the run and the fence, as calls on single steps do.
TEST_P(HistoryCost, OfAStepWithoutABodyIdDoesNotGrowWithTheRun) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_for_long(run);
  const auto complete_unnamed = [&](const std::string& id) {
    return rows_of([&] {
      const auto written = runs().write_steps(
          {.run_id = run, .fence = body.task.lease->fence, .steps = {{.step_id = id, .output = {"1"}}}});
      EXPECT_TRUE(written.ok());
    });
  };
  complete_steps(body, 0, kShort);
  const auto early = complete_unnamed("early");
  complete_steps(body, kShort, kLong);
  EXPECT_LE(complete_unnamed("late"), early + kWindow);
}

TEST_P(HistoryCost, OfAClaimIsOnePage) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_for_long(run);
  complete_steps(body, 0, kLong);
  end_body(body, {.action = core::ReportAction::release});
  const auto rows = rows_of([&] {
    const auto claimed = api().claim({.worker_id = "w2", .max = 1, .lease = 1h, .memo_pages = true});
    EXPECT_TRUE(claimed.ok() && claimed->front().memo->next);
  });
  EXPECT_LE(rows, static_cast<std::int64_t>(core::kMemoPageNodes) + 3 * kWindow);
}

TEST_P(HistoryCost, OfAStepOnAnotherNodeExcludesTheFullHistory) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_for_long(run);
  complete_steps(body, 0, kLong);
  const auto other = another_node(2);  // has no cached state of the run
  const auto rows = rows_of([&] {
    const auto written = other->local().write_steps({.run_id = run,
                                                     .body = body.task.id,
                                                     .fence = body.task.lease->fence,
                                                     .steps = {{.step_id = "elsewhere", .output = {"1"}}}});
    EXPECT_TRUE(written.ok());
  });
  EXPECT_LE(rows, 300);  // the tail, with its nodes
  complete_step(body, "here");
  EXPECT_EQ(run_of(run).counts.completed, kLong + 2);
}

PAWL_ON_EVERY_STORE(HistoryCost);

}  // namespace
}  // namespace pawl::testing
