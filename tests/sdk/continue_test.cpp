// continue_as_new: endless loops as a chain of runs with short histories.

#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

using ContinueAsNew = SdkTest;

TEST_P(ContinueAsNew, ReturnsTheResultOfTheLastRun) {
  Worker worker{client, quiet()};
  worker.workflow("count", [](Workflow& wf, int number) {
    const int next = wf.step("add", [&] { return number + 1; });
    if (next < 4) wf.continue_as_new(next);
    return next * 10;
  });
  worker.start();
  const auto run = client.start("count", 0, {.run_key = "counter"});
  EXPECT_EQ(run.result<int>(30s), 40);
  const RunInfo first = run.info();
  EXPECT_EQ(first.state, "completed");
  ASSERT_TRUE(first.continued_as);
  EXPECT_FALSE(first.continued_from);
  const RunInfo second = client.run(*first.continued_as).info();
  EXPECT_EQ(second.continued_from, first.id);
  EXPECT_EQ(second.run_key, "counter");
  const auto chain = client.runs({.workflow = "count", .run_key = "counter"});
  EXPECT_EQ(chain.size(), 4U);
  EXPECT_EQ(client.start("count", 0, {.run_key = "counter"}).id(), chain.front().id);
}

TEST_P(ContinueAsNew, ForwardsUnreadSignals) {
  Worker worker{client, quiet()};
  worker.workflow("read", [](Workflow& wf, bool is_second) {
    const auto first = wf.signal<int>("number");
    if (!is_second) wf.continue_as_new(true);
    return *first;
  });
  const auto run = client.start("read", false);
  run.signal("number", 1);
  run.signal("number", 2);
  worker.start();
  EXPECT_EQ(run.result<int>(30s), 2);
}

TEST_P(ContinueAsNew, LetsAParentWaitForTheLastRun) {
  Worker worker{client, quiet()};
  worker.workflow("count", [](Workflow& wf, int number) {
    if (number < 3) wf.continue_as_new(number + 1);
    return number * 10;
  });
  worker.workflow("parent", [](Workflow& wf) { return wf.child<int>("count", 0) + 1; });
  worker.start();
  EXPECT_EQ(client.start("parent").result<int>(30s), 31);
}

TEST_P(ContinueAsNew, IsRejectedWithARegisteredUndo) {
  Effects effects;
  Worker worker{client, quiet()};
  worker.workflow("hold", [&](Workflow& wf) {
    wf.step("reserve", [] { return 1; });
    wf.undo("release", [&] { effects.add("released"); });
    wf.continue_as_new();
  });
  worker.start();
  const RunFailed failed = failure_of(client.start("hold"));
  EXPECT_EQ(failed.code(), "undo_registered");
  EXPECT_EQ(effects.all(), Lines{"released"});
}

PAWL_ON_EVERY_WAY(ContinueAsNew);

}  // namespace
}  // namespace pawl::testing
