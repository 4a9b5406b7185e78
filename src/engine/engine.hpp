#pragma once
// The engine: executes groups of commands against a store, each group as one transaction, and answers after
// the commit. It has no threads and reads no clock of its own for decisions (the store's clock decides); the
// same object code runs under the runtime's loops and inside the simulation.
//
// `execute` may run on several threads at once where the store takes several writers.

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/command.hpp"
#include "core/env.hpp"
#include "engine/batch.hpp"
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
  core::MonotonicTime submitted_at = {};  // to a queue, if it was in one
};

// What the ticker found due and what it did about it.
struct TickResult {
  int leases = 0;
  int promoted = 0;
  int woken = 0;  // timers and deadlines of runs
  std::optional<core::TimePoint> next_due = {};
  std::optional<core::TimePoint> store_now = {};  // none: the store could not be reached
};

// What happened since the start. Read by any thread; exact sums, but not of one moment.
struct EngineStats {
  std::atomic<std::int64_t> groups = 0;  // that were committed
  std::atomic<std::int64_t> commands = 0;
  std::atomic<std::int64_t> group_micros =
      0;  // from the first load to the commit's end, but for a flush apart
  std::atomic<std::int64_t> refused_groups = 0;
  // By the monotonic clock, in microseconds: the first refusal since the last commit (0: none), and the last.
  std::atomic<std::int64_t> refused_since = 0;
  std::atomic<std::int64_t> refused_last = 0;
  std::atomic<std::int64_t> leases_expired = 0;
  // What this node's recovery found and acted on.
  std::atomic<std::int64_t> deadlines_passed = 0;
  std::atomic<std::int64_t> runs_stuck = 0;
  std::atomic<std::int64_t> workers_lost = 0;
  std::atomic<std::int64_t> tasks_claimed = 0;
  // What reports made of tasks; a report that was repeated counts again.
  std::atomic<std::int64_t> tasks_completed = 0;
  std::atomic<std::int64_t> tasks_retried = 0;
  std::atomic<std::int64_t> tasks_failed = 0;     // for good
  std::atomic<std::int64_t> erased = 0;           // tasks, runs and entries of the audit that were too old
  std::atomic<std::int64_t> tasks_set_aside = 0;  // claimable ones that cannot be read; again each hour
  std::atomic<std::int64_t> runs_parked = 0;      // that a timer or deadline could not move on
  // Steps of the store's clock (core/store_clock.hpp) that this node saw, or another recorded.
  std::atomic<std::int64_t> clock_steps_forward = 0;
  std::atomic<std::int64_t> clock_steps_back = 0;
};

struct EngineLimits {
  std::size_t waiting_claims_max = core::kWaitingClaimsMax;
  core::RunBounds runs = {};
};

class Engine {
 public:
  // The clock is only asked for monotonic time, for how long a claim waits.
  Engine(store::Store& store, core::Clock& clock, core::Random& random, EngineLimits limits = {});

  // What a group that was committed, or refused, has to say when it is durable.
  struct Answers {
    store::CommitNumber number = store::kDurable;
    std::vector<core::Reply> replies = {};
    std::vector<core::Result<core::Answer>> answers = {};  // beside the replies
    std::vector<RunWatch::News> news = {};
    std::vector<LeaseNotice> notices = {};
  };
  // One transaction. Every request is answered once, except for claims that wait.
  [[nodiscard]] Answers commit(std::vector<Request> requests);
  // Waits until they are durable; where that fails, that is what they say.
  void settle(Answers& answers);
  // Settles them where that has not been done, and gives them to whoever asked.
  void tell(Answers answers);
  void execute(std::vector<Request> requests) { tell(commit(std::move(requests))); }

  // A command that is worked out by `work` inside its own transaction, behind statements of a user's own;
  // only where the store has SQL, and not one that enqueues by itself: its lanes would be made too late. None
  // is given: nothing is kept, like of one that is refused. It may be called more than once, each time after
  // all that it did before was rolled back.
  using OwnWork = std::function<std::optional<core::Command>(store::Sql&)>;
  [[nodiscard]] core::Result<std::optional<core::Answer>> transact(const OwnWork& work);

