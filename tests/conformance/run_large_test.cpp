// Graphs of 10,000 tasks. Only on the two in-process stores, since the test is about the engine.
#include <fmt/format.h>

#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::RunState;

constexpr int kTasks = 10'000;

class LargeRuns : public RunTest {
 public:
  // One commit starts at most a page of the ready tasks; the rest is due immediately.
  std::vector<core::ClaimedTask> next() {
    auto tasks = claim("w1", 1'000, 1h);
    if (!tasks.empty()) return tasks;
    tick();
    return claim("w1", 1'000, 1h);
  }
  // Claims and completes tasks, one group per batch, until none remain.
  int work_off() {
    int done = 0;
    for (auto tasks = next(); !tasks.empty(); tasks = next()) {
      core::ReportTasks command{.worker_id = "w1"};
      for (const core::ClaimedTask& task : tasks)
        command.reports.push_back(report_of(task.task, core::ReportAction::complete));
      const auto answers = node().api().report(std::move(command));
      if (!answers) throw std::runtime_error{answers.problem().detail};
      for (const auto& answer : *answers) done += answer ? 1 : 0;
    }
    return done;
  }
};

TEST_P(LargeRuns, CompleteAChain) {
  std::string tasks = R"({"id":"n0","activity":"t"})";
  for (int i = 1; i < kTasks; ++i)
    tasks += fmt::format(R"(,{{"id":"n{}","activity":"t","after":["n{}"]}})", i, i - 1);
  define("chain", tasks);
  const core::RunId run = start("chain");
  EXPECT_EQ(work_off(), kTasks);
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(LargeRuns, CompleteAFanOutWithAJoin) {
  std::string tasks = R"({"id":"first","activity":"t"})";
  std::string all;
  for (int i = 0; i < kTasks - 2; ++i) {
    tasks += fmt::format(R"(,{{"id":"n{}","activity":"t","after":["first"]}})", i);
    all += fmt::format(R"({}"n{}")", all.empty() ? "" : ",", i);
  }
  define("fan", tasks + R"(,{"id":"last","activity":"t","after":[)" + all + "]}");
  const core::RunId run = start("fan");
  EXPECT_EQ(work_off(), kTasks);
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(LargeRuns, UndoAForEachElementByElement) {
  define("each", R"({"id":"a","activity":"t","for_each":{"$ref":"#/input"},"compensate":"u"},
                    {"id":"b","activity":"t","after":["a"],"when":{"$ref":"#/input/0/nowhere"}},
                    {"id":"u","type":"compensation","activity":"u"})");
  constexpr int kElements = 300;  // each compensation needs a group of its own
  std::string input = "[0";
  for (int i = 1; i < kElements; ++i) input += fmt::format(",{}", i);
  const core::RunId run = start("each", input + "]");
  EXPECT_EQ(work_off(), 2 * kElements);
  EXPECT_EQ(state_of(run), RunState::compensated);
}

INSTANTIATE_TEST_SUITE_P(Stores, LargeRuns, ::testing::Values(StoreKind::memory, StoreKind::sqlite),
                         [](const auto& store) { return to_string(store.param); });

}  // namespace
}  // namespace pawl::testing
