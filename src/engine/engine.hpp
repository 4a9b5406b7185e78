#pragma once
// The engine: executes groups of commands against a store, each group in one transaction, and replies after
// the commit. It has no threads, and its decisions use the store's clock, not its own. The same object code
// runs under the runtime's loops and inside the simulation.
//
// Thread-safe: `execute` may run on several threads concurrently where the store supports several writers.

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/env.hpp"
#include "core/task/command.hpp"
#include "engine/batch.hpp"
#include "engine/engine_stats.hpp"
#include "engine/id_source.hpp"
#include "engine/lease_notices.hpp"
#include "engine/run_watch.hpp"
#include "engine/step_waits.hpp"
#include "engine/waiters.hpp"
#include "store/store.hpp"

namespace pawl::engine {

struct Request {
  core::Command command;
  core::Reply reply;
  core::MonotonicTime submitted_at = {};  // when it entered a queue, if it did
};

// What one tick found due and moved.
struct TickResult {
  int leases = 0;
  int promoted = 0;
  int woken = 0;  // timers and deadlines of runs
  std::optional<core::TimePoint> next_due = {};
  std::optional<core::TimePoint> store_now = {};  // none: the store could not be reached
};

struct EngineLimits {
  std::size_t waiting_claims_max = core::kWaitingClaimsMax;
  core::RunBounds runs = {};
};

class Engine {
 public:
  // The clock is used only for monotonic time: how long a claim waits.
  Engine(store::Store& store, core::Clock& clock, core::Random& random, EngineLimits limits = {});

  // The replies of a committed or refused group, to be sent once it is durable.
  struct Answers {
    store::CommitNumber number = store::kDurable;
    std::vector<core::Reply> replies = {};
    std::vector<core::Result<core::Answer>> answers = {};  // parallel to `replies`
    std::vector<RunWatch::News> news = {};
    std::vector<LeaseNotice> notices = {};
  };
  // Executes one transaction. Every request gets one reply, except claims that keep waiting.
  [[nodiscard]] Answers commit(std::vector<Request> requests);
  // Waits until the commit is durable. If that fails, the failure replaces every answer.
  void settle(Answers& answers);
  // Settles the answers if that has not been done, and sends the replies.
  void tell(Answers answers);
  void execute(std::vector<Request> requests) { tell(commit(std::move(requests))); }

  // Executes the command that `work` returns, in one transaction with the SQL statements that `work` runs
  // before it. Only for a store that has SQL, and not for a command that enqueues: its lanes would be created
  // too late. Nothing is committed if `work` returns none or the command is refused. `work` may be called
  // several times; each time, the effects of the previous call have been rolled back.
  using OwnWork = std::function<std::optional<core::Command>(store::Sql&)>;
  [[nodiscard]] core::Result<std::optional<core::Answer>> transact(const OwnWork& work);

  // Replies to claims and awaited steps whose wait has expired, with their current state.
  void end_waits();
  // Serves waiting claims with work that other nodes committed; `only_limited`: those that a limit held back.
  void serve_waiting(bool only_limited);
  // Ends the waits of this worker, which gets no more tasks.
  void end_waits_of(const std::string& ns, const std::string& worker_id);
  // Replies to everything that waits, for the shutdown.
  void abandon_waits();

  // Finds expired leases, due tasks, timers and deadlines, a page of each, and moves them. Safe on any number
  // of nodes concurrently: each command compares again under lock.
  TickResult tick(std::size_t page);
  // The read half of a tick: returns due work as commands that compare again. Throws StoreError.
  [[nodiscard]] std::vector<core::Command> find_due(std::size_t page,
                                                    std::optional<core::TimePoint>& next_due);

  // Finds expired records, a page of each kind: workers that stopped sending heartbeats, idempotency keys and
  // nodes. Returns the number of commands. Safe on any number of nodes concurrently, as a tick is.
  int sweep_records(std::size_t page);

  // Appends an event to the logs of runs that have been silent for `stuck_after`, as evidence.
  void look_into_stuck(std::size_t page, core::Duration stuck_after);

  // The earliest time for which a group scheduled work since the last call; no earlier poll is needed.
  [[nodiscard]] std::optional<core::TimePoint> take_earliest_scheduled();

