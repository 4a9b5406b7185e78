#include "tests/sim/flow_run.hpp"

#include <fmt/format.h>

#include "tests/sim/clock_steps.hpp"
#include "tests/sim/cluster.hpp"
#include "tests/sim/flow_bodies.hpp"
#include "tests/sim/flow_clients.hpp"
#include "tests/sim/workers.hpp"

namespace pawl::sim {

namespace {

using namespace std::chrono_literals;

constexpr Duration kQuietWithin = 4h;  // after the heal, in simulated time
constexpr int kTasksOfAFlow = 8;       // approximate

class FlowRun {
 public:
  FlowRun(const Options& options, int flows, const MakeStores& make_stores)
      : options_(options),
        chance_(options.seed),
        store_clock_(scheduler_, 0us, 0us),
        history_(std::nullopt),
        stores_(make_stores(store_clock_)),
        audited_(stores_->open()),
        checker_(*audited_, tally_, history_),
        cluster_(options_, scheduler_, *stores_, checker_, faults_, chance_.seed()),
        workers_(options_, scheduler_, cluster_, checker_, faults_, chance_.seed()),
        bodies_(options_, scheduler_, cluster_, checker_, faults_, chance_.seed()),
        clients_(options_, scheduler_, cluster_, checker_, flows, chance_.seed()) {
    FlowClients::define(*audited_, store_clock_, chance_.seed());
  }

  FlowResult result() {
    FlowResult result;
    try {
      under_fire();
      until_quiet();
      checker_.audit_end(faults_.faults.at(static_cast<std::size_t>(Fault::clock_back)) > 0);
    } catch (const FlowViolation& violation) {
      result.failure =
          fmt::format("seed {} failed: {}: {} (run {})\noptions: {}\n", options_.seed, violation.invariant,
                      violation.what, to_string(violation.run), to_string(options_));
      result.failure += log_of(violation.run);
    }
    tally_.faults = faults_.faults;
    result.tally = tally_;
    result.hash = history_.hash();
    return result;
  }

 private:
  void under_fire() {
    clock_steps_.start();
    while (!clients_.has_sent_all()) scheduler_.step();
    const Duration until = scheduler_.now() + chance_.between(5s, 60s);
    while (scheduler_.now() < until) scheduler_.step();
  }

  void until_quiet() {
    clock_steps_.heal();
    cluster_.heal();
    workers_.heal();
    bodies_.heal();
    clients_.heal();
    const Duration end = scheduler_.now() + kQuietWithin;
    while (checker_.open_flows() > 0 || clients_.unsettled() > 0 || workers_.handlers() > 0 ||
           bodies_.running() > 0) {
      scheduler_.step();
      if (scheduler_.now() > end) stuck();
    }
  }

  // The log of the violation's run, one line per event.
  [[nodiscard]] std::string log_of(const core::RunId& run) const {
    std::string text;
    for (const store::StoredEvent& stored : audited_->list_run_events(run, 0, 1'000)) {
      text += fmt::format("{:>4} {} {} {} {}\n", stored.event.sequence, core::format_time(stored.event.at),
                          to_string(stored.event.type), stored.event.actor.type, stored.payload.text);
    }
    for (const store::StoredTask& task :
         audited_->list_tasks({.filter = {.ns = "default", .run = run}, .limit = 500})) {
      text += fmt::format("task {} of {}: {}, attempt {}, fence {}\n", to_string(task.record.id),
                          task.record.facts.run->node_id, to_string(task.record.status),
                          task.record.progress.attempt, task.record.progress.fence);
    }
    return text;
  }

  [[noreturn]] void stuck() {
    for (int i = 0; i < core::kRunStateCount; ++i) {
      const auto state = static_cast<core::RunState>(i);
      if (core::is_closed(state)) continue;
      for (const core::RunId& run : checker_.in(state))
        throw FlowViolation{.invariant = "I42",
                            .what = fmt::format("still {} long after the heal", to_string(state)),
                            .run = run};
    }
    throw FlowViolation{.invariant = "I42", .what = "all runs ended, and somebody still waits"};
  }

  Options options_;
  Chance chance_;
  Scheduler scheduler_;
  SimClock store_clock_;
  Tally faults_;
  FlowTally tally_;
  History history_;
  std::unique_ptr<StoreSource> stores_;
  std::shared_ptr<store::Store> audited_;  // shared with the nodes, for the memory store
  FlowChecker checker_;
  Cluster cluster_;
  Workers workers_;
  Bodies bodies_;
  FlowClients clients_;
  ClockSteps clock_steps_{options_, scheduler_, store_clock_, chance_, faults_};
};

}  // namespace

FlowResult run_flows(std::uint64_t seed, int flows, const MakeStores& make_stores) {
  return FlowRun{options_for(seed, flows * kTasksOfAFlow), flows, make_stores}.result();
}

}  // namespace pawl::sim
