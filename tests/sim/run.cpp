#include "tests/sim/run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tests/sim/clients.hpp"
#include "tests/sim/clock_steps.hpp"
#include "tests/sim/cluster.hpp"
#include "tests/sim/workers.hpp"

namespace pawl::sim {

namespace {

using namespace std::chrono_literals;

constexpr Duration kTasksQuietWithin = 2h;  // after the heal, in simulated time
constexpr int kAudits = 3;
constexpr std::int64_t kSpreadSamples = 60;
constexpr std::int64_t kSpreadBuckets = 3;

class Run {
 public:
  Run(const Options& options, const MakeStores& make_stores, std::optional<core::TaskId> watched)
      : options_(options),
        chance_(options.seed),
        store_clock_(scheduler_, 0us, 0us),
        history_(watched),
        stores_(make_stores(store_clock_)),
        audited_(stores_->open()),
        checker_(*audited_, store_clock_, scheduler_, tally_, history_, stores_->is_one_process()),
        cluster_(options_, scheduler_, *stores_, checker_, tally_, chance_.seed()),
        workers_(options_, scheduler_, cluster_, checker_, tally_, chance_.seed()),
        clients_(options_, scheduler_, cluster_, checker_, store_clock_, workers_, chance_.seed()) {}

  RunResult result() {
    RunResult result;
    try {
      under_fire();
      until_quiet();
      checker_.audit_end();
      check_spread();
    } catch (const Violation& violation) {
      result.violation = violation;
    }
    tally_.runs = 1;
    tally_.lives = static_cast<std::int64_t>(checker_.model().tasks().size());
    tally_.sweeps_least = cluster_.sweeps();
    result.tally = tally_;
    result.hash = history_.hash();
    result.excerpt = history_.excerpt();
    return result;
  }

 private:
  void under_fire() {
    for (int i = 1; i <= kAudits; ++i) {
      scheduler_.after(options_.span * i / kAudits, [this] { checker_.audit(); });
    }
    clock_steps_.start();
    while (!clients_.has_sent_all()) scheduler_.step();
    const Duration until = scheduler_.now() + chance_.between(1s, 10s);
    while (scheduler_.now() < until) scheduler_.step();
  }

  void until_quiet() {
    clock_steps_.heal();
    cluster_.heal();
    workers_.heal();
    clients_.heal();
    checker_.heal(3 * (options_.tick + options_.ticker_pause) + 50 * options_.commit_time + 3s);
    const Duration end = scheduler_.now() + kTasksQuietWithin;
    while (checker_.model().open_tasks() > 0 || clients_.unsettled() > 0 || workers_.handlers() > 0) {
      scheduler_.step();
      if (scheduler_.now() > end) stuck();
    }
  }

  [[noreturn]] void stuck() {
    for (const ModelTask& task : checker_.model().tasks()) {
      if (core::is_terminal(task.status)) continue;
      throw Violation{Invariant::i01,
                      fmt::format("stuck: {} two hours after the heal", to_string(task.status)), task.id};
    }
    throw Violation{Invariant::i01, "stuck: all tasks ended, and somebody still waits for an answer"};
  }

  // A single run has few backoffs: enough to distinguish jitter from none.
  void check_spread() {
    const auto used =
        std::count_if(tally_.jitter.begin(), tally_.jitter.end(), [](auto count) { return count > 0; });
    if (tally_.jitter_samples() >= kSpreadSamples && used < kSpreadBuckets) {
      throw Violation{Invariant::i12, fmt::format("{} waits, and none is spread", tally_.jitter_samples())};
    }
  }

  Options options_;
  Chance chance_;
  Scheduler scheduler_;
  SimClock store_clock_;
  Tally tally_;
  History history_;
  std::unique_ptr<StoreSource> stores_;
  std::shared_ptr<store::Store> audited_;  // shared with the nodes, for the memory store
  Checker checker_;
  Cluster cluster_;
  Workers workers_;
  Clients clients_;
  ClockSteps clock_steps_{options_, scheduler_, store_clock_, chance_, tally_};
};

}  // namespace

RunResult run(const Options& options, const MakeStores& make_stores, std::optional<core::TaskId> watched) {
  return Run{options, make_stores, watched}.result();
}

}  // namespace pawl::sim
