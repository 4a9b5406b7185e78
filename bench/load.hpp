#pragma once
// Closed loops that keep a runtime busy. Each loop has one call in flight and builds the next one from its
// result, on a single thread (Callers): the benchmark measures the engine and the store, not its own threads.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/progress.hpp"
#include "core/base/env.hpp"
#include "runtime/runtime.hpp"

namespace pawl::bench {

// The payload of every measured task, including the baseline's.
inline constexpr std::string_view kPayload =
    R"({"to":"ada@example.org","subject":"Your order 4711 is on its way","template":"shipped","retries":0})";

// Counts calls in flight, so that a measurement can wait until there are none.
class Calls {
 public:
  void begin();
  void end();
  void wait_for_none();

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  int under_way_ = 0;
};

// Runs work on one thread of its own, in order.
class Callers {
 public:
  Callers();
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;
  ~Callers();
  void run(std::function<void()> work);

 private:
  void loop();

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::function<void()>> waiting_;
  bool is_over_ = false;
  std::thread thread_;
};

struct LoadOptions {
  std::string queue = "bench";
  int batch = 100;
  int workers = 32;
  // Whether tasks wait for workers. If not, as in a queue that keeps up, there are half as many tasks as the
  // workers could hold, and the commit that stores a task also hands it to a waiting worker.
  bool is_behind = false;
  core::Duration seconds = std::chrono::seconds{5};
};

class Load {
 public:
  Load(runtime::Runtime& runtime, core::Clock& clock) : runtime_(runtime), clock_(clock) {}

  // Completed tasks per second: every worker claims a batch, completes it, and enqueues the same number
  // again.
  [[nodiscard]] double life(const LoadOptions& options, Progress& progress);
  // Tasks enqueued per second by `callers`, each with one call of `batch` tasks in flight.
  [[nodiscard]] double enqueue(const LoadOptions& options, int callers, Progress& progress);
  // Tasks completed per second until the queue is empty.
  [[nodiscard]] double drain(const LoadOptions& options, std::int64_t tasks, Progress& progress);
  // Enqueues `count` tasks, delayed or not.
  void fill(const std::string& queue, std::int64_t count, core::Duration delay, Progress& progress);

 private:
  // Submits a command; `then` runs on the thread of `callers_`.
  void call(core::Command command, std::function<void(core::Answer&)> then);
  void enqueue_once(const LoadOptions& options, int count);
  void enqueue_again(const LoadOptions& options);
  void work_again(const LoadOptions& options, int worker, bool refill);
  void complete(const LoadOptions& options, int worker, const std::vector<core::ClaimedTask>& tasks,
                bool refill);
  // The rate of `counter` over the given time, after a short warm-up.
  [[nodiscard]] double measure(const std::atomic<std::int64_t>& counter, core::Duration seconds,
                               Progress& progress);

  runtime::Runtime& runtime_;
  core::Clock& clock_;
  Calls calls_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::int64_t> enqueued_{0};
  std::atomic<std::int64_t> completed_{0};
  Callers callers_;  // last: its thread ends before the members that it uses
};

// Ends the benchmark after a refused call: a figure that includes failures would be misleading.
[[noreturn]] void give_up(const core::Problem& problem);

}  // namespace pawl::bench
