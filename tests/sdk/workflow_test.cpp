// Workflows: steps, waits, undos, and the effect of code changes.

#include <atomic>
#include <cmath>

#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

using Workflows = SdkTest;

TEST_P(Workflows, RunTheirStepsOnceAndKeepTheResults) {
  Effects effects;
  Worker worker{client, leaving()};
  worker.workflow("sum", [&](Workflow& wf, const std::vector<int>& numbers) {
    int sum = 0;
    for (const int number : numbers) {
      sum += wf.step("add", [&] {
        effects.add("add " + std::to_string(number));
        return number;
      });
      wf.sleep(1ms);
    }
    return sum;
  });
  worker.start();
  const auto run = client.start("sum", std::vector{1, 2, 3});
  EXPECT_EQ(run.result<int>(30s), 6);
  EXPECT_EQ(effects.all(), (Lines{"add 1", "add 2", "add 3"}));
  Lines names;
  for (const StepInfo& step : run.steps()) names.push_back(step.step + " " + step.state);
  EXPECT_EQ(names, (Lines{"add completed", "sleep completed", "add#2 completed", "sleep#2 completed",
                          "add#3 completed", "sleep#3 completed"}));
}

TEST_P(Workflows, ReceiveEarlyAndLateSignals) {
  Worker worker{client, leaving()};
  worker.workflow("ask", [](Workflow& wf) {
    const auto first = wf.signal<int>("number");
    const auto second = wf.signal<int>("number");
    return *first * 10 + *second;
  });
  const auto run = client.start("ask");
  run.signal("number", 4);
  worker.start();
  ASSERT_TRUE(eventually([&] { return run.state() == "sleeping"; }));
  run.signal("number", 2);
  EXPECT_EQ(run.result<int>(30s), 42);
}

TEST_P(Workflows, ContinueAfterASignalTimeout) {
  Worker worker{client, quiet()};
  worker.workflow("ask",
                  [](Workflow& wf) { return wf.signal<int>("number", {.timeout = 20ms}).has_value(); });
  worker.start();
  EXPECT_FALSE(client.start("ask").result<bool>(30s));
}

TEST_P(Workflows, RetryAFailedStepWithANewExecutionKey) {
  Effects effects;
  for (const Duration suspend_after : {Duration{0}, Duration{1s}}) {
    Worker worker{client, quiet({.suspend_after = suspend_after})};
    worker.workflow("flaky", [&](Workflow& wf) {
      return wf.step("call", {.retry = {.initial_interval = 1ms}}, [&] {
        effects.add(wf.execution_key());
        if (effects.all().size() % 3 != 0) throw std::runtime_error("not yet");
        return wf.execution_key();
      });
    });
    worker.start();
    const auto run = client.start("flaky");
    EXPECT_EQ(run.result<std::string>(30s), run.id() + ":call:3");
  }
  EXPECT_EQ(effects.all().size(), 6U);
}

TEST_P(Workflows, MayCatchAPermanentStepFailure) {
  Worker worker{client, quiet()};
  worker.workflow("careful", [](Workflow& wf) -> std::string {
    try {
      wf.step("charge", {.retry = {.non_retryable = {"invalid_card"}}}, [] {
        throw Failure{"invalid_card", "expired"};
      });
    } catch (const StepFailed& failed) {
      return failed.step() + " " + failed.code() + " " + failed.what();
    }
    return "";
  });
  worker.start();
  EXPECT_EQ(client.start("careful").result<std::string>(30s), "charge invalid_card expired");
}

TEST_P(Workflows, UndoTheirStepsInReverseOrderWhenTheyFail) {
  Effects effects;
  Worker worker{client, leaving()};
  worker.workflow("saga", [&](Workflow& wf, const std::string& order) {
    const auto held =
        wf.step("reserve", [&] { return "a hold that is too long to be kept in place of " + order; });
    wf.undo("release", [&] { effects.add("release " + held); });
    wf.sleep(1ms);
    const auto paid = wf.step("charge", [&] { return "a payment that is too long to be kept in place"; });
    wf.undo("refund", [&] { effects.add("refund " + paid); });
    throw Failure{"no_stock", "there is none left"};
  });
  worker.start();
  const RunFailed failed = failure_of(client.start("saga", "order-7"));
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(failed.code(), "no_stock");
  EXPECT_EQ(effects.all(), (Lines{"refund a payment that is too long to be kept in place",
                                  "release a hold that is too long to be kept in place of order-7"}));
}

