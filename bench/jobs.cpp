// jobs: the engine's throughput, each figure with the baseline of the same run.

#include "bench/baseline.hpp"
#include "bench/bench.hpp"
#include "bench/load.hpp"
#include "runtime/env.hpp"

namespace pawl::bench {

void run_jobs(const Options& options, const Report& report) {
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  std::optional<double> baseline;
  if (options.baseline && options.store.type != client::StoreType::memory) {
    Progress progress{"baseline"};
    progress.show(0, "one statement and commit an operation");
    baseline = baseline_life(options, clock);
  }
  const auto store = client::open_store(options.store, clock, random);
  runtime::Runtime runtime{*store, clock, random};
  Load load{runtime, clock};
  const auto measured = [&](const char* metric, double value, bool compare) {
    Measurement measurement{.workload = "jobs",
                            .metric = metric,
                            .store = client::name_of(options.store.type),
                            .value = value,
                            .unit = "tasks/s"};
    if (compare && baseline) {
      measurement.baseline = baseline;
      measurement.ratio = value / *baseline;
    }
    report(measurement);
  };

  const LoadOptions life{
      .queue = "life", .batch = options.batch, .workers = options.workers, .seconds = options.seconds};
  const LoadOptions bulk{
      .queue = "bulk", .batch = 1'000, .workers = options.workers, .seconds = options.seconds};
  const LoadOptions single{
      .queue = "single", .batch = 1, .workers = options.workers, .seconds = options.seconds};
  {
    Progress progress{"life"};
    measured("life", load.life(life, progress), true);
  }
  {
    LoadOptions behind = life;
    behind.queue = "life_behind";
    behind.is_behind = true;
    Progress progress{"life_behind"};
    measured("life_behind", load.life(behind, progress), true);
  }
  {
    Progress progress{"enqueue_bulk"};
    measured("enqueue_bulk", load.enqueue(bulk, 4, progress), false);
  }
  {
    Progress progress{"enqueue_single16"};
    measured("enqueue_single16", load.enqueue(single, 16, progress), false);
  }
  {
    Progress progress{"drain"};
    constexpr std::int64_t kTasks = 100'000;
    load.fill("drain", kTasks, core::Duration{0}, progress);
    const LoadOptions drain{.queue = "drain", .batch = options.batch, .workers = options.workers};
    measured("drain", load.drain(drain, kTasks, progress), false);
  }
}

}  // namespace pawl::bench
