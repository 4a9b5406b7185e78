// Edge cases of sagas: changed code, deadlines, cancels of trees, failing undos, runs without workers.
#include <stop_token>

#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

class Sagas : public SdkTest {
 public:
  using Code = std::function<void(Workflow&)>;

  // Starts the workflow "saga" with this code and waits until it sleeps or ends. Its worker is stopped on
  // return.
  [[nodiscard]] pawl::Run started(const Code& code, const StartOptions& options = {}) {
    Worker worker{client, leaving()};
    worker.workflow("saga", code);
    worker.start();
    pawl::Run run = client.start("saga", nullptr, options);
    EXPECT_TRUE(eventually([&] { return run.state() == "sleeping" || run.info().is_closed; })) << run.state();
    return run;
  }
  [[nodiscard]] pawl::Run sleeping(const Code& code) {
    pawl::Run run = started(code);
    EXPECT_EQ(run.state(), "sleeping");
    return run;
  }
  // The same for a run with a deadline: a slow machine gets a later one until the run sleeps before it.
  [[nodiscard]] pawl::Run sleeping_before_deadline(const Code& code) {
    for (auto deadline = std::chrono::milliseconds{300};; deadline *= 4) {
      pawl::Run run = started(code, {.deadline = deadline});
      if (run.state() == "sleeping") return run;
    }
  }

  // The end of the run when a worker executes it with this code.
  [[nodiscard]] RunInfo ended_with(const pawl::Run& run, const Code& code) const {
    Worker worker{client, leaving()};
    worker.workflow("saga", code);
    worker.start();
    EXPECT_TRUE(eventually([&] { return run.info().is_closed; })) << run.state();
    return run.info();
  }

  void book(Workflow& wf, const std::string& what) {
    wf.step("book " + what, [] {});
    wf.undo("return " + what, [this, what] { effects.add("return " + what); });
  }

  Effects effects;
};

// --- changed code ---

TEST_P(Sagas, NameTheMissingUndosWhenTheCodeOfACanceledRunHasChanged) {
  const Code first = [&](Workflow& wf) {
    book(wf, "car");
    static_cast<void>(wf.signal("never"));
  };
  const pawl::Run run = sleeping(first);
  run.cancel();
  const RunInfo ended = ended_with(run, [&](Workflow& wf) {
    book(wf, "bike");
    static_cast<void>(wf.signal("never"));
  });
  EXPECT_EQ(ended.state, "compensation_failed");
  EXPECT_EQ(ended.error->code, "cancelled");
  const std::string why = ended.compensation_error ? ended.compensation_error->message : "";
  EXPECT_NE(why.find("Not undone (1): return car"), std::string::npos) << why;
  EXPECT_NE(why.find("expected step 'book car', found 'book bike'"), std::string::npos) << why;
  EXPECT_EQ(effects.all(), Lines{});

  run.retry();
  EXPECT_EQ(ended_with(run, first).state, "compensated") << "by the code that it was begun with";
  EXPECT_EQ(effects.all(), Lines{"return car"});
}

TEST_P(Sagas, NameTheMissingUndosWhenTheCodeOfAnExpiredRunThrowsFirst) {
  const pawl::Run run = sleeping_before_deadline([&](Workflow& wf) {
    book(wf, "car");
    static_cast<void>(wf.signal("never"));
  });
  const Lines undone_before = effects.all();
  const RunInfo ended =
      ended_with(run, [](Workflow&) { throw std::runtime_error("the new version is broken"); });
  EXPECT_EQ(ended.state, "compensation_failed");
  EXPECT_EQ(ended.error->code, "deadline_exceeded");
  const std::string why = ended.compensation_error ? ended.compensation_error->message : "";
  EXPECT_NE(why.find("return car"), std::string::npos) << why;
  EXPECT_EQ(effects.all(), undone_before);
}

