#pragma once
// Finds due work in the store, a page of each kind, and executes it: expired leases, due tasks, timers,
// deadlines, expired records, stuck runs. Safe on any number of nodes concurrently, since each command
// compares its rows again under lock. If the store cannot be reached, the next call tries again; the node's
// health is judged by commits, not here. Thread-safe.

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/env.hpp"
#include "core/task/command.hpp"
#include "engine/clock_watch.hpp"
#include "engine/damage_reports.hpp"
#include "engine/engine_stats.hpp"
#include "engine/skipped_runs.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class Engine;

// What one tick found due and moved.
struct TickResult {
  int leases = 0;
  int promoted = 0;
  int woken = 0;  // timers and deadlines of runs
  std::optional<core::TimePoint> next_due = {};
  std::optional<core::TimePoint> store_now = {};  // none: the store could not be reached
};

class Sweeper {
 public:
  // Executes its commands by `engine`.
  Sweeper(Engine& engine, store::Store& store, core::Clock& clock, EngineStats& stats, DamageReports& damage)
      : engine_(engine),
        store_(store),
        stats_(stats),
        damage_(damage),
        clock_watch_(stats),
        skipped_(clock) {}

  // Moves expired leases, due tasks, timers and deadlines.
  TickResult tick(std::size_t page);
  // The read half of a tick: returns the due work as commands. Throws StoreError.
  [[nodiscard]] std::vector<core::Command> find_due(std::size_t page,
                                                    std::optional<core::TimePoint>& next_due);
  // Ends expired records: workers that stopped sending heartbeats, idempotency keys and nodes. Returns the
  // number of commands.
  int sweep_records(std::size_t page);
  // Appends an event to the logs of runs that have been silent for `stuck_after`, as evidence.
  void note_stuck_runs(std::size_t page, core::Duration stuck_after);

  // Also false if the store cannot be reached.
  [[nodiscard]] bool may_have_changed();
  void maintain();

  [[nodiscard]] ClockWatch& clock_watch() { return clock_watch_; }

 private:
  struct FailedRun {
    core::ParkRun run;
    core::ProblemCode code = {};
  };

  void execute_tick(std::vector<core::Command> commands, TickResult& result);
  void execute(core::Command command, core::Reply reply);
  void park(FailedRun failed);

  Engine& engine_;
  store::Store& store_;
  EngineStats& stats_;
  DamageReports& damage_;
  ClockWatch clock_watch_;
  SkippedRuns skipped_;
  std::atomic<int> ticks_of_parts_ = 0;  // number of ticks that execute due items one by one
};

}  // namespace pawl::engine