  // Also false if the store cannot be reached.
  [[nodiscard]] bool may_have_changed();
  void maintain();

  // Called with the name and the defect of each damaged object, on any thread, one call at a time.
  using DamageListener = std::function<void(const std::string& object, const std::string& why)>;
  void on_damage(DamageListener listener);

  // Called by the tick for each new step of the store's clock, one call at a time.
  using ClockListener = std::function<void(const core::ClockStep& step)>;
  void on_clock_step(ClockListener listener);

  // Notified of every commit that changes runs.
  [[nodiscard]] RunWatch& run_watch() { return run_watch_; }
  // Notified of every commit that cancels or revokes a lease.
  [[nodiscard]] LeaseNotices& lease_notices() { return lease_notices_; }
  [[nodiscard]] const Waiters& waiters() const { return waiters_; }
  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] core::Clock& clock() { return clock_; }

  [[nodiscard]] const EngineStats& stats() const { return stats_; }
  // Why the store rejects commits, if another program has migrated its schema; otherwise empty.
  [[nodiscard]] std::string foreign_schema() const;

 private:
  struct Group;
  static constexpr std::int64_t kNeverScheduled = std::numeric_limits<std::int64_t>::max();

  void run_group(Group& group);
  [[nodiscard]] std::unique_ptr<store::Transaction> begin(Group& group, const Lanes& lanes);
  void try_group(Group& group);
  static void execute_commands(Group& group, Batch& batch);
  static void settle_claims(Group& group, Batch& batch);
  static void keep_answers(Group& group, Batch& batch);
  void join_waiting(Group& group, Batch& batch);
  void note_scheduled(Batch& batch);
  void answer_claims(Group& group, const std::vector<std::vector<WorkingTask*>>& given);
  void collect_answers(Group& group);
  void serve_parked(Group& group);
  void answer_step_waits(Group& group, Batch& batch, core::TimePoint now);
  [[nodiscard]] bool has_parked(const core::WriteSteps& command, core::Reply& reply,
                                core::Result<core::Answer>& answer);
  void count_refusal(const store::StoreError& error);
  static void refuse_group(Group& group, const core::Problem& problem);
  void refuse(Group& group, const store::StoreError& error);
  void refuse_for_lack_of_memory(Group& group);
  // Runs the commands one by one, so that damage fails only the command it affects.
  void run_each(Group& group);
  void note_damaged(const WorkingSet& set);
  // Runs that a tick could not advance.
  [[nodiscard]] static std::optional<core::ParkRun> only_run_of(const core::Command& command);
  [[nodiscard]] bool is_unmoved(const core::RunId& run);
  void leave_out_unmoved(core::WakeRuns& wake);
  struct UnmovedRun {
    int failures = 0;                // for lack of memory
    core::MonotonicTime until = {};  // ticks skip the run until then
  };
  [[nodiscard]] UnmovedRun& unmoved(const core::RunId& run);
  void park(core::ParkRun run, core::ProblemCode code);
  void tell_damage(const std::string& object, const std::string& why);
  void note_clock();

  store::Store& store_;
  core::Clock& clock_;
  core::Random& random_;
  core::RunBounds bounds_;
  Waiters waiters_;
  RunWatch run_watch_;
  StepWaits step_waits_;
  LeaseNotices lease_notices_;
  Plans plans_;
  DeclaredTypes types_;
  RunCache run_cache_;
  IdSource ids_;
  EngineStats stats_;
  mutable std::mutex refusal_mutex_;
  std::string foreign_schema_;
  std::atomic<std::int64_t> earliest_scheduled_{kNeverScheduled};
  std::atomic<int> ticks_of_parts_ = 0;  // number of ticks that execute due items one by one
  std::mutex unmoved_mutex_;
  std::map<core::RunId, UnmovedRun> unmoved_;
  std::mutex damage_mutex_;
  DamageListener on_damage_;
  std::mutex clock_mutex_;
  ClockListener on_clock_step_;
  std::optional<std::int64_t> clock_steps_seen_;  // none before the first tick
};

}  // namespace pawl::engine
