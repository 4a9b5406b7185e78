// Steps and tasks that take too long: they are asked to stop at their timeout, abandoned if they do not stop,
// and shown while they run.

#include <atomic>

#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

constexpr Duration kTimeout = std::chrono::milliseconds{50};

class StepTimeouts : public SdkTest {
 public:
  void TearDown() override {
    may_return = true;
    EXPECT_TRUE(eventually([&] { return hanging == 0; }));
  }

  StepOptions twice() const {
    return {.retry = {.max_attempts = 2, .initial_interval = std::chrono::milliseconds{1}},
            .timeout = kTimeout};
  }
  // Ignores its stop token.
  void hang() {
    ++hanging;
    static_cast<void>(eventually([&] { return may_return.load(); }));
    --hanging;
  }
  static WorkerOptions impatient() {
    return quiet({.max_concurrent = 2, .stop_grace = std::chrono::milliseconds{10}});
  }

  std::atomic<bool> may_return = false;
  std::atomic<int> hanging = 0;
};

TEST_P(StepTimeouts, RequestAStopAndFailTheAttemptWhateverItReturns) {
  Worker worker{client, quiet()};
  worker.workflow("w", [&](Workflow& wf) {
    return wf.step("slow", twice(), [&](Step& step) {
      if (step.attempt() == 1)
        static_cast<void>(eventually([&] { return step.stop_token().stop_requested(); }));
      return step.attempt();
    });
  });
  worker.start();
  const pawl::Run run = client.start("w");
  EXPECT_EQ(run.result<int>(30s), 2);
  const auto steps = run.steps();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].state, "failed");
  EXPECT_EQ(steps[0].error->code, "timeout");
  EXPECT_EQ(steps[0].error->message, "the attempt ran longer than its timeout of 50ms");
}

TEST_P(StepTimeouts, SetTheStopTokenOfTheWorkflowInsideTheStep) {
  Worker worker{client, quiet()};
  worker.workflow("w", [&](Workflow& wf) {
    try {
      wf.step("slow", {.retry = {.max_attempts = 1}, .timeout = kTimeout},
              [&] { static_cast<void>(eventually([&] { return wf.stop_token().stop_requested(); })); });
    } catch (const StepFailed& failed) {
      return failed.code() + (wf.stop_token().stop_requested() ? " and stopped" : "");
    }
    return std::string{"completed"};
  });
  worker.start();
  EXPECT_EQ(client.start("w").result<std::string>(30s), "timeout");
}

TEST_P(StepTimeouts, AbandonAThreadThatIgnoresThemAndContinueTheRun) {
  Worker worker{client, impatient()};
  worker.workflow("w", [&](Workflow& wf) {
    const int attempt = wf.step("hangs", twice(), [&](Step& step) {
      if (step.attempt() == 1) hang();
      return step.attempt();
    });
    return wf.step("after", [&] { return attempt; });
  });
  worker.start();
  const pawl::Run run = client.start("w");
  EXPECT_EQ(run.result<int>(30s), 2);
  EXPECT_EQ(hanging, 1);
  EXPECT_EQ(worker.threads_left_behind(), 1);
  may_return = true;
  EXPECT_TRUE(eventually([&] { return worker.threads_left_behind() == 0; }));
  EXPECT_EQ(run.steps().size(), 3U) << "the late result is ignored";
}

TEST_P(StepTimeouts, IgnoredByASpawnedStepDoNotBlockItsRun) {
  Worker worker{client, impatient()};
  worker.workflow("w", [&](Workflow& wf) {
    auto pending = wf.spawn(
        "hangs",
        [&](Step& step) {
          if (step.attempt() == 1) hang();
          return step.attempt();
        },
        twice());
    return pending.get();
  });
  worker.start();
  EXPECT_EQ(client.start("w").result<int>(30s), 2);
  EXPECT_EQ(hanging, 1);
}

TEST_P(StepTimeouts, FailTheRunWhenNoAttemptRemains) {
  Worker worker{client, impatient()};
  worker.workflow("w", [&](Workflow& wf) {
    wf.step("hangs", {.retry = {.max_attempts = 1}, .timeout = kTimeout}, [&] { hang(); });
  });
  worker.start();
  EXPECT_EQ(failure_of(client.start("w")).code(), "timeout");
  EXPECT_EQ(hanging, 1);
}

TEST_P(StepTimeouts, DoNotDelayTheStopOfTheWorkerIfIgnored) {
  Worker worker{client, impatient()};
  worker.workflow("w", [&](Workflow& wf) {
    wf.step("hangs", {.retry = {.max_attempts = 1}, .timeout = kTimeout}, [&] { hang(); });
  });
  worker.start();
  static_cast<void>(failure_of(client.start("w")));
  worker.stop();
  EXPECT_EQ(hanging, 1);
  may_return = true;
  EXPECT_TRUE(eventually([&] { return worker.threads_left_behind() == 0; }));
}

TEST_P(StepTimeouts, IgnoredByATaskFreeItsPlaceInTheWorker) {
  WorkerOptions options = impatient();
  options.max_concurrent = 1;
  Worker worker{client, options};
  worker.task("hangs", [&] { hang(); }).task("other", [] { return 7; });
  worker.start();
  client.enqueue("hangs", nullptr, {.retry = {.max_attempts = 1}, .timeout = kTimeout});
  ASSERT_TRUE(eventually([&] { return hanging == 1; }));
  EXPECT_EQ(await_task(client, client.enqueue("other").id).output<int>(), 7);
  EXPECT_EQ(worker.threads_left_behind(), 1);
}

TEST_P(StepTimeouts, LeaveALongStepVisibleAsRunning) {
  Worker worker{client, quiet()};
  worker.workflow("w", [&](Workflow& wf) {
    wf.step("short", [] {});
    return wf.step("long", [&] { return eventually([&] { return may_return.load(); }); });
  });
  worker.start();
  const pawl::Run run = client.start("w");
  EXPECT_TRUE(eventually([&] {
    const auto steps = run.steps();
    return !steps.empty() && steps.back().step == "long" && steps.back().state == "running";
  }));
  EXPECT_TRUE(run.steps().back().started_at.has_value());
  EXPECT_FALSE(run.steps().back().finished_at.has_value());
  may_return = true;
  EXPECT_TRUE(run.result<bool>(30s));
  std::vector<std::string> types;
  for (const Event& event : run.events()) {
    if (!event.type.starts_with("step_")) continue;
    types.push_back(event.type);
    if (event.type == "step_started") {
      EXPECT_LT(*run.steps().back().started_at, event.at) << "the step began before this was written";
    }
  }
  EXPECT_EQ(types, (std::vector<std::string>{"step_completed", "step_started", "step_completed"}));
  EXPECT_EQ(run.steps().size(), 2U);
}

PAWL_ON_EVERY_WAY(StepTimeouts);

}  // namespace
}  // namespace pawl::testing