TEST_P(Sagas, RunNoUndoUntilTheCodeHasReachedAllUndos) {
  const pawl::Run run = sleeping([&](Workflow& wf) {
    book(wf, "car");
    book(wf, "hotel");
    static_cast<void>(wf.signal("never"));
  });
  run.cancel();
  const RunInfo ended = ended_with(run, [&](Workflow& wf) {
    book(wf, "car");
    book(wf, "tent");
    static_cast<void>(wf.signal("never"));
  });
  EXPECT_EQ(ended.state, "compensation_failed");
  const std::string why = ended.compensation_error ? ended.compensation_error->message : "";
  EXPECT_NE(why.find("Not undone (2): return hotel, return car"), std::string::npos) << why;
  EXPECT_EQ(effects.all(), Lines{});
}

TEST_P(Sagas, WithNothingToUndoAreCanceledWithoutAWorker) {
  const pawl::Run run = sleeping([](Workflow& wf) {
    wf.step("look", [] {});
    static_cast<void>(wf.signal("never"));
  });
  run.cancel();
  EXPECT_EQ(run.state(), "cancelled") << "no worker is needed";
}

// --- deadlines ---

TEST_P(Sagas, UndoWhenTheDeadlinePassesDuringTheLastStep) {
  Worker worker{client, leaving()};
  std::atomic<bool> is_at_last_step = false;
  worker.workflow("saga", [&](Workflow& wf) {
    book(wf, "car");
    wf.step("last", [&] {
      is_at_last_step = true;
      EXPECT_TRUE(eventually([&] { return client.run(wf.run_id()).state() == "failing"; }));
    });
  });
  worker.start();
  // A slow machine gets a later deadline until the last step begins before it.
  for (auto deadline = std::chrono::milliseconds{100};; deadline *= 4) {
    const Lines undone_before = effects.all();
    const RunFailed failed = failure_of(client.start("saga", nullptr, {.deadline = deadline}));
    EXPECT_EQ(failed.code(), "deadline_exceeded");
    if (!is_at_last_step) continue;
    EXPECT_EQ(failed.state(), "compensated");
    EXPECT_EQ(effects.all().size(), undone_before.size() + 1);
    EXPECT_EQ(effects.all().back(), "return car");
    return;
  }
}

// --- workers that shut down ---

TEST_P(Sagas, CountNoAttemptWhenAStepStopsForAWorkerShutdown) {
  std::atomic<bool> has_begun = false;
  std::atomic<int> attempts = 0;
  const auto code = [&](Workflow& wf) {
    return wf.step("long", {.retry = {.max_attempts = 1}}, [&] {
      if (++attempts > 1) return 42;
      has_begun = true;
      EXPECT_TRUE(eventually([&] { return wf.stop_token().stop_requested(); }));
      throw Failure{"interrupted", "asked to stop"};
    });
  };
  pawl::Run run = client.run("00000000-0000-7000-8000-000000000000");
  {
    Worker worker{client, quiet({.drain_timeout = 0ms})};
    worker.workflow("saga", code);
    worker.start();
    run = client.start("saga");
    EXPECT_TRUE(eventually([&] { return has_begun.load(); }));
    worker.stop();
  }
  Worker next{client, quiet()};
  next.workflow("saga", code);
  next.start();
  EXPECT_EQ(run.result<int>(), 42);
}

// --- trees ---

TEST_P(Sagas, UndoTheirChildrenFirst) {
  std::atomic<bool> may_leave = false;
  std::atomic<bool> is_in_leaf = false;
  Worker worker{client, leaving()};
  worker.workflow("leaf", [&](Workflow& wf) {
    book(wf, "leaf");
    wf.step("work", [&] {
      is_in_leaf = true;
      EXPECT_TRUE(eventually([&] { return may_leave.load(); }));
    });
    static_cast<void>(wf.signal("never"));
  });
  worker.workflow("middle", [&](Workflow& wf) {
    book(wf, "middle");
    static_cast<void>(wf.child("leaf", nullptr));
  });
  worker.workflow("saga", [&](Workflow& wf) {
    book(wf, "root");
    static_cast<void>(wf.child("middle", nullptr));
  });
  worker.start();
  const pawl::Run run = client.start("saga");
  EXPECT_TRUE(eventually([&] { return is_in_leaf.load(); }));
  run.cancel();
  EXPECT_EQ(run.state(), "failing") << "the cancel is visible at once, and the leaf still runs";
  EXPECT_EQ(effects.all(), Lines{});
  may_leave = true;
  EXPECT_EQ(failure_of(run).state(), "compensated");
  EXPECT_EQ(effects.all(), (Lines{"return leaf", "return middle", "return root"}));
}