TEST_P(Workflows, UndoTheirStepsWhenTheyAreCancelled) {
  Effects effects;
  Worker worker{client, leaving()};
  worker.workflow("saga", [&](Workflow& wf) {
    const auto held = wf.step("reserve", [] { return std::string{"hold"}; });
    wf.undo("release", [&] { effects.add("release " + held); });
    static_cast<void>(wf.signal("never"));
  });
  worker.start();
  const auto run = client.start("saga");
  ASSERT_TRUE(eventually([&] { return run.state() == "sleeping"; }));
  run.cancel("changed my mind");
  const RunFailed failed = failure_of(run);
  EXPECT_EQ(effects.all(), Lines{"release hold"});
  EXPECT_EQ(failed.state(), "compensated");
}

TEST_P(Workflows, RetryAFailedUndo) {
  Effects effects;
  Worker worker{client, leaving()};
  worker.workflow("saga", [&](Workflow& wf) {
    wf.step("one", [] {});
    wf.undo("undo one", [&] { effects.add("one"); });
    wf.step("two", [] {});
    wf.undo("undo two", {.retry = {.initial_interval = 1ms}}, [&] {
      effects.add("two");
      if (effects.count("two") < 3) throw std::runtime_error("not yet");
    });
    throw Failure{"boom", "boom"};
  });
  worker.start();
  EXPECT_EQ(failure_of(client.start("saga")).state(), "compensated");
  EXPECT_EQ(effects.all(), (Lines{"two", "two", "two", "one"}));
}

TEST_P(Workflows, RunTheRemainingUndosAfterOneFailed) {
  Effects effects;
  Worker worker{client, quiet()};
  worker.workflow("saga", [&](Workflow& wf) {
    wf.step("one", [] {});
    wf.undo("undo one", [&] { effects.add("one"); });
    wf.step("two", [] {});
    wf.undo("undo two", {.retry = {.max_attempts = 1}}, [] { throw std::runtime_error("stuck"); });
    throw Failure{"boom", "boom"};
  });
  worker.start();
  const auto run = client.start("saga");
  const RunFailed failed = failure_of(run);
  EXPECT_EQ(failed.state(), "compensation_failed");
  EXPECT_EQ(failed.code(), "boom") << "the original error stays";
  EXPECT_NE(std::string{failed.what()}.find("'undo two' failed: stuck"), std::string::npos) << failed.what();
  EXPECT_EQ(effects.all(), Lines{"one"});
}

TEST_P(Workflows, FailAtTheirDeadline) {
  Worker worker{client, leaving()};
  worker.workflow("slow", [](Workflow& wf) { static_cast<void>(wf.signal("never")); });
  worker.start();
  const RunFailed failed = failure_of(client.start("slow", nullptr, {.deadline = 50ms}));
  EXPECT_EQ(failed.code(), "deadline_exceeded");
}

TEST_P(Workflows, SpawnTasksAndCollectTheirResultsInOrder) {
  Worker worker{client, leaving()};
  worker.task("double", [](const int& number) { return 2 * number; }).task("fails", [] {
    throw Failure{"broken", "always", false};
  });
  worker.workflow("fan", [](Workflow& wf, const std::vector<int>& numbers) {
    std::vector<Pending<int>> doubled;
    for (const int number : numbers) doubled.push_back(wf.spawn<int>("double", number));
    return wf.all(doubled);
  });
  worker.workflow("broken fan", [](Workflow& wf) {
    std::vector<Pending<int>> both;
    both.push_back(wf.spawn<int>("double", 1));
    both.push_back(wf.spawn<int>("fails", nullptr));
    return wf.all(both);
  });
  worker.workflow("race", [](Workflow& wf) {
    std::vector<Pending<int>> racing;
    racing.push_back(wf.spawn<int>("never", nullptr));
    racing.push_back(wf.spawn<int>("double", 21));
    const auto first = wf.any(racing);
    return first.index * 100 + static_cast<std::size_t>(first.value);
  });
  worker.start();
  EXPECT_EQ(client.start("fan", std::vector{1, 2, 3}).result<std::vector<int>>(30s), (std::vector{2, 4, 6}));
  EXPECT_EQ(client.start("fan", std::vector<int>{}).result<std::vector<int>>(30s), std::vector<int>{});
  EXPECT_EQ(failure_of(client.start("broken fan")).code(), "broken");
  EXPECT_EQ(client.start("race").result<int>(30s), 142);
}

