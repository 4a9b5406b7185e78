// Keys for external calls: the same for every attempt, different for every step, branch and item.

#include <set>
#include <thread>

#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

constexpr RetryPolicy kRetrySoon{.max_attempts = 3, .initial_interval = 1ms};

class OperationKeys : public SdkTest {
 public:
  Effects keys;
};

// The key that an external service receives.
std::string key_of(const Failure& failure) { return failure.code(); }

TEST_P(OperationKeys, AreTheSameForEveryAttemptOfAStep) {
  Worker worker{client, quiet()};
  worker.workflow("flaky", [&](Workflow& wf) {
    return wf.step("charge", {.retry = kRetrySoon}, [&](Step& step) {
      keys.add(step.operation_key());
      keys.add(wf.operation_key());
      if (step.attempt() < 3) throw std::runtime_error("not yet");
      return step.execution_key() + " " + step.id();
    });
  });
  worker.start();
  const auto run = client.start("flaky");
  EXPECT_EQ(run.result<std::string>(30s), run.id() + ":charge:3 charge");
  EXPECT_EQ(keys.all(), Lines(6, run.id() + ":charge"));
}

TEST_P(OperationKeys, DifferForEverySpawnedStepAndBranch) {
  Worker worker{client, leaving()};
  worker.workflow("payments", [&](Workflow& wf) {
    const auto pay = [&] { return wf.operation_key(); };
    std::vector<Pending<std::string>> paid;
    for (int i = 0; i < 3; ++i) paid.push_back(wf.spawn("pay", pay));
    paid.push_back(wf.spawn("pay", [](Step& step) { return step.operation_key(); }));
    paid.push_back(wf.spawn("line", [&](Workflow& line) {
      return line.step("pay", [&] { return wf.operation_key() + " " + line.operation_key(); });
    }));
    return wf.all(paid);
  });
  worker.start();
  const auto run = client.start("payments");
  const std::string at = run.id() + ":";
  EXPECT_EQ(run.result<Lines>(30s), (Lines{at + "pay", at + "pay#2", at + "pay#3", at + "pay#4",
                                           at + "line/pay " + at + "line/pay"}));
}

TEST_P(OperationKeys, DifferForEveryItemOfAMap) {
  Worker worker{client, leaving()};
  worker.workflow("payments", [&](Workflow& wf) {
    const std::vector<int> amounts{5, 6, 7};
    Lines given = wf.map(amounts, [&](const int&) { return wf.operation_key(); });
    const Lines with_step = wf.map(amounts, [](Step& step, const int&) { return step.operation_key(); });
    const Lines of_branches = wf.map(
        amounts,
        [&](Workflow& item, const int&) { return item.step("pay", [&] { return wf.operation_key(); }); },
        {.name = "branch"});
    given.insert(given.end(), with_step.begin(), with_step.end());
    given.insert(given.end(), of_branches.begin(), of_branches.end());
    return given;
  });
  worker.start();
  const auto run = client.start("payments");
  Lines expected;
  for (const auto* name : {"map[", "map#2[", "branch["}) {
    for (int i = 0; i < 3; ++i)
      expected.push_back(run.id() + ":" + name + std::to_string(i) + (name[0] == 'b' ? "]/pay" : "]"));
  }
  EXPECT_EQ(run.result<Lines>(30s), expected);
}

TEST_P(OperationKeys, OfUndosDifferFromThoseOfSteps) {
  Worker worker{client, leaving()};
  std::atomic<int> tries = 0;
  worker.workflow("saga", [&](Workflow& wf) -> int {
    wf.step("charge", [&] { keys.add(wf.operation_key()); });
    wf.undo("refund", {.retry = kRetrySoon}, [&](Step& step) {
      keys.add(step.operation_key());
      if (++tries < 2) throw std::runtime_error("not yet");
    });
    wf.step("charge", [&] { keys.add(wf.operation_key()); });
    wf.undo("charge", [&] { keys.add(wf.operation_key()); });
    throw Failure{"no_stock", "none left"};
  });
  worker.start();
  const auto run = client.start("saga");
  EXPECT_EQ(failure_of(run).state(), "compensated");
  const std::string at = run.id() + ":";
  EXPECT_EQ(keys.all(),
            (Lines{at + "charge", at + "charge#2", at + "charge#3", at + "refund", at + "refund"}));
}

TEST_P(OperationKeys, AreKeptByARetriedRun) {
  Worker worker{client, leaving()};
  std::atomic<bool> is_fixed = false;
  worker.workflow("pay", [&](Workflow& wf) {
    return wf.step("charge", {.retry = {.max_attempts = 1}}, [&](Step& step) {
      keys.add(step.operation_key());
      if (!is_fixed) throw Failure{"down", "the bank is away"};
      return step.operation_key();
    });
  });
  worker.start();
  const auto run = client.start("pay");
  EXPECT_EQ(failure_of(run).code(), "down");
  is_fixed = true;
  run.retry();
  EXPECT_EQ(run.result<std::string>(30s), run.id() + ":charge");
  EXPECT_EQ(keys.all(), Lines(2, run.id() + ":charge"));
}

TEST_P(OperationKeys, OfATaskAreTheSameForEveryAttempt) {
  Worker worker{client, quiet()};
  worker.task("email.send", [&](pawl::Task& task) {
    keys.add(task.operation_key());
    if (task.attempt() < 3) throw std::runtime_error("not yet");
  });
  worker.workflow("w", [](Workflow& wf) {
    wf.spawn<void>("email.send", 1, {.name = "mail", .retry = kRetrySoon}).get();
  });
  worker.start();
  const auto id = client.enqueue("email.send", 1, {.retry = kRetrySoon}).id;
  EXPECT_EQ(await_task(client, id).status, "completed");
  EXPECT_EQ(keys.all(), Lines(3, id));
  const auto run = client.start("w");
  run.wait(30s);
  EXPECT_EQ(keys.count(run.id() + ":mail"), 3);
}

TEST_P(OperationKeys, AreUnavailableOutsideOfSteps) {
  Worker worker{client, quiet()};
  worker.workflow("careless", [&](Workflow& wf) {
    const auto ask = [&](const std::function<std::string()>& key) -> std::string {
      try {
        return key();
      } catch (const Failure& failure) {
        EXPECT_FALSE(failure.is_retryable());
        return key_of(failure);
      }
    };
    Lines given{ask([&] { return wf.operation_key(); }), ask([&] { return wf.execution_key(); })};
    const Lines inside = wf.step("a", [&](Step& step) {
      Lines of_threads(2);
      std::thread{[&] {
        of_threads[0] = ask([&] { return wf.operation_key(); });
        of_threads[1] = step.operation_key();
      }}.join();
      return of_threads;
    });
    given.insert(given.end(), inside.begin(), inside.end());
    return given;
  });
  worker.start();
  const auto run = client.start("careless");
  EXPECT_EQ(run.result<Lines>(30s), (Lines{"not_in_step", "not_in_step", "not_in_step", run.id() + ":a"}));
}

TEST_P(OperationKeys, ErrorsNameTheSpawnedStepThatUsesTheWorkflow) {
  Worker worker{client, quiet()};
  worker.workflow("nested", [](Workflow& wf) { wf.spawn("outer", [&] { wf.step("inner", [] {}); }).get(); });
  worker.start();
  const RunFailed failed = failure_of(client.start("nested"));
  EXPECT_EQ(failed.code(), "nested_step");
  EXPECT_NE(failed.detail().find("'outer'"), std::string::npos) << failed.detail();
}

PAWL_ON_EVERY_WAY(OperationKeys);

}  // namespace
}  // namespace pawl::testing
