#pragma once
// The engine: executes groups of commands against a store, each group in one transaction, and replies after
// the commit. It has no threads, and its decisions use the store's clock, not its own. The same object code
// runs under the runtime's loops and inside the simulation.
//
// Thread-safe: `execute` may run on several threads concurrently where the store supports several writers.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/env.hpp"
#include "core/task/command.hpp"
#include "engine/damage_reports.hpp"
#include "engine/earliest_scheduled.hpp"
#include "engine/engine_stats.hpp"
#include "engine/group.hpp"
#include "engine/group_try.hpp"
#include "engine/id_source.hpp"
#include "engine/lease_notices.hpp"
#include "engine/refusals.hpp"
#include "engine/run_watch.hpp"
#include "engine/step_waits.hpp"
#include "engine/sweeper.hpp"
#include "engine/waiters.hpp"
#include "store/store.hpp"

namespace pawl::engine {

struct EngineLimits {
  std::size_t waiting_claims_max = core::kWaitingClaimsMax;
  core::RunBounds runs = {};
};

class Engine {
 public:
  // The clock is used only for monotonic time: how long a claim waits.
  Engine(store::Store& store, core::Clock& clock, core::Random& random, EngineLimits limits = {});
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() = default;

  using Answers = GroupAnswers;
  // Executes one transaction. Every request gets one reply, except claims that keep waiting.
  [[nodiscard]] Answers commit(std::vector<Request> requests);
  // Waits until the commit is durable. If that fails, the failure replaces every answer.
  void await_durable(Answers& answers);
  // Waits until the commit is durable if that has not been done, and sends the replies.
  void reply(Answers answers);
  void execute(std::vector<Request> requests) { reply(commit(std::move(requests))); }

  // Executes the command that `work` returns, in one transaction with the SQL statements that `work` runs
  // before it. Only for a store that has SQL, and not for a command that enqueues: its lanes would be created
  // too late. Nothing is committed if `work` returns none or the command is refused. `work` may be called
  // several times; each time, the effects of the previous call have been rolled back.
  using OwnWork = engine::OwnWork;
  [[nodiscard]] core::Result<std::optional<core::Answer>> transact(const OwnWork& work);

  // Replies to claims and awaited steps whose wait has expired, with their current state.
  void end_waits();
  // Serves waiting claims with work that other nodes committed; `only_limited`: those that a limit held back.
  void serve_waiting(bool only_limited);
  // Ends the waits of this worker, which gets no more tasks.
  void end_waits_of(const std::string& ns, const std::string& worker_id);
  // Replies to everything that waits, for the shutdown.
  void abandon_waits();

  // Finds and executes due work.
  [[nodiscard]] Sweeper& sweeper() { return sweeper_; }

  // The earliest time for which a group scheduled work since the last call; no earlier poll is needed.
  [[nodiscard]] std::optional<core::TimePoint> take_earliest_scheduled() { return scheduled_.take(); }

  void on_damage(DamageReports::Listener listener) { damage_.listen(std::move(listener)); }
  void on_clock_step(ClockWatch::Listener listener) { sweeper_.clock_watch().listen(std::move(listener)); }

  // Notified of every commit that changes runs.
  [[nodiscard]] RunWatch& run_watch() { return run_watch_; }
  // Notified of every commit that cancels or revokes a lease.
  [[nodiscard]] LeaseNotices& lease_notices() { return lease_notices_; }
  [[nodiscard]] const Waiters& waiters() const { return waiters_; }
  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] core::Clock& clock() { return clock_; }

  [[nodiscard]] const EngineStats& stats() const { return stats_; }
  // Why the store rejects commits, if another program has migrated its schema; otherwise empty.
  [[nodiscard]] std::string foreign_schema() const { return refusals_.foreign_schema(); }

 private:
  // Tries the group until it is committed or refused.
  void run(Group& group);
  void try_once(Group& group);
  void collect_answers(Group& group);
  void collect_claim_answers(Group& group);
  [[nodiscard]] bool has_parked(const core::WriteSteps& command, core::Reply& reply,
                                core::Result<core::Answer>& answer);
  void add_missed_claims(Group& group);

  void refuse(Group& group, const store::StoreError& error);
  void refuse_for_lack_of_memory(Group& group);
  // Runs the commands one by one, so that damage fails only the command it affects.
  void run_each(Group& group);

  store::Store& store_;
  core::Clock& clock_;
  Waiters waiters_;
  RunWatch run_watch_;
  StepWaits step_waits_;
  LeaseNotices lease_notices_;
  Plans plans_;
  DeclaredTypes types_;
  RunCache run_cache_;
  IdSource ids_;
  EngineStats stats_;
  EarliestScheduled scheduled_;
  Refusals refusals_;
  DamageReports damage_;
  Sweeper sweeper_;
  const GroupTry::Dependencies for_tries_;
};

}  // namespace pawl::engine
