// pawl/testing.hpp: skipped time, crashes at every durable point, and replayed histories.

#include "pawl/testing.hpp"

#include <thread>

#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

std::string mismatch_of(const std::function<void()>& check) {
  try {
    check();
  } catch (const Mismatch& mismatch) {
    return mismatch.what();
  }
  return "";
}

// --- time ---

TEST(SkippedTime, SkipsAWeekOfSleepImmediately) {
  Environment env;
  const TimePoint began = env.now();
  Worker worker{env.client(), quiet()};
  worker.workflow("sleepy", [](Workflow& wf) {
    wf.sleep(7 * 24h);
    const TimePoint first = wf.now();
    wf.sleep("again", 365 * 24h);
    return std::chrono::duration_cast<std::chrono::hours>(wf.now() - first).count();
  });
  worker.start();
  EXPECT_EQ(env.client().start("sleepy").result<int>(30s), 365 * 24);
  EXPECT_EQ(env.now() - began, Duration{(365 + 7) * 24h});
}

TEST(SkippedTime, StopsWhileNothingWaits) {
  Environment env;
  Worker worker{env.client(), quiet()};
  worker.workflow("ask",
                  [](Workflow& wf) { return wf.signal<int>("answer", {.timeout = 24h}).value_or(-1); });
  worker.start();
  const pawl::Run answered = env.client().start("ask");
  const pawl::Run ignored = env.client().start("ask");
  env.settle();
  EXPECT_EQ(answered.state(), "sleeping");
  answered.signal("answer", 42);
  EXPECT_EQ(answered.result<int>(30s), 42);
  EXPECT_EQ(ignored.result<int>(30s), -1) << "its day was skipped";
}

TEST(SkippedTime, IsAdvancedExplicitlyForTasks) {
  Environment env;
  std::atomic<int> calls = 0;
  Worker worker{env.client(), quiet()};
  worker.task("later", [&] {
    if (++calls == 1) throw RetryAfter{1h};
  });
  worker.start();
  const auto id = env.client().enqueue("later", 1, {.delay = 5min}).id;
  env.settle();
  EXPECT_EQ(calls, 0);
  env.advance(5min);
  env.settle();
  EXPECT_EQ(calls, 1);
  env.advance(1h);
  env.settle();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(env.client().task(id).status, "completed");
}

TEST(SkippedTime, SettlesOnlyWhenAllDueWorkIsDone) {
  Environment env;
  std::atomic<int> calls = 0;
  std::atomic<int> wakes = 0;
  Worker worker{env.client(), quiet()};
  worker.task("later", [&] { ++calls; });
  worker.workflow("nap", [&](Workflow& wf) {
    wf.sleep(1min);
    ++wakes;
  });
  worker.start();
  // Many rounds, since the race with a poll is rare.
  for (int round = 1; round <= 200; ++round) {
    (void)env.client().enqueue("later", 1, {.delay = 1min});
    (void)env.client().start("nap");
    env.settle();
    ASSERT_EQ(calls, round - 1);
    env.advance(1min);
    env.settle();
    ASSERT_EQ(calls, round);
    ASSERT_EQ(wakes, round);
  }
}

TEST(SkippedTime, FiresSchedules) {
  Environment env;
  std::atomic<int> calls = 0;
  Worker worker{env.client(), quiet()};
  worker.task("mail", [&] { ++calls; });
  worker.workflow("sleepy", [](Workflow& wf) { wf.sleep(3h); });
  worker.start();
  (void)env.client().schedule_task("hourly", "mail", 1, {.every = 1h});
  env.settle();
  EXPECT_EQ(calls, 0);
  for (int hour = 1; hour <= 3; ++hour) {
    env.advance(1h);
    env.settle();
    ASSERT_EQ(calls, hour);
  }
  const TimePoint began = env.now();
  env.client().start("sleepy").wait(30s);
  EXPECT_EQ(env.now() - began, Duration{3h});
  env.settle();
  EXPECT_EQ(calls, 6) << "an hour after the other, while somebody waited";
}

