#pragma once
// Closed loops that keep a runtime busy. A loop has one call under way and makes the next from its answer, on
// the commit loop's own thread: what is measured is the engine and the store, not the threads of the
// benchmark.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/progress.hpp"
#include "core/env.hpp"
#include "runtime/runtime.hpp"

namespace pawl::bench {

// Of every task that is measured, also the baseline's.
inline constexpr std::string_view kPayload =
    R"({"to":"ada@example.org","subject":"Your order 4711 is on its way","template":"shipped","retries":0})";

// Counts calls under way, so that a measurement can end with none.
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

// Runs what it is given on one thread of its own, in order.
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
  // workers could hold, and a task goes to a waiting worker in the commit that stores it.
  bool is_behind = false;
  core::Duration seconds = std::chrono::seconds{5};
};

class Load {
 public:
  Load(runtime::Runtime& runtime, core::Clock& clock) : runtime_(runtime), clock_(clock) {}

  // Whole lives a second: every worker claims a batch, completes it, and enqueues as many again.
  [[nodiscard]] double life(const LoadOptions& options, Progress& progress);
  // Tasks enqueued a second by `callers` that each have one call of `batch` tasks under way.
  [[nodiscard]] double enqueue(const LoadOptions& options, int callers, Progress& progress);
  // Tasks completed a second until the queue is empty.
  [[nodiscard]] double drain(const LoadOptions& options, std::int64_t tasks, Progress& progress);
  // Puts `count` tasks there, delayed or not.
  void fill(const std::string& queue, std::int64_t count, core::Duration delay, Progress& progress);

 private:
  // Submits; the answer is handled on the callers' thread.
  void call(core::Command command, std::function<void(core::Answer&)> then);
  void enqueue_once(const LoadOptions& options, int count);
  void enqueue_again(const LoadOptions& options);
  void work_again(const LoadOptions& options, int worker, bool refill);
  void complete(const LoadOptions& options, int worker, const std::vector<core::ClaimedTask>& tasks,
                bool refill);
  // Rate of `counter` over the time given, after a short warm-up.
  [[nodiscard]] double measure(const std::atomic<std::int64_t>& counter, core::Duration seconds,
                               Progress& progress);

  runtime::Runtime& runtime_;
  core::Clock& clock_;
  Calls calls_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::int64_t> enqueued_{0};
  std::atomic<std::int64_t> completed_{0};
  Callers callers_;  // last: its thread ends before what it uses
};

// A call that was refused ends the benchmark: a figure over failures would be a lie.
[[noreturn]] void give_up(const core::Problem& problem);

}  // namespace pawl::bench
