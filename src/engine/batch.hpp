#pragma once
// Executes the commands of one group, except claims, against a working set. A command that fails replies with
// its problem and does not affect the others.

#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/base/env.hpp"
#include "core/task/command.hpp"
#include "engine/batch_runs.hpp"
#include "engine/id_source.hpp"
#include "engine/working_records.hpp"
#include "engine/working_set.hpp"
#include "store/store.hpp"

namespace pawl::engine {

using Lanes = std::map<store::LaneKey, const core::Lane*>;

// Creates the lanes that the commands enqueue into. Call it before the transaction: each is its own commit.
[[nodiscard]] Lanes intern_lanes(store::Store& store, const std::vector<const core::Command*>& commands);

[[nodiscard]] core::Problem no_such_task(const core::TaskId& id);

class Batch {
 public:
  struct Around {
    store::Store& store;
    store::Transaction& tx;
    IdSource& ids;
    core::Random& random;
    Plans& plans;
    DeclaredTypes& types;
    RunCache& cache;
    core::RunBounds bounds;
  };
  // `lanes` holds the lanes that the commands enqueue into.
  Batch(const Lanes& lanes, const Around& around)
      : lanes_(lanes),
        tx_(around.tx),
        ids_(around.ids),
        random_(around.random),
        set_(around.tx),
        records_(around.tx),
        runs_({.store = around.store,
               .tx = around.tx,
               .ids = around.ids,
               .plans = around.plans,
               .types = around.types,
               .cache = around.cache,
               .set = set_,
               .records = records_,
               .random = around.random,
               .bounds = around.bounds}) {}

  // Loads and locks the rows that the commands touch, in as few round trips as possible.
  void load(const std::vector<const core::Command*>& commands);
  [[nodiscard]] core::Result<core::Answer> execute(const core::Command& command);

  // Idempotency of a DoOnce command: `lock_keys` locks its records, `look_up` returns the stored response,
  // and `keep` stores a new one. An empty look-up means that the command has to be executed.
  void lock_keys(const std::vector<const core::DoOnce*>& onces);
  [[nodiscard]] core::Result<std::optional<core::Replayed>> look_up(const core::DoOnce& once);
  [[nodiscard]] core::Result<std::optional<core::Replayed>> look_up_taken(const core::DoOnce& once);
  void keep(const core::DoOnce& once, const core::Result<core::Answer>& answer);

  // Adds to each claimed body of a code run the steps to resume from.
  void add_memos(std::span<const WaitingClaim> claims, std::vector<core::Result<core::Answer>>& answers) {
    runs_.add_memos(claims, answers);
  }
  // Fills in the tasks that answers show, in their state at the end of the group.
  void show_made();
  [[nodiscard]] WorkingSet& set() { return set_; }
  [[nodiscard]] const WorkingRuns& runs() const { return runs_.runs(); }
  [[nodiscard]] store::WriteSet writes();
  // Reads the inputs of runs that are in this group or stored.
  [[nodiscard]] RunInputs run_inputs() { return runs_.run_inputs(); }
  // Call it after the commit of `writes`.
  void keep_in_cache(const store::WriteSet& writes) { runs_.keep_in_cache(writes); }

 private:
  core::Result<core::Answer> run(const core::EnqueueTasks& command);
  core::Answer run(const core::ReportTasks& command);
  core::Answer run(const core::CancelTasks& command);
  core::Answer run(const core::RetryTasks& command);
  core::Answer run(const core::SetQueue& command);
  core::Answer run(const core::SweepLeases& command);
  core::Answer run(const core::PromoteDue& command);
  core::Result<core::Answer> run(const core::ChangeRecords& command);
  core::Result<core::Answer> run(const core::AppendCheckpoint& command);
  core::Answer run(const core::EraseTasks& command);
  core::Answer run(const core::EraseRuns& command);
  core::Answer run(const core::EraseAudit& command);
  core::Answer run(const core::ClaimTasks& command);  // unreachable: a ClaimRound serves claims
  core::Answer run(const core::DoOnce& command);      // unreachable: the engine executes the inner command

  core::Enqueued enqueue(const core::EnqueueTasks& command, const core::TaskSpec& spec);
  WorkingTask& add_made(const core::EnqueueTasks& command, core::TaskRecord record);
  core::Enqueued make(const core::EnqueueTasks& command, const core::TaskSpec& spec, const core::TaskId& id);
  core::Result<core::ReportAnswer> report(const core::ReportTasks& command, std::size_t index);
  core::Result<core::TaskMoved> cancel(const core::CancelTasks& command, const core::TaskId& id);
  core::Result<core::TaskMoved> revive(const std::string& ns, const core::TaskId& id, const core::Actor& by);

  void note_moved(std::string_view action, const core::Actor& by, const std::string& ns,
                  const std::vector<core::TaskId>& ids,
                  const std::vector<core::Result<core::TaskMoved>>& results);
  void note_batch(const core::EnqueueTasks& command, const std::vector<core::Enqueued>& results);
  core::Status check_queue(const core::ReportTasks& command, const WorkingTask& task);
  int evict(const core::HeldTasks& held, const core::EvictFrom& from);
  // Locks and returns those of the tasks that have ended and that no other command of the group touches.
  [[nodiscard]] std::vector<core::FinishedTask> lock_to_erase(std::vector<core::TaskId> ids);
  bool erase_run(const core::EraseRuns::Ref& ref, const core::Run& run);
  void erase(const std::vector<core::FinishedTask>& tasks);
  void add_erased_to(store::WriteSet& writes) const;
  // Changes the task, and notifies its run if it has one.
  void change(WorkingTask& task, const core::TaskChange& change, const core::EventActor& actor);

  const core::Lane* lane_of(const std::string& ns, const core::TaskSpec& spec);
  [[nodiscard]] WorkingTask* find(const std::string& ns, const core::TaskId& id);
  [[nodiscard]] const core::Attempt* past_attempt(const WorkingTask& task, const core::Report& report) const;
  void load_past_attempts(const std::vector<const core::Command*>& commands);
  void lock_lines(const std::vector<const core::Command*>& commands);
  void load_idempotency(const std::vector<const core::Command*>& commands);
  void load_queues(const std::vector<const core::Command*>& commands);
  void load_records(const std::vector<const core::Command*>& commands);
  [[nodiscard]] core::Moment moment() {
    return {.now = tx_.now(), .chance = random_.unit(), .clock = &tx_.clock()};
  }
  // Draws a number only for a failure: its retry is the only decision on a report that is spread.
  [[nodiscard]] core::Moment moment_of(const core::Report& report) {
    if (report.action == core::ReportAction::fail) return moment();
    return {.now = tx_.now(), .clock = &tx_.clock()};
  }

  const Lanes& lanes_;
  store::Transaction& tx_;
  IdSource& ids_;
  core::Random& random_;
  WorkingSet set_;
  WorkingRecords records_;
  BatchRuns runs_;
  std::set<core::RecordRef> once_;  // records of the DoOnce commands that this group executes
  std::map<store::IdempotencyRef, core::TaskId> idempotency_;
  std::map<std::pair<core::TaskId, std::int64_t>, core::Attempt> past_;
  std::vector<std::pair<const WorkingTask*, std::shared_ptr<core::Task>>> made_;  // shared with the answers
  std::map<core::TaskId, core::FinishedTask> erased_tasks_;
  std::map<core::RunId, store::RunErase> erased_runs_;
  std::optional<std::int64_t> audit_erased_to_;
  const core::Lane* last_lane_ = nullptr;  // consecutive tasks mostly use the same lane
};

}  // namespace pawl::engine
