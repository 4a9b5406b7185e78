// steps: durable functions of five steps each, written with the SDK as a user writes them. It measures steps
// per second with many concurrent workflows, and the duration of a single one on an idle system, in commits.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include <pawl/pawl.hpp>

#include "bench/bench.hpp"
#include "bench/progress.hpp"
#include "runtime/env.hpp"

namespace pawl::bench {

namespace {

constexpr std::array kSteps{"reserve", "charge", "pack", "ship", "notify"};
constexpr int kStarters = 64;  // callers, each with one start in flight
constexpr int kAlone = 200;    // sequential workflows
constexpr const char* kQueue = "bench-steps";

using Clock = std::chrono::steady_clock;

// Tasks claimed in advance, so that no thread waits for its next one.
int prefetched(const Options& options) { return options.workers / 4; }

double micros_since(Clock::time_point began_at) {
  return std::chrono::duration<double, std::micro>(Clock::now() - began_at).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

class StepLoad {
 public:
  StepLoad(const Options& options, const std::string& address)
      : options_(options),
        client_(pawl::connect(address)),
        worker_(client_,
                {.queues = {kQueue}, .max_concurrent = options.workers, .prefetch = prefetched(options)}) {
    worker_.workflow("bench-steps", [this](pawl::Workflow& wf) {
      for (const char* const name : kSteps) wf.step(name, [this] { return ++done_; });
      --under_way_;
      give_room(1);
    });
    worker_.start();
  }
  ~StepLoad() { worker_.stop(); }
  StepLoad(const StepLoad&) = delete;
  StepLoad& operator=(const StepLoad&) = delete;

  double per_second() {
    const Progress progress{"steps"};
    std::vector<std::jthread> starters;
    for (int i = 0; i < kStarters; ++i)
      starters.emplace_back([this](const std::stop_token& stop) { start_runs(stop); });
    std::this_thread::sleep_for(std::chrono::milliseconds{500});  // until all callers run
    const std::int64_t before = done_;
    const auto began_at = Clock::now();
    std::this_thread::sleep_for(options_.seconds);
    const auto given = static_cast<double>(done_ - before);
    const double rate = given / (micros_since(began_at) / 1e6);
    for (std::jthread& starter : starters) starter.request_stop();
    give_room(kStarters);
    starters.clear();
    while (under_way_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds{10});
    return rate;
  }

  // The duration of one workflow and of one durable operation on an idle system; the latter is the unit of
  // the result. The two alternate, because the speed of shared machines varies from second to second.
  struct Alone {
    double workflow_micros = 0;
    double commit_micros = 0;
  };
  Alone alone() {
    const Progress progress{"one alone"};
    std::vector<double> workflows;
    std::vector<double> commits;
    for (int i = 0; i < kAlone; ++i) {
      const auto began_at = Clock::now();
      (void)client_.enqueue("bench-commit", pawl::Json{}, {.queue = "bench-commit"});
      commits.push_back(micros_since(began_at));
      const auto started_at = Clock::now();
      ++under_way_;
      (void)client_.start("bench-steps", pawl::Json{}, {.queue = kQueue}).result<pawl::Json>();
      workflows.push_back(micros_since(started_at));
    }
    return {.workflow_micros = median(std::move(workflows)), .commit_micros = median(std::move(commits))};
  }

 private:
  // Not a std::counting_semaphore, which spins while it waits and would distort the measurement.
  void give_room(int more) {
    {
      const std::lock_guard lock{mutex_};
      room_ += more;
    }
    if (more == 1) return has_room_.notify_one();
    has_room_.notify_all();
  }
  void take_room() {
    std::unique_lock lock{mutex_};
    has_room_.wait(lock, [this] { return room_ > 0; });
    --room_;
  }

  void start_runs(const std::stop_token& stop) {
    while (true) {
      take_room();
      if (stop.stop_requested()) return;
      ++under_way_;
      (void)client_.start("bench-steps", pawl::Json{}, {.queue = kQueue});
    }
  }

  const Options& options_;
  std::atomic<std::int64_t> done_ = 0;
  std::atomic<std::int64_t> under_way_ = 0;
  std::mutex mutex_;
  std::condition_variable has_room_;
  int room_ = options_.workers + prefetched(options_);  // as many as the worker holds
  pawl::Client client_;
  pawl::Worker worker_;
};

void measure(const Options& options, const std::string& address, const std::string& mode,
             const Report& report) {
  StepLoad load{options, address};
  Measurement rate{.workload = "steps",
                   .metric = "steps",
                   .store = client::name_of(options.store.type),
                   .mode = mode,
                   .value = load.per_second(),
                   .unit = "steps/s"};
  report(rate);
  const auto [alone, commit] = load.alone();
  report({.workload = "steps",
          .metric = "workflow_p50",
          .store = rate.store,
          .mode = mode,
          .value = alone,
          .unit = "us",
          .baseline = commit,
          .ratio = alone / commit});
}

}  // namespace

void run_steps(const Options& options, const Report& report) {
  measure(options, client::name_of(options.store.type) + ":" + options.store.location, "in_process", report);
}

void run_http_steps(const Options& options, const StartServer& start_server, const Report& report) {
  measure(options, start_server({}).address, "http", report);
}

}  // namespace pawl::bench