TEST_P(Workflows, SpawnMoreTasksThanOneRequestCanHold) {
  Worker worker{client, leaving()};
  worker.task("size", [](const std::string& text) { return text.size(); });
  worker.workflow("fan", [](Workflow& wf) {
    std::vector<Pending<std::size_t>> sizes;
    for (int i = 0; i < 7; ++i) sizes.push_back(wf.spawn<std::size_t>("size", std::string(900'000, 'x')));
    return wf.all(sizes).size();
  });
  worker.start();
  EXPECT_EQ(client.start("fan").result<int>(60s), 7);
}

TEST_P(Workflows, StartSpawnedTasksBeforeTheNextStep) {
  std::atomic<bool> is_done = false;
  Worker worker{client, leaving()};
  worker.task("mark", [&] { is_done = true; });
  worker.workflow("fan", [&](Workflow& wf) {
    const auto pending = wf.spawn<Json>("mark", nullptr);
    return wf.step("look", [&] { return eventually([&] { return is_done.load(); }); });
  });
  worker.start();
  EXPECT_TRUE(client.start("fan").result<bool>(60s));
}

TEST_P(Workflows, LearnOfARejectedSpawnWhenTheyAwaitIt) {
  Effects effects;
  Worker worker{client, leaving()};
  worker.task("double", [](const int& number) { return 2 * number; });
  worker.workflow("fan", [&](Workflow& wf) {
    const auto good = wf.spawn<int>("double", 21);
    const auto bad = wf.spawn<int>("double", 1, {.queue = std::string(300, 'q')});
    const auto late = wf.spawn<int>("double", 0);
    wf.step("pay", [&] { effects.add("pay"); });
    EXPECT_THROW((void)bad.get(), StepFailed);
    return good.get() + late.get();
  });
  worker.start();
  EXPECT_EQ(client.start("fan").result<int>(60s), 42);
  EXPECT_EQ(effects.count("pay"), 1);
}

TEST_P(Workflows, RunLambdasConcurrently) {
  Effects effects;
  Worker worker{client, leaving()};
  worker.workflow("branches", [&](Workflow& wf) {
    auto step = wf.spawn("one step", [&] {
      effects.add("one step");
      return 1;
    });
    auto branch = wf.spawn("branch", [&](Workflow& own) {
      const int kept = own.step("kept", [&] {
        effects.add("kept");
        return 10;
      });
      own.sleep(1ms);
      return kept + own.step("after", [&] {
        effects.add("after");
        return 100;
      });
    });
    const int given = step.get() + branch.get();
    return given + wf.step("last", [] { return 1000; });
  });
  worker.start();
  const auto run = client.start("branches");
  EXPECT_EQ(run.result<int>(30s), 1111);
  for (const auto* effect : {"one step", "kept", "after"}) EXPECT_EQ(effects.count(effect), 1) << effect;
  Lines names;
  for (const StepInfo& step : run.steps()) names.push_back(step.step);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (Lines{"branch/after", "branch/kept", "branch/sleep", "last", "one step"}));
}

TEST_P(Workflows, MapItemsWithLimitedParallelism) {
  Effects effects;
  Worker worker{client, leaving()};
  worker.workflow("map", [&](Workflow& wf, const std::vector<int>& numbers) {
    const auto squares = wf.map(numbers, [&](const int& number) {
      effects.add("square");
      return number * number;
    });
    wf.sleep(1ms);
    return wf.map(squares,
                  [&](Workflow& own, const int& square) {
                    own.sleep(1ms);
                    return own.step("add", [&] {
                      effects.add("add");
                      return square + 1;
                    });
                  },
                  {.name = "plus", .parallel = 3});
  });
  worker.start();
  EXPECT_EQ(client.start("map", std::vector{1, 2, 3, 4, 5}).result<std::vector<int>>(60s),
            (std::vector{2, 5, 10, 17, 26}));
  EXPECT_EQ(effects.count("square"), 5);
  EXPECT_EQ(effects.count("add"), 5);
}

TEST_P(Workflows, StartChildrenAsSeparateRuns) {
  Worker worker{client, leaving()};
  worker.workflow("child", [](Workflow& wf, const int& number) {
    return wf.step("work", [&] {
      if (number < 0) throw Failure{"negative", "is negative", false};
      return number + 1;
    });
  });
  worker.workflow("parent",
                  [](Workflow& wf, const int& number) { return wf.child<int>("child", number) * 2; });
  worker.start();
  EXPECT_EQ(client.start("parent", 20).result<int>(30s), 42);
  EXPECT_EQ(failure_of(client.start("parent", -1)).code(), "negative");
}

TEST_P(Workflows, RunInTheQueueOfTheirWorkersWithTheirTasks) {
  WorkerOptions options = leaving();
  options.queues = {"orders"};
  Worker worker{client, options};
  worker.task("label", [](const int& item) { return item * 10; });
  worker.workflow("ship", [&](Workflow& wf) {
    std::vector<Pending<int>> labels;
    for (const int item : {1, 2}) labels.push_back(wf.spawn<int>("label", item));
    return wf.all(labels);
  });
  worker.start();
  EXPECT_EQ(client.start("ship").result<std::vector<int>>(30s), (std::vector{10, 20}));
}

TEST_P(Workflows, WaitForTheFirstOfSeveralVoidResults) {
  Worker worker{client, leaving()};
  worker.workflow("race", [&](Workflow& wf) {
    std::vector<Pending<void>> runners;
    runners.push_back(wf.spawn("one", [] {}));
    return wf.any(runners).index;
  });
  worker.start();
  EXPECT_EQ(client.start("race").result<int>(30s), 0);
}

TEST_P(Workflows, SeeTheSameTimeAndRandomNumbersInEveryReplay) {
  Effects seen;
  Worker worker{client, leaving()};
  worker.workflow("chance", [&](Workflow& wf) {
    wf.step("begin", [] {});
    seen.add(wf.uuid() + " " + std::to_string(wf.random()) + " " +
             std::to_string(wf.now().time_since_epoch().count()));
    wf.sleep(1ms);
    wf.sleep(1ms);
    return wf.uuid();
  });
  worker.start();
  const std::string one = client.start("chance").result<std::string>(30s);
  const Lines lines = seen.all();
  ASSERT_GE(lines.size(), 2U);
  for (const std::string& line : lines) EXPECT_EQ(line, lines.front());
  EXPECT_NE(client.start("chance").result<std::string>(30s), one);
}

TEST_P(Workflows, ShowTheStatusThatTheySet) {
  Worker worker{client, leaving()};
  worker.workflow("status", [](Workflow& wf) {
    wf.set_status("waits for you");
    static_cast<void>(wf.signal("go"));
    wf.set_status("done");
  });
  worker.start();
  const auto run = client.start("status");
  EXPECT_TRUE(eventually([&] { return run.info().custom_status == "waits for you"; }));
  run.signal("go");
  run.wait(30s);
  EXPECT_EQ(run.info().custom_status, "done");
}

TEST_P(Workflows, FinishTheirStepAndStartNoOtherWhenPaused) {
  Effects effects;
  std::atomic<bool> may_end = false;
  Worker worker{client, quiet()};
  worker.workflow("pausing", [&](Workflow& wf) {
    wf.step("first", [&] {
      effects.add("first");
      static_cast<void>(eventually([&] { return may_end.load(); }));
    });
    wf.step("second", [&] { effects.add("second"); });
    return 2;
  });
  worker.start();
  const auto run = client.start("pausing");
  ASSERT_TRUE(eventually([&] { return effects.count("first") == 1; }));
  run.pause();
  may_end = true;
  std::string body;
  for (const Event& event : run.events()) {
    if (event.type == "task_scheduled") body = event.payload()["task_id"];
  }
  ASSERT_TRUE(eventually([&] { return client.task(body).status == "blocked"; })) << client.task(body).status;
  EXPECT_EQ(effects.all(), Lines{"first"});
  EXPECT_EQ(run.state(), "paused");
  run.resume();
  EXPECT_EQ(run.result<int>(30s), 2);
  EXPECT_EQ(effects.all(), (Lines{"first", "second"}));
}

TEST_P(Workflows, WithChangedCodeAreParked) {
  const auto run = client.start("changing");
  {
    Worker old{client, leaving()};
    old.workflow("changing", [](Workflow& wf) {
      wf.step("reserve", [] {});
      static_cast<void>(wf.signal("go"));
    });
    old.start();
    ASSERT_TRUE(eventually([&] { return run.state() == "sleeping"; }));
  }
  run.signal("go");
  Worker changed{client, leaving()};
  changed.workflow("changing", [](Workflow& wf) {
    wf.step("book", [] {});
    static_cast<void>(wf.signal("go"));
  });
  changed.start();
  ASSERT_TRUE(eventually([&] { return run.state() == "paused"; }));
  EXPECT_EQ(run.info().custom_status, "expected step 'reserve', found 'book'");
}

TEST_P(Workflows, WithPatchedCodeKeepTheOldPathInOlderRuns) {
  const auto changed = [](Workflow& wf) -> std::string {
    const bool is_new = wf.patched("greet first");
    if (is_new) wf.step("greet", [] {});
    wf.step("reserve", [] {});
    static_cast<void>(wf.signal("go"));
    return is_new ? "new" : "old";
  };
  const auto begun = client.start("patched");
  {
    Worker old{client, leaving()};
    old.workflow("patched", [](Workflow& wf) {
      wf.step("reserve", [] {});
      static_cast<void>(wf.signal("go"));
    });
    old.start();
    ASSERT_TRUE(eventually([&] { return begun.state() == "sleeping"; }));
  }
  Worker worker{client, leaving()};
  worker.workflow("patched", changed);
  worker.start();
  const auto fresh = client.start("patched");
  begun.signal("go");
  fresh.signal("go");
  EXPECT_EQ(begun.result<std::string>(30s), "old");
  EXPECT_EQ(fresh.result<std::string>(30s), "new");
}

TEST_P(Workflows, AreReportedIfTheySwallowTheUnwinding) {
  Worker worker{client, leaving()};
  worker.workflow("swallows", [](Workflow& wf) {
    try {
      wf.sleep(1h);
    } catch (...) {
    }
    return 1;
  });
  worker.start();
  EXPECT_EQ(failure_of(client.start("swallows")).code(), "unwinding_swallowed");
}

TEST_P(Workflows, FailCleanlyOnAResultThatCannotBeStored) {
  Worker worker{client, quiet()};
  worker.workflow("bytes", [](Workflow& wf) { return wf.step("bytes", [] { return std::string{"\xff"}; }); });
  worker.workflow("large",
                  [](Workflow& wf) { return wf.step("large", [] { return std::string(3'000'000, 'x'); }); });
  worker.workflow("nested", [](Workflow& wf) { wf.step("outer", [&] { wf.step("inner", [] {}); }); });
  worker.workflow("slash", [](Workflow& wf) { wf.step("a/b", [] {}); });
  worker.workflow("number", [](Workflow& wf) {
    return wf.step("number", [] { return std::vector{1.0, std::nan("")}; });
  });
  worker.workflow("item", [](Workflow& wf) {
    wf.step("map[0]", [] { return 5; });
    return wf.map(std::vector{1, 2}, [](const int& item) { return item; });
  });
  worker.start();
  EXPECT_EQ(failure_of(client.start("bytes")).code(), "invalid_result");
  EXPECT_EQ(failure_of(client.start("large")).code(), "result_refused");
  EXPECT_EQ(failure_of(client.start("nested")).code(), "nested_step");
  EXPECT_EQ(failure_of(client.start("slash")).code(), "invalid_step_name");
  EXPECT_EQ(failure_of(client.start("number")).code(), "invalid_result");
  EXPECT_EQ(failure_of(client.start("item")).code(), "invalid_step_name");
}

TEST_P(Workflows, ContinueOnAnotherWorkerWhenTheirsStops) {
  Effects effects;
  std::atomic<bool> may_end = false;
  const auto slow = [&](Workflow& wf) {
    wf.step("one", [&] {
      effects.add("one");
      static_cast<void>(eventually([&] { return may_end.load(); }));
    });
    wf.step("two", [&] { effects.add("two"); });
  };
  Worker first{client, quiet()};
  first.workflow("slow", slow);
  first.start();
  const auto run = client.start("slow");
  ASSERT_TRUE(eventually([&] { return effects.count("one") == 1; }));
  std::thread stopping{[&] { first.stop(); }};
  may_end = true;
  stopping.join();
  Worker second{client, quiet()};
  second.workflow("slow", slow);
  second.start();
  run.wait(30s);
  EXPECT_EQ(effects.all(), (Lines{"one", "two"}));
}

TEST_P(Workflows, HoldNoThreadWhileSleeping) {
  Worker worker{client, quiet({.max_concurrent = 2, .suspend_after = Duration{0}})};
  worker.workflow("sleeps", [](Workflow& wf) { static_cast<void>(wf.signal("wake")); });
  worker.start();
  std::vector<pawl::Run> runs;
  for (int i = 0; i < 40; ++i) runs.push_back(client.start("sleeps"));
  for (const auto& run : runs) ASSERT_TRUE(eventually([&] { return run.state() == "sleeping"; }));
  for (const auto& run : runs) run.signal("wake");
  for (const auto& run : runs) run.wait(30s);
}

PAWL_ON_EVERY_WAY(Workflows);

}  // namespace
}  // namespace pawl::testing