TEST_P(Sagas, WaitForTheirChildrenBeforeUndoingTheirOwnFailure) {
  Worker worker{client, leaving()};
  worker.workflow("child", [&](Workflow& wf) {
    book(wf, "child");
    static_cast<void>(wf.signal("never"));
  });
  worker.workflow("saga", [&](Workflow& wf) {
    book(wf, "root");
    const auto child = wf.spawn_child("child", nullptr);
    wf.step("wait for the child", {.retry = {.max_attempts = 1}}, [&] {
      EXPECT_TRUE(eventually([&] {
        const auto children = client.runs({.workflow = "child"});
        return !children.empty() && children.front().state == "sleeping";
      }));
      throw Failure{"broken", "no more"};
    });
    static_cast<void>(child.get());
  });
  worker.start();
  const RunFailed failed = failure_of(client.start("saga"));
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(failed.code(), "broken");
  EXPECT_EQ(effects.all(), (Lines{"return child", "return root"}));
}

// --- failing undos ---

TEST_P(Sagas, RetryAndSkipFailedUndos) {
  std::atomic<bool> is_fixed = false;
  Worker worker{client, leaving()};
  worker.workflow("saga", [&](Workflow& wf) {
    book(wf, "car");
    wf.step("pay", [] {});
    wf.undo("refund", {.retry = {.max_attempts = 1}}, [&] {
      if (!is_fixed) throw Failure{"gateway", "no connection"};
      effects.add("refund");
    });
    wf.step("stamp", [] {});
    wf.undo("unstamp", {.retry = {.max_attempts = 1}}, [] { throw Failure{"ink", "it does not come off"}; });
    throw Failure{"sold_out", "no seats"};
  });
  worker.start();
  const pawl::Run run = client.start("saga");
  EXPECT_EQ(failure_of(run).state(), "compensation_failed");
  EXPECT_EQ(effects.all(), Lines{"return car"}) << "the remaining undo still runs";
  EXPECT_EQ(run.info().error->code, "sold_out");

  is_fixed = true;
  run.retry();
  EXPECT_TRUE(eventually([&] { return run.state() == "compensation_failed"; }));
  EXPECT_EQ(effects.all(), (Lines{"return car", "refund"})) << "only failed undos run again";
  EXPECT_THROW(run.skip("refund"), Error) << "it is done";
  run.skip("unstamp");
  EXPECT_EQ(run.state(), "compensated");
  EXPECT_EQ(run.info().error->code, "sold_out");
}

// --- runs without workers ---

TEST_P(Sagas, WithoutAWorkerCanBeTerminated) {
  const pawl::Run run = sleeping([&](Workflow& wf) {
    book(wf, "car");
    static_cast<void>(wf.child("nobody has this", nullptr));
  });
  run.cancel();
  EXPECT_EQ(run.state(), "failing") << "it has to undo, and no worker has its code";
  run.terminate("cleaned up by hand");
  const RunInfo ended = run.info();
  EXPECT_EQ(ended.state, "cancelled");
  EXPECT_EQ(ended.error->code, "terminated");
  EXPECT_EQ(ended.error->message, "cleaned up by hand");
  for (const RunInfo& one : client.runs()) EXPECT_EQ(one.state, "cancelled") << one.workflow;
}

PAWL_ON_EVERY_WAY(Sagas);

}  // namespace
}  // namespace pawl::testing
