// Workflows with more steps than a claim carries, and with more output than a worker caches.

#include <atomic>
#include <mutex>

#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

using LongHistories = SdkTest;

// Runs a loop of steps, releases its thread, and replays all steps.
class Loop {
 public:
  explicit Loop(Worker& worker) {
    worker.workflow("loop", [this](Workflow& wf, int length) {
      ++passes;
      std::size_t bytes = 0;
      for (int i = 0; i < length; ++i) {
        bytes += wf.step("work", [&] {
                     ++executed;
                     return std::to_string(i) + std::string(100, '.');
                   }).size();
      }
      (void)wf.signal<int>("go");
      return bytes;
    });
  }
  std::atomic<int> passes = 0;
  std::atomic<int> executed = 0;
};

std::size_t bytes_of(int length) {
  std::size_t bytes = 0;
  for (int i = 0; i < length; ++i) bytes += std::to_string(i).size() + 100;
  return bytes;
}

void expect_second_pass(const Client& client, WorkerOptions options) {
  constexpr int kLength = 1'200;  // more than a page
  options.suspend_after = 1ms;
  Worker worker{client, quiet(options)};
  Loop loop{worker};
  worker.start();
  const auto run = client.start("loop", kLength);
  ASSERT_TRUE(eventually([&] { return run.info().state == "sleeping"; }));
  run.signal("go", 1);
  EXPECT_EQ(run.result<std::size_t>(60s), bytes_of(kLength));
  EXPECT_EQ(loop.executed, kLength);
  EXPECT_GE(loop.passes, 2);
}

TEST_P(LongHistories, AreReadInPages) { expect_second_pass(client, {}); }

TEST_P(LongHistories, AreNotKeptInMemoryCompletely) {
  expect_second_pass(client, {.step_cache_bytes = 64 << 10});
}

PAWL_ON_EVERY_WAY(LongHistories);

}  // namespace
}  // namespace pawl::testing
