// latency: from the enqueue call until the handler has the task, on an idle system with a waiting claim. It
// alternates with single commits on the same store, whose median is the baseline.

#include <algorithm>
#include <future>
#include <memory>
#include <vector>

#include "bench/baseline.hpp"
#include "bench/bench.hpp"
#include "bench/load.hpp"
#include "runtime/env.hpp"

namespace pawl::bench {

namespace {

using Claimed = std::vector<core::ClaimedTask>;

// Submits a waiting claim; the future holds its tasks and their arrival time.
std::future<std::pair<Claimed, core::MonotonicTime>> park_claim(runtime::Runtime& runtime,
                                                                core::Clock& clock) {
  auto promise = std::make_shared<std::promise<std::pair<Claimed, core::MonotonicTime>>>();
  auto future = promise->get_future();
  core::ClaimTasks claim{
      .worker_id = "worker", .queues = {"latency"}, .max = 1, .wait = std::chrono::seconds{20}};
  runtime.submit(std::move(claim), [promise, &clock](const core::Result<core::Answer>& answer) {
    if (!answer) give_up(answer.problem());
    promise->set_value({std::get<Claimed>(*answer), clock.monotonic()});
  });
  return future;
}

double quantile_of(std::vector<double>& times, double quantile) {
  const auto at =
      times.begin() + static_cast<std::ptrdiff_t>(quantile * static_cast<double>(times.size() - 1));
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

double one_latency(runtime::Runtime& runtime, core::Clock& clock) {
  auto arrival = park_claim(runtime, clock);
  while (runtime.engine().waiters().size() == 0) std::this_thread::yield();
  core::EnqueueTasks command;
  command.tasks.resize(1);
  command.tasks[0].type = "bench";
  command.tasks[0].queue = "latency";
  const auto from = clock.monotonic();
  runtime.submit(std::move(command), [](const core::Result<core::Answer>& answer) {
    if (!answer) give_up(answer.problem());
  });
  const auto [tasks, at] = arrival.get();
  core::ReportTasks reports{.worker_id = "worker"};
  for (const auto& claimed : tasks) {
    reports.reports.push_back({.task_id = claimed.task.id,
                               .fence = claimed.task.lease->fence,
                               .action = core::ReportAction::complete});
  }
  if (const auto done = runtime.api().report(std::move(reports)); !done) give_up(done.problem());
  return std::chrono::duration<double, std::milli>(at - from).count();
}

}  // namespace

void run_latency(const Options& options, const Report& report) {
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  const bool has_commits = options.store.type != client::StoreType::memory;
  const auto baseline = has_commits ? client::open_baseline(options.store) : nullptr;
  const auto store = client::open_store(options.store, clock, random);
  runtime::Runtime runtime{*store, clock, random};

  std::vector<double> times;
  std::vector<double> commits;
  {
    Progress progress{"latency"};
    const auto until = clock.monotonic() + options.seconds;
    for (int i = 0; i < 50; ++i) (void)one_latency(runtime, clock);  // warms up query plans and caches
    while (clock.monotonic() < until) {
      times.push_back(one_latency(runtime, clock));
      if (has_commits) commits.push_back(one_commit(*baseline, clock));
      progress.show(1.0 - std::chrono::duration<double>(until - clock.monotonic()) / options.seconds, "");
    }
  }
  const auto measured = [&](const char* metric, double quantile) {
    Measurement measurement{.workload = "latency",
                            .metric = metric,
                            .store = client::name_of(options.store.type),
                            .value = quantile_of(times, quantile),
                            .unit = "ms"};
    if (has_commits) {
      measurement.baseline = quantile_of(commits, 0.5);
      measurement.ratio = measurement.value / *measurement.baseline;
    }
    report(measurement);
  };
  measured("p50", 0.5);
  measured("p99", 0.99);
}

}  // namespace pawl::bench