  // Answers claims and awaited steps whose wait is over, as they stand.
  void end_waits();
  // Looks for work that other nodes left for the waiting claims; `only_limited` for those that a limit held
  // back.
  void serve_waiting(bool only_limited);
  // Answers what waits for tasks of this worker, which is to get none any more.
  void end_waits_of(const std::string& ns, const std::string& worker_id);
  // Answers everything that waits; for the end.
  void abandon_waits();

  // Finds leases that are over and tasks that are due, a page of each, and moves them. Safe on any number of
  // nodes at once: each finding is compared again under lock.
  TickResult tick(std::size_t page);
  // The first half of a tick: what a read found, as commands that compare again. Throws StoreError.
  [[nodiscard]] std::vector<core::Command> find_due(std::size_t page,
                                                    std::optional<core::TimePoint>& next_due);

  // Finds records whose time has come, a page of each kind: workers that are not heard of any more, keys that
  // are over. Returns how many it looked at. Safe on any number of nodes at once, as a tick is.
  int sweep_records(std::size_t page);

  // Writes down in the logs of runs that nothing happened to for so long that somebody looked.
  void look_into_stuck(std::size_t page, core::Duration stuck_after);

  // The earliest time that a group scheduled something for since the last call; the ticker need not look
  // before.
  [[nodiscard]] std::optional<core::TimePoint> take_earliest_scheduled();

  // False also when the store cannot be reached.
  [[nodiscard]] bool may_have_changed();
  void maintain();

  // Called for each thing that was found damaged: its name, and what is wrong with it. From any thread, one
  // call at a time.
  using DamageListener = std::function<void(const std::string& object, const std::string& why)>;
  void on_damage(DamageListener listener);

  // Called by the tick for each new step of the store's clock, one call at a time.
  using ClockListener = std::function<void(const core::ClockStep& step)>;
  void on_clock_step(ClockListener listener);

  // Told of every commit that changes runs.
  [[nodiscard]] RunWatch& run_watch() { return run_watch_; }
  // Told of every commit that cancels or revokes a lease.
  [[nodiscard]] LeaseNotices& lease_notices() { return lease_notices_; }
  [[nodiscard]] const Waiters& waiters() const { return waiters_; }
  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] core::Clock& clock() { return clock_; }

  [[nodiscard]] const EngineStats& stats() const { return stats_; }
  // Why the store takes no more commits, if another program has migrated it; empty otherwise.
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
  void answer_step_waits(Group& group, const Batch& batch, core::TimePoint now);
  [[nodiscard]] bool has_parked(const core::WriteSteps& command, core::Reply& reply,
                                core::Result<core::Answer>& answer);
  void count_refusal(const store::StoreError& error);
  static void refuse_group(Group& group, const core::Problem& problem);
  void refuse(Group& group, const store::StoreError& error);
  void refuse_for_lack_of_memory(Group& group);
  // One by one, so that what is damaged ends the work of one alone.
  void run_each(Group& group);
  void note_damaged(const WorkingSet& set);
  // The runs that a tick could not move on.
  [[nodiscard]] static std::optional<core::ParkRun> only_run_of(const core::Command& command);
  [[nodiscard]] bool is_unmoved(const core::RunId& run);
  void leave_out_unmoved(core::WakeRuns& wake);
  struct UnmovedRun {
    int failures = 0;                // for lack of memory
    core::MonotonicTime until = {};  // it is left out of ticks
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
  std::atomic<int> ticks_of_parts_ = 0;  // for so many ticks, what is due is done one by one
  std::mutex unmoved_mutex_;
  std::map<core::RunId, UnmovedRun> unmoved_;
  std::mutex damage_mutex_;
  DamageListener on_damage_;
  std::mutex clock_mutex_;
  ClockListener on_clock_step_;
  std::optional<std::int64_t> clock_steps_seen_;  // none before the first tick
};

}  // namespace pawl::engine