TEST(SkippedTime, RetriesWithoutWaiting) {
  Environment env;
  int attempts = 0;
  Worker worker{env.client(), quiet()};
  worker.workflow("stubborn", [&](Workflow& wf) {
    return wf.step("try", {.retry = {.max_attempts = 5, .initial_interval = 1h}}, [&] {
      if (++attempts < 5) throw Failure{"not_yet", "once more"};
      return attempts;
    });
  });
  worker.start();
  EXPECT_EQ(env.client().start("stubborn").result<int>(30s), 5);
}

// --- crashes ---

TEST(CrashEverywhere, RepeatsTheSameResult) {
  Ledger ledger;
  const auto report = crash_everywhere(
      [&](Workflow& wf, const std::string& name) {
        const auto greeting = wf.step("greet", [&] {
          ledger.write(wf, "greet");
          return "Hello, " + name;
        });
        wf.sleep("nap", 24h);
        wf.step("send", [&] { ledger.write(wf, "send"); });
        return greeting;
      },
      std::string{"Ada"}, {.ledger = &ledger});
  EXPECT_EQ(report.result, R"("Hello, Ada")");
  EXPECT_EQ(report.effects, (Lines{"greet", "send"}));
  EXPECT_EQ(report.points, 5) << "greet, nap begins, suspended, send, the end";
}

TEST(CrashEverywhere, RepeatsTheSameUndos) {
  Ledger ledger;
  const auto report = crash_everywhere(
      [&](Workflow& wf, const int& amount) -> int {
        wf.step("reserve", [&] { ledger.write(wf, "reserve"); });
        wf.undo("release", [&] { ledger.write(wf, "release"); });
        wf.step("pack", [&] { ledger.write(wf, "pack"); });
        wf.undo("unpack", [&] { ledger.write(wf, "unpack"); });
        throw Failure{"too_much", std::to_string(amount)};
      },
      7, {.ledger = &ledger});
  EXPECT_EQ(report.result, "compensated: too_much: 7");
  EXPECT_EQ(report.effects, (Lines{"reserve", "pack", "unpack", "release"}));
}

TEST(CrashEverywhere, CoversTasksChildrenSignalsAndBranches) {
  Ledger ledger;
  const auto report = crash_everywhere(
      [&](Workflow& wf, const int& count) {
        std::vector<int> numbers;
        for (int i = 1; i <= count; ++i) numbers.push_back(i);
        const auto squares = wf.map(numbers, [&](const int& number) { return number * number; });
        auto doubled = wf.spawn<int>("double", squares.back());
        const int child = wf.child<int>("child", 5);
        const int sent = wf.signal<int>("number", {.timeout = 24h}).value_or(0);
        return doubled.get() + child + sent;
      },
      3,
      {.ledger = &ledger,
       .handlers =
           [&](Worker& worker) {
             worker.task("double", [&](pawl::Task& task, const int& number) {
               ledger.write(task, "double");
               return 2 * number;
             });
             worker.workflow("child", [&](Workflow& wf, const int& number) {
               return wf.step("add", [&] {
                 ledger.write(wf, "add");
                 return number + 1;
               });
             });
           },
       .drive = [](const pawl::Run& run) { run.signal("number", 100); },
       .in_order = false});
  EXPECT_EQ(report.result, "124");
  EXPECT_GT(report.points, 8);
}

// A spawned step that has not completed must not be confused with the steps after it.
TEST(CrashEverywhere, AcceptsConcurrentStepsEndingInAnyOrder) {
  const auto report = crash_everywhere(
      [&](Workflow& wf, const int& number) {
        auto slow = wf.spawn("slow", [&] { return number; });
        auto fast = wf.spawn("fast", [&] { return 2 * number; });
        const int line = wf.step("line", [&] { return 3 * number; });
        const auto parts = wf.map(std::vector{1, 2, 3, 4}, [](const int& part) { return part; });
        return slow.get() + fast.get() + line + parts.back();
      },
      10);
  EXPECT_EQ(report.result, "64");
}

