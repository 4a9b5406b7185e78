// deep: the rate with a million future and a million pending tasks of other queues, relative to the rate of
// the empty store; held: the rate while a forgotten transaction keeps a snapshot open, relative to the rate
// without it.

#include "bench/bench.hpp"
#include "bench/load.hpp"
#include "runtime/env.hpp"

namespace pawl::bench {

namespace {

LoadOptions life_of(const Options& options) {
  return {.queue = "life", .batch = options.batch, .workers = options.workers, .seconds = options.seconds};
}

Measurement rate_of(const Options& options, const char* workload, const char* metric, double value) {
  return {.workload = workload,
          .metric = metric,
          .store = client::name_of(options.store.type),
          .value = value,
          .unit = "tasks/s"};
}

}  // namespace

void run_deep(const Options& options, const Report& report) {
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  const auto store = client::open_store(options.store, clock, random);
  runtime::Runtime runtime{*store, clock, random};
  Load load{runtime, clock};

  double empty = 0;
  {
    Progress progress{"empty"};
    empty = load.life(life_of(options), progress);
    report(rate_of(options, "deep", "life_empty", empty));
  }
  {
    Progress progress{"future tasks"};
    load.fill("other-future", options.backlog, std::chrono::hours{24}, progress);
  }
  {
    Progress progress{"pending tasks"};
    load.fill("other-pending", options.backlog, core::Duration{0}, progress);
  }
  Progress progress{"deep"};
  Measurement deep = rate_of(options, "deep", "life", load.life(life_of(options), progress));
  deep.ratio = deep.value / empty;
  report(deep);
}

void run_held(const Options& options, const Report& report) {
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  const auto store = client::open_store(options.store, clock, random);
  runtime::Runtime runtime{*store, clock, random};
  Load load{runtime, clock};
  // As long as the held run: minutes of writing have costs of their own (database checkpoints, larger tables)
  // that the snapshot does not cause.
  LoadOptions minutes = life_of(options);
  minutes.seconds = options.held;
  double free = 0;
  {
    Progress progress{"free"};
    free = load.life(minutes, progress);
    report(rate_of(options, "held", "life_free", free));
  }
  const auto holder = client::open_baseline(options.store);
  if (holder != nullptr) holder->hold_snapshot();
  {
    Progress progress{"snapshot held"};
    Measurement held = rate_of(options, "held", "life", load.life(minutes, progress));
    held.ratio = held.value / free;
    report(held);
  }
  Progress progress{"still held"};
  Measurement end = rate_of(options, "held", "life_at_the_end", load.life(life_of(options), progress));
  end.ratio = end.value / free;
  report(end);
}

}  // namespace pawl::bench
