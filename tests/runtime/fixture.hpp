#pragma once
// A Runtime on a real store with a real clock. Tests wait for conditions, never for a time.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/env.hpp"
#include "runtime/runtime.hpp"
#include "tests/support/harness.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {

// Polls until `condition` is true. Returns false after half a minute.
[[nodiscard]] inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  std::mutex mutex;
  std::condition_variable never;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::unique_lock lock{mutex};
    never.wait_for(lock, 2ms);
  }
  return true;
}

// Runs `work(i)` on `count` threads and joins them.
inline void in_parallel(int count, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

// One node: a store of its own on the database, and its threads.
struct RunningNode {
  explicit RunningNode(std::shared_ptr<store::Store> store_on, runtime::RuntimeOptions options = {})
      : store(std::move(store_on)), runtime(*store, clock, random, std::move(options)) {}

  [[nodiscard]] core::Api& api() { return runtime.api(); }

  runtime::SystemClock clock;
  runtime::SystemRandom random;
  std::shared_ptr<store::Store> store;  // with the memory kind, shared with other nodes
  runtime::Runtime runtime;
};

class RuntimeTest : public ::testing::TestWithParam<StoreKind> {
 public:
  [[nodiscard]] std::shared_ptr<store::Store> open() {
    if (GetParam() != StoreKind::memory) return database.open(clock, random);
    if (!memory_) memory_ = database.open(clock, random);
    return memory_;
  }

  // A claim on another thread; the future returns its answer.
  [[nodiscard]] static std::future<core::Result<std::vector<core::ClaimedTask>>> claim_later(
      RunningNode& node, const core::ClaimTasks& claim) {
    return std::async(std::launch::async, [&node, claim] { return node.api().claim(claim); });
  }

  runtime::SystemClock clock;
  runtime::SystemRandom random{7};
  Database database{GetParam()};

 private:
  std::shared_ptr<store::Store> memory_;
};

[[nodiscard]] inline core::Report report_of(const core::Task& task, core::ReportAction action) {
  return {.task_id = task.id,
          .fence = task.lease->fence,
          .action = action,
          .error = {.code = "boom", .message = "no"}};
}

[[nodiscard]] inline core::QueueCounts counts_of(core::Api& api, const std::string& queue = "default") {
  const auto queues = api.list_queues("default");
  if (!queues) return {.pending = -1};
  for (const core::Queue& one : *queues) {
    if (one.name == queue) return one.counts;
  }
  return {};
}

}  // namespace pawl::testing
