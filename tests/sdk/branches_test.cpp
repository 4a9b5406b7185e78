// Branches that run concurrently with a workflow: abandoned ones, the first of several, and branches whose
// code changed.

#include <atomic>
#include <thread>

#include "pawl/testing.hpp"
#include "tests/sdk/effects.hpp"
#include "tests/sdk/no_threads.hpp"

namespace pawl::testing {
namespace {

class Branches : public ::testing::Test {
 public:
  template <typename Call>
  pawl::Run start(Call workflow, WorkerOptions options = {}) {
    worker.emplace(env.client(), quiet(std::move(options)));
    worker->task("double", [](const int& number) { return 2 * number; });
    worker->workflow("w", workflow);
    worker->start();
    return env.client().start("w");
  }
  template <typename Given, typename Call>
  Given result_of(Call workflow) {
    return start(workflow).template result<Given>(30s);
  }

  Effects effects;
  Environment env;
  std::optional<Worker> worker;  // declared last: it uses the members above
};

// --- exceptions while branches run ---

TEST_F(Branches, InTheScopeOfACaughtExceptionAreAbandoned) {
  EXPECT_EQ(result_of<int>([&](Workflow& wf) {
              std::atomic<bool> has_failed = false;
              try {
                auto branch = wf.spawn("branch", [&](Workflow& own) {
                  own.step("one", [&] { static_cast<void>(eventually([&] { return has_failed.load(); })); });
                  own.step("two", [] {});
                });
                wf.step("fails", {.retry = {.max_attempts = 1}}, [&] {
                  has_failed = true;
                  throw std::runtime_error("x");
                });
              } catch (const StepFailed&) {
              }
              return 42;
            }),
            42);
}

TEST_F(Branches, SleepingInTheScopeOfACaughtExceptionDelayNothing) {
  const TimePoint began = env.now();
  EXPECT_EQ(result_of<int>([&](Workflow& wf) {
              try {
                auto branch = wf.spawn("branch", [&](Workflow& own) {
                  own.sleep(24h);
                  throw Failure{"broken", "nobody asks"};
                });
                throw std::runtime_error("plain");
              } catch (const std::runtime_error&) {
              }
              wf.sleep(1h);
              return 42;
            }),
            42);
  EXPECT_EQ(env.now() - began, Duration{1h});
}

TEST_F(Branches, MayOutliveTheirWorkflow) {
  std::vector<Pending<int>> kept;
  EXPECT_EQ(result_of<int>([&](Workflow& wf) {
              kept.push_back(wf.spawn("branch", [] { return 1; }));
              wf.sleep(1h);
              return 42;
            }),
            42);
  worker.reset();
  kept.clear();
}

// --- the first of several ---

TEST_F(Branches, MayWaitForTheFirstOfSeveral) {
  const auto race = [](Workflow& own) {
    std::vector<Pending<int>> racing;
    racing.push_back(own.spawn<int>("never", 1));
    racing.push_back(own.spawn<int>("double", 21));
    return own.any(racing).value;
  };
  EXPECT_EQ(result_of<int>([&](Workflow& wf) { return wf.spawn("branch", race).get(); }), 42);
  worker.reset();
  EXPECT_EQ(result_of<std::vector<int>>([&](Workflow& wf) {
              return wf.map(std::vector{1, 2}, [&](Workflow& own, const int&) { return race(own); });
            }),
            (std::vector{42, 42}));
}

TEST_F(Branches, LoseAgainstATaskThatEndsFirst) {
  std::atomic<bool> is_over = false;
  const auto given = result_of<int>([&](Workflow& wf) {
    std::vector<Pending<int>> racing;
    racing.push_back(wf.spawn("slow", [&] {
      static_cast<void>(eventually([&] { return is_over.load(); }));
      return 1;
    }));
    racing.push_back(wf.spawn<int>("double", 21));
    const auto first = wf.any(racing);
    is_over = true;
    return first.value;
  });
  EXPECT_EQ(given, 42);
}

TEST_F(Branches, DoNotDelayATaskSpawnedAfterThem) {
  const Client client = connect("memory:");
  Worker own_worker{client, quiet()};
  own_worker.task("mail", [&] { effects.add("mail"); });
  own_worker.workflow("w", [](Workflow& wf) {
    auto nap = wf.spawn("nap", [](Workflow& own) { own.sleep(24h); });
    wf.step("quick", [] {});
    auto mail = wf.spawn<nlohmann::json>("mail", nullptr);
    nap.get();
  });
  own_worker.start();
  (void)client.start("w");
  EXPECT_TRUE(eventually([&] { return effects.count("mail") == 1; }));
}

TEST_F(Branches, MayFailOrSleepAfterLosingARace) {
  const TimePoint began = env.now();
  std::atomic<bool> is_over = false;
  const auto given = result_of<int>([&](Workflow& wf) {
    std::vector<Pending<int>> racing;
    racing.push_back(wf.spawn("sleeps", [&](Workflow& own) {
      own.sleep(24h);
      return 1;
    }));
    racing.push_back(wf.spawn("fast", [] { return 42; }));
    racing.push_back(wf.spawn("fails", [&]() -> int {
      static_cast<void>(eventually([&] { return is_over.load(); }));
      throw Failure{"lost", "anyway", false};
    }));
    const auto first = wf.any(racing);
    is_over = true;
    return first.value;
  });
  EXPECT_EQ(given, 42);
  EXPECT_EQ(env.now() - began, Duration{0});
}

TEST_F(Branches, MayBeAwaitedAfterLosingARace) {
  EXPECT_EQ(result_of<int>([&](Workflow& wf) {
              std::vector<Pending<int>> racing;
              racing.push_back(wf.spawn("sleeps", [&](Workflow& own) {
                own.sleep(24h);
                return own.step("then", [] { return 1; });
              }));
              racing.push_back(wf.spawn("fast", [] { return 41; }));
              const int first = wf.any(racing, {.keep_losers = true}).value;
              return first + racing[0].get();
            }),
            42);
}

TEST(CrashEverywhere, RepeatsTheSameWinnerOfARace) {
  const auto report = crash_everywhere(
      [&](Workflow& wf, const int&) {
        std::vector<Pending<int>> racing;
        racing.push_back(wf.spawn("late", [](Workflow& own) {
          own.sleep(2h);
          return 1;
        }));
        racing.push_back(wf.spawn("early", [](Workflow& own) {
          own.sleep(1h);
          return 2;
        }));
        const auto first = wf.any(racing);
        return wf.step("after", [&] { return first.value; });
      },
      1);
  EXPECT_EQ(report.result, "2");
}

// --- branches with changed code ---

class ChangedBranches : public Branches {
 public:
  // Runs the old code until it waits, then the new code. Returns the run's custom status, or its state.
  template <typename Old, typename New>
  std::string status_after(Old old_code, New new_code) {
    const pawl::Run run = start(old_code);
    EXPECT_TRUE(eventually([&] { return run.state() == "sleeping"; }));
    worker.reset();
    run.signal("go");
    worker.emplace(env.client(), quiet());
    worker->workflow("w", new_code);
    worker->start();
    EXPECT_TRUE(eventually([&] { return run.state() == "paused" || run.info().is_closed; }));
    return run.info().custom_status.value_or(run.state());
  }
  auto charging_in(const std::string& name) {
    return [this, name](Workflow& wf) {
      wf.spawn(name, [this](Workflow& own) { own.step("charge", [&] { effects.add("charge"); }); }).get();
      static_cast<void>(wf.signal("go"));
    };
  }
};

TEST_F(ChangedBranches, WithAnotherNameParkTheRun) {
  EXPECT_EQ(status_after(charging_in("a"), charging_in("b")), "expected step 'a/charge', found 'b/charge'");
  EXPECT_EQ(effects.count("charge"), 1);
}

TEST_F(ChangedBranches, OfARenamedMapParkTheRun) {
  const auto charging_in_map = [this](const std::string& name) {
    return [this, name](Workflow& wf) {
      wf.map(std::vector{1},
             [this](Workflow& own, const int&) { own.step("charge", [&] { effects.add("charge"); }); },
             {.name = name});
      static_cast<void>(wf.signal("go"));
    };
  };
  EXPECT_EQ(status_after(charging_in_map("a"), charging_in_map("b")),
            "expected step 'a[0]/charge', found 'b[0]/charge'");
  EXPECT_EQ(effects.count("charge"), 1);
}

TEST_F(ChangedBranches, WithOneStepAndAnotherNameParkTheRun) {
  const auto charging_step = [this](const std::string& name) {
    return [this, name](Workflow& wf) {
      wf.spawn(name, [this] { effects.add("charge"); }).get();
      static_cast<void>(wf.signal("go"));
    };
  };
  EXPECT_EQ(status_after(charging_step("a"), charging_step("b")), "expected step 'a', found 'b'");
  EXPECT_EQ(effects.count("charge"), 1);
}

TEST_F(ChangedBranches, WithFewerStepsParkTheRun) {
  const auto steps_of = [](int count) {
    return [count](Workflow& wf) {
      wf.spawn("a", [count](Workflow& own) {
          for (int i = 0; i < count; ++i) own.step("x", [] {});
        }).get();
      static_cast<void>(wf.signal("go"));
    };
  };
  EXPECT_EQ(status_after(steps_of(2), steps_of(1)), "expected step 'a/x#2', found the end of the branch");
}

TEST_F(ChangedBranches, RemovedFromTheCodeParkTheRun) {
  EXPECT_EQ(status_after(charging_in("a"), [](Workflow& wf) { static_cast<void>(wf.signal("go")); }),
            "expected step 'a/charge', found the end of the workflow");
}

// The thread scheduling of unchanged branches must not count as a change.
TEST_F(ChangedBranches, DoNotIncludeUnfinishedBranches) {
  const auto report = crash_everywhere(
      [&](Workflow& wf, const int&) {
        std::vector<Pending<int>> all;
        for (const auto* name : {"a", "b", "c", "d"}) {
          all.push_back(wf.spawn(name, [](Workflow& own) {
            const int one = own.step("one", [] { return 1; });
            own.sleep(1h);
            return one +
                   own.spawn("within", [](Workflow& inner) { return inner.step("two", [] { return 2; }); })
                       .get();
          }));
          wf.step("between", [] {});
        }
        int sum = 0;
        for (const int given : wf.all(all)) sum += given;
        return sum;
      },
      1);
  EXPECT_EQ(report.result, "12");
}

TEST_F(ChangedBranches, FailingBeforeACompletedStepParkTheRun) {
  EXPECT_EQ(status_after(charging_in("a"), [](Workflow&) { throw std::runtime_error("a new mistake"); }),
            "expected step 'a/charge', found the failure 'exception': a new mistake");
}

// --- threads ---

TEST_F(Branches, RunSequentiallyWithoutThreads) {
  EXPECT_EQ(result_of<int>([&](Workflow& wf) {
              const NoThreads none;
              auto one = wf.spawn("one", [] { return 1; });
              auto two = wf.spawn("two", [](Workflow& own) { return own.step("a", [] { return 2; }); });
              const auto more = wf.map(std::vector{10, 20}, [](const int& number) { return number; });
              return one.get() + two.get() + more[0] + more[1];
            }),
            33);
}

}  // namespace
}  // namespace pawl::testing
