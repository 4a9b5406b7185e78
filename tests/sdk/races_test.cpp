// Races and cancels inside a workflow: the losers of `any`, Pending::cancel, and the threads of many lambdas.

#include <atomic>
#include <set>
#include <thread>

#include "pawl/testing.hpp"
#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

class Races : public SdkTest {
 public:
  template <typename Call>
  pawl::Run start(Call workflow, WorkerOptions options = {}) {
    worker.emplace(client, quiet(std::move(options)));
    worker->task("double", [](const int& number) { return 2 * number; });
    worker->task("endless", [this](Task& task) {
      ++endless;
      static_cast<void>(eventually([&] { return !task.heartbeat(); }));
      --endless;
      throw Failure{"stopped", "the handler noticed its stop token"};
    });
    worker->workflow("child", [](Workflow& wf) { static_cast<void>(wf.signal("never")); });
    worker->workflow("w", workflow);
    worker->start();
    return client.start("w");
  }
  static std::string state_of(const pawl::Run& run, const std::string& step) {
    std::string state = "none";
    for (const StepInfo& one : run.steps()) {
      if (one.step == step) state = one.state;
    }
    return state;
  }

  std::atomic<int> endless = 0;
  std::optional<Worker> worker;  // declared last: it uses the members above
};

TEST_P(Races, BetweenAllKindsEndWithTheFirstAndCancelTheOthers) {
  std::atomic<bool> is_stopped = false;
  const pawl::Run run = start([&](Workflow& wf) {
    auto step = wf.spawn("step", [&](Step& own) {
      is_stopped = eventually([&] { return own.stop_token().stop_requested(); });
      throw Failure{"stopped", "the step noticed its stop token"};
    });
    auto nap = wf.start_sleep("nap", 24h);
    auto approval = wf.start_signal<int>("approved");
    auto task = wf.spawn<int>("endless", 1);
    auto child = wf.spawn_child("child", 1);
    const std::size_t first = wf.any(step, nap, approval, task, child);
    return std::pair{first, approval.get().value_or(0)};
  });
  ASSERT_TRUE(eventually([&] { return state_of(run, "approved") == "waiting"; }));
  run.signal("approved", 42);
  EXPECT_EQ((run.result<std::pair<std::size_t, int>>(30s)), (std::pair<std::size_t, int>{2, 42}));
  EXPECT_TRUE(is_stopped);
  for (const auto* loser : {"step", "nap", "endless", "child"}) EXPECT_EQ(state_of(run, loser), "cancelled");
  EXPECT_TRUE(eventually([&] { return endless == 0; }));
}

TEST_P(Races, LetASignalLoseAgainstASleep) {
  const pawl::Run run = start([&](Workflow& wf) {
    auto approval = wf.start_signal<int>("approved");
    auto nap = wf.start_sleep("nap", std::chrono::milliseconds{20});
    const std::size_t first = wf.any(approval, nap);
    const auto late = wf.start_signal<int>("approved", {.timeout = std::chrono::milliseconds{1}}).get();
    return std::pair{first, late.has_value()};
  });
  EXPECT_EQ((run.result<std::pair<std::size_t, bool>>(30s)), (std::pair<std::size_t, bool>{1, false}));
}

TEST_P(Races, ThrowWhenACanceledLoserIsAwaited) {
  const pawl::Run run = start(
      [&](Workflow& wf) {
        std::vector<std::string> codes;
        const auto code_of = [&](const auto& pending) {
          pending.cancel();
          pending.cancel();
          try {
            static_cast<void>(pending.get());
            codes.emplace_back("none");
          } catch (const StepFailed& failed) {
            codes.push_back(failed.code());
          }
        };
        code_of(wf.start_sleep("nap", 24h));
        code_of(wf.start_signal<int>("approved"));
        code_of(wf.spawn<int>("endless", 1));
        code_of(wf.spawn_child("child", 1));
        code_of(wf.spawn("step", [&](Step& own) {
          static_cast<void>(eventually([&] { return own.stop_token().stop_requested(); }));
          throw Failure{"stopped", "the step noticed its stop token"};
        }));
        code_of(wf.spawn("branch", [&](Workflow& own) {
          own.sleep(24h);
          return 1;
        }));
        auto done = wf.spawn("done", [] { return 7; });
        static_cast<void>(done.get());
        code_of(done);
        wf.sleep("then", std::chrono::milliseconds{1});
        return codes;
      },
      leaving());
  EXPECT_EQ(run.result<Lines>(30s),
            (Lines{"cancelled", "cancelled", "cancelled", "cancelled", "cancelled", "cancelled", "none"}));
}

TEST_P(Races, RunManyLambdasOnALimitedNumberOfThreads) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<int> running = 0;
  std::atomic<int> concurrent_max = 0;
  const pawl::Run run = start(
      [&](Workflow& wf) {
        std::vector<Pending<int>> all;
        for (int i = 0; i < 2'000; ++i) {
          all.push_back(wf.spawn("lambda", [&] {
            const int now = ++running;
            if (now > concurrent_max) concurrent_max = now;
            {
              const std::lock_guard lock{mutex};
              threads.insert(std::this_thread::get_id());
            }
            --running;
            return 1;
          }));
        }
        int sum = 0;
        for (const int one : wf.all(all)) sum += one;
        return sum;
      },
      {.branch_threads = 4});
  EXPECT_EQ(run.result<int>(60s), 2'000);
  EXPECT_LE(threads.size(), 9U) << "twice the bound, and the workflow's own";
  EXPECT_LE(concurrent_max, 6);
}

TEST_P(Races, LetNestedLambdasProgressWithOneThread) {
  const pawl::Run run = start(
      [&](Workflow& wf) {
        std::function<int(Workflow&, int)> sum_of = [&](Workflow& own, int depth) {
          if (depth == 0) return own.step("leaf", [] { return 1; });
          std::vector<Pending<int>> both;
          for (int i = 0; i < 2; ++i)
            both.push_back(
                own.spawn("half", [&, depth](Workflow& inner) { return sum_of(inner, depth - 1); }));
          const int first = own.any(both, {.keep_losers = true}).value;
          const auto given = own.all(both);
          return given[0] + given[1] + 0 * first;
        };
        return sum_of(wf, 4);
      },
      {.branch_threads = 1});
  EXPECT_EQ(run.result<int>(60s), 16);
}

PAWL_ON_EVERY_WAY(Races);

TEST(CrashEverywhere, CancelsTheSameLosersAfterEveryCrash) {
  const auto report = crash_everywhere(
      [](Workflow& wf, const int&) {
        auto nap = wf.start_sleep("nap", 24h);
        auto soon = wf.start_sleep("soon", 1h);
        auto branch = wf.spawn("branch", [](Workflow& own) { own.sleep(48h); });
        const std::size_t first = wf.any(nap, soon, branch);
        std::string code = "none";
        try {
          nap.get();
        } catch (const StepFailed& failed) {
          code = failed.code();
        }
        return wf.step("after", [&] { return std::to_string(first) + " " + code; });
      },
      1);
  EXPECT_EQ(report.result, R"("1 cancelled")");
}

}  // namespace
}  // namespace pawl::testing
