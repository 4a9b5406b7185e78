// retention: the foreground rate while retention deletes finished tasks, relative to the rate with the same
// tasks in the tables and nothing to delete.

#include "bench/bench.hpp"
#include "bench/load.hpp"
#include "runtime/env.hpp"

namespace pawl::bench {

namespace {

constexpr const char* kOldQueue = "old";

LoadOptions load_of(const Options& options, const char* queue, core::Duration seconds) {
  return {.queue = queue, .batch = options.batch, .workers = options.workers, .seconds = seconds};
}

void finish_many(Load& load, const Options& options) {
  {
    Progress progress{"tasks"};
    load.fill(kOldQueue, options.finished, core::Duration{0}, progress);
  }
  Progress progress{"their ends"};
  (void)load.drain(load_of(options, kOldQueue, options.seconds), options.finished, progress);
}

// From now on all tasks of the queue exceed their retention, and no others.
void make_old(runtime::Runtime& runtime) {
  const auto put =
      runtime.api().put_namespace({.patch = {.retention_queues = {{{kOldQueue, core::Duration{0}}}}}});
  if (!put) give_up(put.problem());
}

}  // namespace

void run_retention(const Options& options, const Report& report) {
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  const auto store = client::open_store(options.store, clock, random);
  runtime::Runtime runtime{*store, clock, random};
  Load load{runtime, clock};
  const auto measured = [&](const char* metric, double value) {
    return Measurement{.workload = "retention",
                       .metric = metric,
                       .store = client::name_of(options.store.type),
                       .value = value,
                       .unit = "tasks/s"};
  };

  finish_many(load, options);
  double free = 0;
  {
    Progress progress{"nothing old"};
    free = load.life(load_of(options, "life", options.seconds), progress);
    report(measured("life_free", free));
  }
  make_old(runtime);
  {
    // A retention walk begins within seconds; the load continues meanwhile, so that the walk does not finish
    // on an idle system.
    Progress progress{"until a walk begins"};
    while (runtime.engine().stats().erased == 0)
      (void)load.life(load_of(options, "life", std::chrono::seconds{1}), progress);
  }
  Progress progress{"beside the retention"};
  const std::int64_t before = runtime.engine().stats().erased;
  const core::MonotonicTime from = clock.monotonic();
  Measurement beside = measured("life", load.life(load_of(options, "life", options.seconds), progress));
  beside.ratio = beside.value / free;
  report(beside);
  const std::chrono::duration<double> elapsed = clock.monotonic() - from;
  report(measured("erased", static_cast<double>(runtime.engine().stats().erased - before) / elapsed.count()));
}

}  // namespace pawl::bench
