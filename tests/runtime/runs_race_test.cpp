// Runs whose tasks many threads on several nodes execute concurrently: every join starts once, every run
// ends, and its log matches the stored state.

#include <atomic>
#include <chrono>
#include <string>

#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

class RunsRace : public RuntimeTest {
 public:
  static void define(core::RunApi& runs, const std::string& name, const std::string& tasks) {
    const std::string text = R"({"name":")" + name + R"(","tasks":[)" + tasks + "]}";
    const auto put = runs.put_definition({.name = name, .text = text});
    ASSERT_TRUE(put.ok()) << put.problem().detail;
  }

  // Works until all runs have ended. Tasks of type `bad` fail.
  static void work(RunningNode& node, const std::string& worker, const std::atomic<bool>& is_over) {
    while (!is_over) {
      const auto claimed = node.api().claim({.worker_id = worker, .max = 4, .lease = 30s, .wait = 50ms});
      ASSERT_TRUE(claimed.ok()) << claimed.problem().detail;
      core::ReportTasks reports{.worker_id = worker};
      for (const core::ClaimedTask& one : *claimed) {
        const bool is_bad = one.task.type == "bad";
        reports.reports.push_back(
            {.task_id = one.task.id,
             .fence = one.task.lease->fence,
             .action = is_bad ? core::ReportAction::fail : core::ReportAction::complete,
             .error = {.code = "boom", .message = "it went wrong", .retryable = false}});
      }
      if (reports.reports.empty()) continue;
      const auto answers = node.api().report(std::move(reports));
      ASSERT_TRUE(answers.ok()) << answers.problem().detail;
    }
  }
};

// A client repeats an unanswered start on another node: both nodes may execute it concurrently, and other
// commands in their groups are unaffected.
TEST_P(RunsRace, B40_OfStartsWithOneKeyCreatesOneRunForAllCallers) {
  constexpr int kThreads = 8;
  constexpr int kKeys = 25;
  RunningNode first{open()};
  RunningNode second{open()};
  define(first.runtime.local(), "leaf", R"({"id":"x","activity":"t"})");
  std::vector<std::vector<core::RunId>> got(kThreads);
  std::atomic<int> created = 0;
  in_parallel(kThreads, [&](int thread) {
    RunningNode& node = thread % 2 == 0 ? first : second;
    for (int i = 0; i < kKeys; ++i) {
      const auto started =
          node.runtime.local().start_run({.workflow = "leaf", .run_key = "k" + std::to_string(i)});
      ASSERT_TRUE(started.ok()) << started.problem().detail;
      created += started->created ? 1 : 0;
      got[static_cast<std::size_t>(thread)].push_back(started->run.facts.id);
    }
  });
  for (const auto& ids : got) EXPECT_EQ(ids, got[0]);
  EXPECT_EQ(created, kKeys);
}

TEST_P(RunsRace, OfManyWorkersOnFewRunsCompletesAllRuns) {
  constexpr int kRuns = 6;
  constexpr int kThreads = 4;
  RunningNode first{open()};
  RunningNode second{open()};
  core::RunApi& runs = first.runtime.local();
  define(runs, "leaf", R"({"id":"x","activity":"t"})");
  define(runs, "join", R"({"id":"a","activity":"t"},
                          {"id":"b","activity":"t","after":["a"],"for_each":[1,2,3,4,5,6,7,8]},
                          {"id":"p","type":"workflow","workflow":"leaf","after":["a"]},
                          {"id":"c","activity":"t","after":["b","p"]})");
  define(runs, "saga", R"({"id":"a","activity":"t","for_each":[1,2,3,4],"compensate":"u"},
                          {"id":"b","activity":"bad","after":["a"]},
                          {"id":"u","type":"compensation","activity":"t"})");
  std::vector<core::RunId> ids;
  for (int i = 0; i < kRuns; ++i) {
    for (const char* workflow : {"join", "saga"})
      ids.push_back(runs.start_run({.workflow = workflow})->run.facts.id);
  }
  std::atomic<bool> is_over = false;
  in_parallel(kThreads + 1, [&](int i) {
    if (i < kThreads) return work(i % 2 == 0 ? first : second, "w" + std::to_string(i), is_over);
    for (const core::RunId& id : ids) {
      const auto ended = second.runtime.local().await_run({.id = id}, 60s);
      EXPECT_TRUE(ended.ok() && core::is_closed(ended->state));
    }
    is_over = true;
  });
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const core::RunState expected = i % 2 == 0 ? core::RunState::completed : core::RunState::compensated;
    EXPECT_EQ(runs.get_run({.id = ids[i]})->state, expected);
  }
  const auto verified = first.api().verify();
  for (const core::Verdict& verdict : verified->checks) {
    for (const core::Violation& violation : verdict.violations)
      ADD_FAILURE() << verdict.id << ": " << violation.object << ": " << violation.message;
  }
}

PAWL_ON_EVERY_STORE(RunsRace);

}  // namespace pawl::testing
