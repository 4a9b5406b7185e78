// Waits for tasks, children and signals. Short waits keep the body's thread, so that the body continues in
// place; long ones, and those of a worker without a free slot, release it.

#include <atomic>

#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

using Waits = SdkTest;

TEST_P(Waits, ForTasksSpawnedOneByOneDoNotRestartTheBody) {
  std::atomic<int> passes = 0;
  WorkerOptions options = quiet();
  options.suspend_after = 60s;
  Worker worker{client, options};
  worker.task("double", [](Task&, int number) { return number * 2; });
  worker.workflow("loop", [&](Workflow& wf) {
    ++passes;
    int sum = 0;
    for (int i = 0; i < 30; ++i) sum += wf.spawn<int>("double", i).get();
    return sum;
  });
  worker.start();
  EXPECT_EQ(client.start("loop").result<int>(60s), 870);
  EXPECT_EQ(passes, 1);
}

TEST_P(Waits, ForChildrenAndFanOutsDoNotRestartTheBody) {
  std::atomic<int> passes = 0;
  WorkerOptions options = quiet();
  options.suspend_after = 60s;
  Worker worker{client, options};
  worker.task("double", [](Task&, int number) { return number * 2; });
  worker.workflow("child", [](Workflow&, int number) { return number + 1; });
  worker.workflow("loop", [&](Workflow& wf) {
    ++passes;
    int sum = 0;
    for (int i = 0; i < 5; ++i) {
      sum += wf.child<int>("child", i);
      std::vector<Pending<int>> doubled;
      for (int n = 0; n < 3; ++n) doubled.push_back(wf.spawn<int>("double", n));
      for (const int one : wf.all(doubled)) sum += one;
    }
    return sum;
  });
  worker.start();
  EXPECT_EQ(client.start("loop").result<int>(60s), 45);
  EXPECT_EQ(passes, 1);
}

TEST_P(Waits, LeaveTheOnlySlotOfAWorkerToTheSpawnedTask) {
  WorkerOptions options = quiet();
  options.max_concurrent = 1;
  options.suspend_after = 1h;
  Worker worker{client, options};
  worker.task("double", [](Task&, int number) { return number * 2; });
  worker.workflow("loop", [&](Workflow& wf) {
    int sum = 0;
    for (int i = 0; i < 5; ++i) sum += wf.spawn<int>("double", i).get();
    return sum;
  });
  worker.start();
  EXPECT_EQ(client.start("loop").result<int>(60s), 20);
}

TEST_P(Waits, EndOnACancel) {
  WorkerOptions options = quiet();
  options.suspend_after = 1h;
  Effects effects;
  Worker worker{client, options};
  worker.workflow("ask", [&](Workflow& wf) {
    wf.undo("undo", [&] { effects.add("undone"); });
    effects.add("asks");
    return wf.signal<int>("number").has_value();
  });
  worker.start();
  const auto run = client.start("ask");
  ASSERT_TRUE(eventually([&] { return !effects.all().empty(); }));
  run.cancel();
  ASSERT_TRUE(eventually([&] { return run.state() == "compensated"; }));
  EXPECT_EQ(effects.count("undone"), 1);
}

PAWL_ON_EVERY_WAY(Waits);

}  // namespace
}  // namespace pawl::testing