TEST(CrashEverywhere, ReportsADifferentResult) {
  int calls = 0;
  const std::string why = mismatch_of([&] {
    (void)crash_everywhere(
        [&](Workflow& wf, const int&) {
          const int call = ++calls;  // this decision is not recorded in a step
          wf.step("a", [] {});
          return call;
        },
        1);
  });
  EXPECT_NE(why.find("crashed before durable point 1: expected the result 1, found "), std::string::npos)
      << why;
}

TEST(CrashEverywhere, ReportsEffectsOutsideOfSteps) {
  Ledger ledger;
  const std::string why = mismatch_of([&] {
    (void)crash_everywhere(
        [&](Workflow& wf, const int&) {
          wf.step("a", [] {});
          ledger.write(wf, "mail");
          wf.step("b", [] {});
        },
        1, {.ledger = &ledger});
  });
  EXPECT_EQ(why,
            "without a crash: the effect 'mail' was written outside of a step, where every crash repeats it: "
            "write it in the function of a step");
  EXPECT_TRUE(ledger.all().front().is_outside_step);
}

TEST(CrashEverywhere, CountsTheAttemptsOfAStepAsOneEffect) {
  Ledger ledger;
  const auto report = crash_everywhere(
      [&](Workflow& wf, const std::vector<int>& amounts) {
        wf.map(amounts, [&](const int& amount) { ledger.write(wf, "pay " + std::to_string(amount)); });
        wf.step("charge", [&](Step& step) {
          ledger.write(step, "charge");
          if (step.attempt() < 3) throw std::runtime_error("the bank timed out");
        });
      },
      std::vector{1, 2, 3}, {.ledger = &ledger, .in_order = false});
  EXPECT_EQ(report.effects.size(), 4U);
}

// Fails without waiting for the timeout.
TEST(CrashEverywhere, NamesBothStepsOfANondeterministicWorkflow) {
  std::atomic<int> calls = 0;
  const std::string why = mismatch_of([&] {
    (void)crash_everywhere(
        [&](Workflow& wf, const int&) {
          wf.step(++calls % 2 == 1 ? "reserve" : "book", [] {});
          wf.step("charge", [] {});
        },
        1, {.timeout = 24h});
  });
  EXPECT_NE(why.find("crashed after durable point 1: the workflow is not deterministic: expected step '"),
            std::string::npos)
      << why;
  EXPECT_NE(why.find("'reserve'"), std::string::npos) << why;
  EXPECT_NE(why.find("'book'"), std::string::npos) << why;
}

TEST(CrashEverywhere, NamesTheStepsOfANondeterministicChild) {
  std::atomic<int> calls = 0;
  const std::string why = mismatch_of([&] {
    (void)crash_everywhere([&](Workflow& wf, const int&) { wf.child<Json>("child", 1); }, 1,
                           {.handlers =
                                [&](Worker& worker) {
                                  worker.workflow("child", [&](Workflow& wf) {
                                    wf.step("step " + std::to_string(++calls), [] {});
                                    wf.sleep(1h);
                                  });
                                },
                            .timeout = 24h});
  });
  EXPECT_EQ(why,
            "without a crash: the workflow is not deterministic: expected step 'step 1', found 'step 2'");
}

// --- histories ---

class Histories : public ::testing::Test {
 public:
  template <typename Call>
  std::string history_of(Call workflow) {
    Environment env;
    Worker worker{env.client(), quiet()};
    worker.workflow("w", workflow);
    worker.start();
    const pawl::Run run = env.client().start("w", 3);
    (void)detail::end_of(run, 30s);
    return export_history(run);
  }
};

TEST_F(Histories, AreReplayedWithoutSideEffects) {
  std::atomic<int> calls = 0;
  const auto workflow = [&](Workflow& wf, const int& number) {
    const int doubled = wf.step("double", [&] { return ++calls, 2 * number; });
    wf.sleep("nap", 24h);
    const auto parts = wf.map(std::vector{1, 2}, [&](const int& part) { return ++calls, part * doubled; });
    return std::to_string(parts.back()) + wf.uuid() + std::to_string(wf.now().time_since_epoch().count());
  };
  const std::string history = history_of(workflow);
  EXPECT_EQ(calls, 3);
  replay(history, workflow);
  EXPECT_EQ(calls, 3);
}

