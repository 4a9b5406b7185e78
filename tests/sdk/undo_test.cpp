// However a workflow fails, all of its registered undos run in reverse order, or the run reports which did
// not.

#include <algorithm>
#include <atomic>
#include <thread>

#include "pawl/testing.hpp"
#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

class Undoing : public ::testing::Test {
 public:
  template <typename Call>
  pawl::Run start(Call workflow) {
    worker.emplace(env.client(), quiet());
    worker->task("double", [](const int& number) { return 2 * number; });
    worker->workflow("saga", workflow);
    worker->start();
    return env.client().start("saga");
  }
  template <typename Call>
  RunFailed failure_of_saga(Call workflow) {
    return failure_of(start(workflow));
  }
  // A step with its undo.
  void pay(Workflow& wf, const std::string& what) {
    wf.step("pay", [] {});
    wf.undo("refund", [this, what] { effects.add("refund " + what); });
  }

  Effects effects;
  Environment env;
  std::optional<Worker> worker;  // declared last: it uses the members above
};

TEST_F(Undoing, WorksAfterARandomNumber) {
  const RunFailed failed = failure_of_saga([&](Workflow& wf) {
    pay(wf, "one");
    throw Failure{"unlucky", std::to_string(wf.random())};
  });
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(effects.all(), Lines{"refund one"});
}

TEST_F(Undoing, WorksAfterAUuid) {
  const RunFailed failed = failure_of_saga([&](Workflow& wf) {
    pay(wf, "one");
    throw Failure{"unlucky", wf.uuid()};
  });
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(effects.all(), Lines{"refund one"});
}

TEST_F(Undoing, WorksAfterAnInvalidStepName) {
  const RunFailed of_undo = failure_of_saga([&](Workflow& wf) {
    pay(wf, "one");
    wf.undo("a/b", [] {});
  });
  EXPECT_EQ(of_undo.state(), "compensated");
  EXPECT_EQ(of_undo.code(), "invalid_step_name");
  worker.reset();
  const RunFailed of_branch = failure_of_saga([&](Workflow& wf) {
    pay(wf, "two");
    auto branch = wf.spawn("a/b", [](Workflow&) { return 1; });
    return branch.get();
  });
  EXPECT_EQ(of_branch.state(), "compensated");
  EXPECT_EQ(effects.all(), (Lines{"refund one", "refund two"}));
}

TEST_F(Undoing, CoversTheItemsOfAMapWithAFailedItem) {
  const RunFailed failed = failure_of_saga([&](Workflow& wf) {
    wf.map(std::vector{1, 2, 3},
           [&](Workflow& own, const int& number) {
             pay(own, std::to_string(number));
             if (number == 2) throw Failure{"broken", "the second"};
             return number;
           },
           {.parallel = 1});
  });
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(failed.code(), "broken");
  EXPECT_EQ(effects.all(), (Lines{"refund 3", "refund 2", "refund 1"}));
}

TEST_F(Undoing, CoversTheItemsOfAFinalMap) {
  const RunFailed failed = failure_of_saga([&](Workflow& wf) {
    pay(wf, "first");
    wf.map(std::vector{1, 2}, [&](Workflow& own, const int& number) { pay(own, std::to_string(number)); },
           {.parallel = 1});
    throw Failure{"later", "after the map"};
  });
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(effects.all(), (Lines{"refund 2", "refund 1", "refund first"}));
}

TEST_F(Undoing, CoversAFinalBranch) {
  std::atomic<bool> is_paid = false;
  const RunFailed failed = failure_of_saga([&](Workflow& wf) {
    auto branch = wf.spawn("branch", [&](Workflow& own) {
      pay(own, "it");
      is_paid = true;
      return 1;
    });
    static_cast<void>(eventually([&] { return is_paid.load(); }));
    throw Failure{"later", "after the spawn"};
  });
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(effects.all(), Lines{"refund it"});
}

