// sleepers: the memory and thread count of many workflows that sleep for a week, in one process with the
// store.

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <pawl/pawl.hpp>

#include "bench/bench.hpp"
#include "bench/progress.hpp"
#include "bench/resident.hpp"

namespace pawl::bench {

namespace {

constexpr int kSleeperStarters = 64;  // callers, each with one start in flight
constexpr const char* kWorkflow = "bench-sleepers";
constexpr const char* kSleepersQueue = "bench-sleepers";

double threads_of_this_process() {
  const std::filesystem::directory_iterator threads{"/proc/self/task"};
  return static_cast<double>(std::distance(begin(threads), end(threads)));
}

void start_all(const Client& client, int count) {
  std::atomic<int> next = 0;
  std::vector<std::jthread> starters;
  for (int i = 0; i < kSleeperStarters; ++i) {
    starters.emplace_back([&] {
      while (next++ < count) (void)client.start(kWorkflow, Json{}, {.queue = kSleepersQueue});
    });
  }
}

// Call after all are started.
bool all_sleep(const Client& client) {
  return client.runs({.workflow = kWorkflow, .states = {"created", "running"}, .limit = 1}).empty();
}

}  // namespace

void run_sleepers(const Options& options, const Report& report) {
  const std::string store = client::name_of(options.store.type);
  const Client client = connect(store + ":" + options.store.location);
  Worker worker{client, {.queues = {kSleepersQueue}, .max_concurrent = options.workers}};
  worker.workflow(kWorkflow, [](Workflow& wf) {
    wf.step("begin", [] { return 1; });
    wf.sleep("a week", std::chrono::hours{7 * 24});
  });
  worker.start();
  const auto measured = [&](std::string metric, double value, const char* unit) {
    report({.workload = "sleepers",
            .metric = std::move(metric),
            .store = store,
            .mode = "in_process",
            .value = value,
            .unit = unit});
  };
  measured("before", resident("self"), "MiB");
  {
    const Progress progress{"sleepers"};
    start_all(client, options.sleeping);
    while (!all_sleep(client)) std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  measured(fmt::format("{} asleep", options.sleeping), resident("self"), "MiB");
  measured("threads", threads_of_this_process(), "");
  worker.stop();
}

}  // namespace pawl::bench