TEST_F(Histories, ShowTheStepThatTheChangedCodeReaches) {
  const std::string history = history_of([](Workflow& wf, const int& number) {
    wf.step("reserve", [] {});
    wf.step("charge", [] {});
    return number;
  });
  EXPECT_EQ(mismatch_of([&] {
              replay(history, [](Workflow& wf, const int& number) {
                wf.step("book", [] {});
                wf.step("charge", [] {});
                return number;
              });
            }),
            "expected step 'reserve', found 'book'");
  EXPECT_EQ(mismatch_of([&] {
              replay(history, [](Workflow& wf, const int& number) {
                wf.step("reserve", [] {});
                return number;
              });
            }),
            "expected step 'charge', found the end of the workflow");
  EXPECT_EQ(mismatch_of([&] {
              replay(history, [](Workflow& wf, const int& number) {
                wf.step("reserve", [] {});
                wf.step("charge", [] {});
                wf.step("ship", [] {});
                return number;
              });
            }),
            "expected the end of the workflow, found step 'ship'");
  EXPECT_EQ(mismatch_of([&] {
              replay(history, [](Workflow& wf, const int& number) {
                wf.step("reserve", [] {});
                wf.step("charge", [] {});
                return number + 1;
              });
            }),
            "expected the result 3, found the result 4");
}

TEST_F(Histories, AcceptPatchedCode) {
  const std::string history = history_of([](Workflow& wf, const int& number) {
    wf.step("charge", [] {});
    return number;
  });
  replay(history, [](Workflow& wf, const int& number) {
    if (wf.patched("check first")) wf.step("check", [] {});
    wf.set_status("charging");
    wf.step("charge", [] {});
    return number;
  });
}

TEST_F(Histories, OfFailedRunsAreReplayed) {
  const auto failing = [](const std::string& code) {
    return [code](Workflow& wf, const int&) -> int {
      wf.step("reserve", [] {});
      wf.undo("release", [] {});
      throw Failure{code, "no"};
    };
  };
  const std::string history = history_of(failing("a"));
  replay(history, failing("a"));
  EXPECT_EQ(
      mismatch_of([&] { replay(history, failing("b")); }),
      R"(expected the failure {"code":"a","message":"no"}, found the failure {"code":"b","message":"no"})");
}

TEST_F(Histories, OfRunsWithAFailedUndoAreReplayed) {
  const auto failing = [](Workflow& wf, const int&) -> int {
    wf.step("reserve", [] {});
    wf.undo("release", {.retry = {.max_attempts = 1}}, [] { throw std::runtime_error("stuck"); });
    throw Failure{"a", "no"};
  };
  replay(history_of(failing), failing);
}

TEST_F(Histories, OfCancelledRunsAreReplayed) {
  for (const bool undoes : {false, true}) {
    const auto workflow = [&](Workflow& wf, const int& number) {
      wf.step("reserve", [] {});
      if (undoes) wf.undo("release", [] {});
      wf.sleep(1h);
      wf.step("charge", [] {});
      return number;
    };
    Environment env;
    Worker worker{env.client(), quiet()};
    worker.workflow("w", workflow);
    worker.start();
    const pawl::Run run = env.client().start("w", 3);
    env.settle();
    run.cancel("changed my mind");
    (void)detail::end_of(run, 30s);
    const std::string history = export_history(run);
    replay(history, workflow);
    EXPECT_EQ(mismatch_of([&] { replay(history, [](Workflow& wf, const int&) { wf.step("book", [] {}); }); }),
              "expected step 'reserve', found 'book'");
  }
}

TEST_F(Histories, OfActiveRunsMayContinue) {
  Environment env;
  Worker worker{env.client(), quiet()};
  const auto workflow = [](Workflow& wf, const int& number) {
    wf.step("reserve", [] {});
    wf.signal("go");
    wf.step("charge", [] {});
    return number;
  };
  worker.workflow("w", workflow);
  worker.start();
  const pawl::Run run = env.client().start("w", 3);
  env.settle();
  replay(export_history(run), workflow);
}

}  // namespace
}  // namespace pawl::testing