TEST_F(Undoing, CoversNestedBranches) {
  const RunFailed failed = failure_of_saga([&](Workflow& wf) {
    wf.spawn("outer", [&](Workflow& outer) {
        pay(outer, "outer");
        outer.spawn("inner", [&](Workflow& inner) { pay(inner, "inner"); }).get();
      }).get();
    throw Failure{"later", "after both"};
  });
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(effects.all(), (Lines{"refund inner", "refund outer"}));
}

TEST_F(Undoing, CoversAFailedBranchThatWasNotAwaited) {
  const RunFailed failed = failure_of_saga([&](Workflow& wf) {
    pay(wf, "main");
    {
      auto branch = wf.spawn("branch", [&](Workflow& own) {
        pay(own, "branch");
        throw Failure{"broken", "in the branch"};
      });
    }
    return 7;
  });
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(failed.code(), "broken");
  EXPECT_EQ(effects.all(), (Lines{"refund branch", "refund main"}));
}

TEST_F(Undoing, CoversACanceledBranchThatWasNotAwaited) {
  std::atomic<bool> is_waiting = false;
  std::atomic<bool> may_go_on = false;
  const pawl::Run run = start([&](Workflow& wf) {
    pay(wf, "main");
    auto branch = wf.spawn("branch", [&](Workflow& own) {
      own.step("hold", [&] {
        is_waiting = true;
        static_cast<void>(eventually([&] { return may_go_on.load(); }));
      });
      own.step("never", [&] { effects.add("never"); });
    });
    return 1;
  });
  ASSERT_TRUE(eventually([&] { return is_waiting.load(); }));
  run.cancel("changed my mind");
  may_go_on = true;
  EXPECT_EQ(failure_of(run).state(), "compensated");
  EXPECT_EQ(effects.all(), Lines{"refund main"});
}

TEST_F(Undoing, SkipsSpawnedTasksThatWereNotAwaited) {
  const RunFailed failed = failure_of_saga([&](Workflow& wf) {
    pay(wf, "first");
    auto doubled = wf.spawn<int>("double", 1);
    wf.undo("forget", [this] { effects.add("forget"); });
    throw Failure{"later", "at once"};
  });
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(effects.all(), (Lines{"forget", "refund first"}));
}

// Whether the lambda starts is up to the scheduler, since it is abandoned as soon as it exists.
TEST_F(Undoing, SkipsASpawnedLambdaThatMayNotHaveRun) {
  pawl::Run run = start([&](Workflow& wf) {
    pay(wf, "first");
    auto label = wf.spawn("label", [] { return 1; });
    wf.undo("forget", [this] { effects.add("forget"); });
    throw Failure{"later", "at once"};
  });
  for (int i = 1; i <= 20; ++i) {
    const RunFailed failed = failure_of(run);
    ASSERT_EQ(failed.state(), "compensated") << failed.what();
    EXPECT_EQ(effects.count("forget"), i);
    EXPECT_EQ(effects.count("refund first"), i);
    run = env.client().start("saga");
  }
}

TEST_F(Undoing, WorksAfterALambdaThatALostWorkerLeftUnfinished) {
  std::atomic<bool> has_begun = false;
  std::atomic<bool> may_end = false;
  const auto saga = [&](Workflow& wf) {
    auto one = wf.spawn("reserve one", [] {});
    auto two = wf.spawn("reserve two", [&] {
      has_begun = true;
      static_cast<void>(eventually([&] { return may_end.load(); }));
    });
    one.get();
    wf.undo("release one", [this] { effects.add("release one"); });
    two.get();
  };
  const Client client = connect("memory:");
  const pawl::Run run = client.start("saga");
  Worker lost{client, quiet({.lease = 1s, .drain_timeout = 1ms})};
  lost.workflow("saga", saga);
  lost.start();
  ASSERT_TRUE(eventually([&] { return has_begun && run.steps().size() == 1; }));
  std::thread stopping{[&] { lost.stop(); }};
  const auto is_lost = [&] {
    const auto events = run.events();
    return std::any_of(events.begin(), events.end(),
                       [](const Event& event) { return event.type == "lease_expired"; });
  };
  EXPECT_TRUE(eventually(is_lost));
  run.cancel();
  Worker next{client, quiet()};
  next.workflow("saga", saga);
  next.start();
  EXPECT_EQ(failure_of(run).state(), "compensated");
  EXPECT_EQ(effects.all(), Lines{"release one"});
  may_end = true;
  stopping.join();
}

