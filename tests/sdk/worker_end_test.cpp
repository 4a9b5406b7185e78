// How a worker stops, and its behavior without resources.

#include <atomic>
#include <csignal>
#include <thread>

#include "pawl/testing.hpp"
#include "tests/sdk/effects.hpp"
#include "tests/sdk/no_threads.hpp"

namespace pawl::testing {
namespace {

TEST(WorkerShutdown, StopsAllWorkersOnASignalToTheProcess) {
  const Client client = connect("memory:");
  Worker one{client, quiet()};
  Worker two{client, quiet()};
  one.task("one", [] {});
  two.task("two", [] {});
  std::thread runs_one{[&] { one.run(); }};
  std::thread runs_two{[&] { two.run(); }};
  for (const auto* type : {"one", "two"}) (void)await_task(client, client.enqueue(type, nullptr).id);
  std::raise(SIGTERM);
  runs_one.join();
  runs_two.join();
}

TEST(WorkerShutdown, DiscardsAResultThatAWorkflowMadeOfTheStop) {
  Environment env;
  std::atomic<bool> has_begun = false;
  const auto swallowing = [&](Workflow& wf) {
    try {
      wf.step("a", [&] {
        has_begun = true;
        static_cast<void>(eventually([&] { return wf.stop_token().stop_requested(); }));
      });
      return wf.step("b", [] { return 2; });
    } catch (...) {
      return -1;
    }
  };
  const pawl::Run run = env.client().start("w");
  {
    Worker going{env.client(), quiet({.drain_timeout = 1ms})};
    going.workflow("w", swallowing);
    going.start();
    ASSERT_TRUE(eventually([&] { return has_begun.load(); }));
    going.stop();
  }
  EXPECT_FALSE(run.info().is_closed);
  Worker next{env.client(), quiet()};
  next.workflow("w", swallowing);
  next.start();
  EXPECT_EQ(run.result<int>(30s), 2);
}

void run_a_handler_that_does_not_stop() {
  const Client client = connect("memory:");
  Worker worker{client, {.drain_timeout = 1h}};
  worker.task("stubborn", [] {
    std::raise(SIGTERM);
    std::raise(SIGTERM);
    static_cast<void>(eventually([] { return false; }));
  });
  (void)client.enqueue("stubborn", nullptr);
  worker.run();
}

// The handler may reference the stack of `run`'s caller, so the process itself must end.
TEST(WorkerShutdownDeathTest, EndsTheProcessAtTheSecondSignalDespiteARunningHandler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_a_handler_that_does_not_stop(), ::testing::KilledBySignal(SIGTERM),
              "some handlers have not stopped");
}

TEST(WorkerShutdown, SkipsTheDrainTimeoutAtTheSecondSignal) {
  const Client client = connect("memory:");
  Worker worker{client, quiet({.drain_timeout = 1h})};
  worker.task("obedient", [](pawl::Task& task) {
    std::raise(SIGTERM);
    std::raise(SIGTERM);
    static_cast<void>(eventually([&] { return task.stop_token().stop_requested(); }));
    throw Failure{"stopped", "as it was asked to"};
  });
  const auto id = client.enqueue("obedient", nullptr).id;
  worker.run();
  EXPECT_EQ(client.task(id).status, "pending") << "it was given back";
}

TEST(WorkerShutdown, StopsRenewingTasksThatIgnoreTheStop) {
  const Client client = connect("memory:");
  std::atomic<int> calls = 0;
  std::atomic<bool> may_end = false;
  const auto stubborn = [&] {
    if (++calls == 1) static_cast<void>(eventually([&] { return may_end.load(); }));
  };
  Worker going{client, quiet({.lease = 1s, .drain_timeout = 1ms})};
  going.task("t", stubborn);
  going.start();
  const auto id = client.enqueue("t", nullptr).id;
  ASSERT_TRUE(eventually([&] { return calls == 1; }));
  std::thread stopping{[&] { going.stop(); }};
  Worker next{client, quiet({.lease = 1s})};
  next.task("t", stubborn);
  next.start();
  EXPECT_EQ(await_task(client, id).status, "completed");
  EXPECT_EQ(calls, 2);
  may_end = true;
  stopping.join();
}

TEST(WorkersWithoutThreads, ReleaseTheirClaimedTasks) {
  const Client client = connect("memory:");
  std::atomic<int> said = 0;
  Worker worker{client, {.log = [&](const std::string&) { ++said; }}};
  worker.task("t", [] {});
  worker.start();
  std::string id;
  {
    const NoThreads none;
    id = client.enqueue("t", nullptr).id;
    ASSERT_TRUE(eventually([&] { return said > 0; }));
    ASSERT_TRUE(eventually([&] { return client.task(id).status == "pending"; }));
  }
  EXPECT_EQ(await_task(client, id).status, "completed");
}

}  // namespace
}  // namespace pawl::testing