TEST_F(Undoing, EndsTheRunEvenIfTheFailureIsSwallowed) {
  const RunFailed failed = failure_of_saga([&](Workflow& wf) {
    pay(wf, "one");
    try {
      wf.step("charge", {.retry = {.max_attempts = 1}}, [] { throw Failure{"declined", "no money"}; });
    } catch (const StepFailed&) {
      throw;
    } catch (...) {
      return 42;
    }
    return 1;
  });
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(failed.code(), "declined");
  EXPECT_EQ(effects.all(), Lines{"refund one"});
}

// The decision is not recorded in a step: the second pass fails before it reaches the registered undo.
TEST_F(Undoing, OfAStepThatTheCodeDoesNotReachIsReportedAsFailed) {
  std::atomic<int> passes = 0;
  const RunFailed failed = failure_of_saga([&](Workflow& wf) {
    const bool is_first = ++passes == 1;
    wf.step("first", [] {});
    if (!is_first) throw Failure{"earlier", "than before"};
    pay(wf, "one");
    throw Failure{"broken", "later"};
  });
  EXPECT_EQ(failed.state(), "compensation_failed");
  EXPECT_NE(std::string{failed.what()}.find("refund"), std::string::npos) << failed.what();
  EXPECT_EQ(effects.all(), Lines{});
}

// --- crashes at any point ---

TEST(CrashEverywhere, RepeatsTheUndosOfAMap) {
  Ledger ledger;
  const auto report = crash_everywhere(
      [&](Workflow& wf, const int&) -> int {
        wf.map(std::vector{1, 2, 3}, [&](Workflow& own, const int& number) {
          own.step("pay", [&] { ledger.write(own, "pay " + std::to_string(number)); });
          own.undo("refund",
                   [&ledger, &wf, number] { ledger.write(wf, "refund " + std::to_string(number)); });
          if (number == 3) throw Failure{"third", "no"};
        });
        return 1;
      },
      1, {.ledger = &ledger, .in_order = false});
  EXPECT_EQ(report.result, "compensated: third: no");
  EXPECT_EQ(report.effects.size(), 6U);
}

TEST(CrashEverywhere, RepeatsTheUndosOfBranchesAndLaterSteps) {
  Ledger ledger;
  const auto report = crash_everywhere(
      [&](Workflow& wf, const int&) -> int {
        wf.spawn("branch", [&](Workflow& own) {
            own.step("pay", [&] { ledger.write(own, "pay"); });
            own.undo("refund", [&] { ledger.write(wf, "refund"); });
            own.sleep(1h);
            own.set_status("paid");
          }).get();
        wf.step("pack", [&] { ledger.write(wf, "pack"); });
        wf.undo("unpack", [&] { ledger.write(wf, "unpack"); });
        auto doubled = wf.spawn<int>("double", 1);
        wf.undo("forget", [&] { ledger.write(wf, "forget"); });
        throw Failure{"too_much", wf.random() > 0 ? "by chance" : "never"};
      },
      1, {.ledger = &ledger, .handlers = [](Worker& worker) {
            worker.task("double", [](const int& number) { return 2 * number; });
          }});
  EXPECT_EQ(report.result, "compensated: too_much: by chance");
  EXPECT_EQ(report.effects, (Lines{"pay", "pack", "forget", "unpack", "refund"}));
}

}  // namespace
}  // namespace pawl::testing
