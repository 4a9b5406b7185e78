#pragma once
// Batch's part for runs: executes commands on runs, applies task changes to their runs, and performs the
// effects of run decisions on tasks and other runs. All of it happens in the transaction of the group.
//
// Lock order: the tasks that the group names, then the runs known beforehand, in the order of their ids.
// Other rows (a parent, a child, tasks to stop) are locked when a decision needs them. If two groups deadlock
// on those, the store aborts one of them, which retries.

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "core/task/command.hpp"
#include "engine/declared_types.hpp"
#include "engine/id_source.hpp"
#include "engine/run_inputs.hpp"
#include "engine/waiters.hpp"
#include "engine/working_records.hpp"
#include "engine/working_runs.hpp"
#include "engine/working_set.hpp"

namespace pawl::engine {

// Thrown when lanes do not exist yet. The engine creates them outside the transaction and tries the group
// again.
struct MissingLanes {
  std::vector<store::LaneKey> keys;
};

// The actor as events show it: workers and schedules by their own type, all others as a user.
[[nodiscard]] core::EventActor actor_of(const core::Actor& by);

class BatchRuns {
 public:
  struct Around {
    store::Store& store;
    store::Transaction& tx;
    IdSource& ids;
    Plans& plans;
    DeclaredTypes& types;
    RunCache& cache;
    WorkingSet& set;
    WorkingRecords& records;
    core::Random& random;
    core::RunBounds bounds;
  };
  explicit BatchRuns(const Around& around) : around_(around), runs_(around.tx, around.plans, around.cache) {}

  // Loads and locks the runs that the commands touch. The tasks must be loaded before.
  void load(const std::vector<const core::Command*>& commands);

  core::Result<core::Answer> run(const core::StartRun& command);
  core::Result<core::Answer> run(const core::OpenRun& command);
  core::Result<core::Answer> run(const core::ActOnRun& command);
  core::Result<core::Answer> run(const core::RewindRun& command);
  core::Result<core::Answer> run(const core::SignalRun& command);
  core::Result<core::Answer> run(const core::WriteSteps& command);
  core::Answer run(const core::WriteStepsOfMany& command);
  core::Answer run(const core::WakeRuns& command);

  // Applies the change of a task to its run.
  void changed(const WorkingTask& task, core::TaskStatus before, const core::TaskChange& change,
               const core::EventActor& actor);

  // `check_added` checks whether the open runs accept the tasks. `add_task` adds one of them as a node;
  // `is_held` means that it may not start yet.
  [[nodiscard]] core::Status check_added(const core::EnqueueTasks& command);
  struct Added {
    core::TaskRun run = {};
    core::Boxed<core::TraceContext> trace = {};  // null: that of the request, or none
    bool is_held = false;
  };
  [[nodiscard]] Added add_task(const core::TaskSpec& spec, const core::TaskId& id,
                               const core::EventActor& actor);

  // Retries an ended task of a run.
  [[nodiscard]] core::Status retry_task(const core::TaskRun& task, const core::EventActor& actor);

  // Appends an event for the checkpoint to the log of the run that owns it.
  [[nodiscard]] core::Status note_checkpoint(const core::AppendCheckpoint& command, std::int64_t sequence);

  void add_memos(std::span<const WaitingClaim> claims, std::vector<core::Result<core::Answer>>& answers);

  [[nodiscard]] RunInputs run_inputs();
  [[nodiscard]] const WorkingRuns& runs() const { return runs_; }
  void add_to(store::WriteSet& writes) {
    runs_.add_to(writes);
    writes.depends_on.leases = rests_on_leases_;
  }
  void confirm_guesses() { runs_.confirm_guesses(); }
  // Whether this group has loaded the run, because a command touches it.
  [[nodiscard]] bool is_here(const core::RunId& id) { return runs_.here(id) != nullptr; }
  void keep_in_cache(const store::WriteSet& writes) { runs_.keep_in_cache(writes); }

 private:
  struct Pending {
    core::RunId run = {};
    core::RunEffect effect = {};
  };

  [[nodiscard]] core::Result<core::StepsWritten> write(const core::WriteSteps& command);

  // Checks what a token that is bound to queues may reach (batch_reach.cpp).
  [[nodiscard]] core::Status check_reach(const core::StartRun& command, const core::RunFacts& facts);
  [[nodiscard]] static core::Status check_reach(const core::OpenRun& /*command*/,
                                                const core::RunFacts& /*facts*/) {
    return core::Done{};
  }
  [[nodiscard]] core::Status check_reach(const core::WriteSteps& command, const WorkingTask& body);
  [[nodiscard]] core::BodyMemo memo_of(const store::PeekRun& peek, std::optional<store::StoredRun>& found);
  [[nodiscard]] core::RunContext context(const core::RunFacts& facts, core::EventActor actor);
  // Records the events and performs the effects. The outermost call performs all of them before it returns.
  void take(const core::RunId& run, core::RunDecision decision);
  void load_tasks_of(const std::vector<core::RunEffect>& effects);

  // Releases the lease of a body that waits and holds the body: no worker can claim it until the run resumes.
  void give_back(WorkingTask& body);
  void perform(const core::RunId& run, const core::EnqueueNode& effect);
  void perform(const core::RunId& run, const core::StopTask& effect);
  void perform(const core::RunId& run, const core::HoldTask& effect);
  void perform(const core::RunId& run, const core::FreeTask& effect);
  void perform(const core::RunId& run, const core::ReviveTask& effect);
  void perform(const core::RunId& run, const core::StartChild& effect);
  void perform(const core::RunId& run, const core::StopChild& effect);
  void perform(const core::RunId& run, const core::TellParent& effect);
  void perform(const core::RunId& run, const core::ContinueRun& effect);
  [[nodiscard]] std::vector<core::Signal> unread_signals(const core::RunId& run);

  void refuse_child(const core::RunId& run, const core::StartChild& effect, std::string code,
                    std::string why);

  [[nodiscard]] const core::Lane& lane_for(const core::RunId& run, const core::TaskSpec& spec);
  template <typename Start>
  [[nodiscard]] core::Result<core::Answer> start_once(const Start& command);
  // The reason why no task can be added to a run that is not stored: it does not exist, or a SQL function has
  // returned its id, and those start no open runs.
  [[nodiscard]] core::Status no_open_run(const std::string& ns, const core::RunId& id);
  // Whether a SQL function has returned this id for a run that has not started yet.
  [[nodiscard]] bool is_promised(const core::RunId& id);
  template <typename Start>
  [[nodiscard]] core::Result<core::Answer> answer_promised(const Start& command, const core::RunId& id);
  [[nodiscard]] core::Result<core::RunFacts> facts_of(const core::StartRun& command);
  // Whether workers have offered the workflow as code.
  [[nodiscard]] bool is_code(const std::string& ns, const std::string& workflow);
  [[nodiscard]] std::string queue_of_code(const core::StartRun& command);
  [[nodiscard]] core::RunFacts facts_of_code(const core::StartRun& command);
  [[nodiscard]] core::Result<core::RunFacts> facts_of(const core::OpenRun& command) const;
  // Retries a failed run, which takes its run key back. Fails while another unfinished run has the key.
  using Decide = std::function<core::Result<core::RunDecision>()>;
  [[nodiscard]] core::Result<core::RunDecision> revive(core::WorkingRun& working, const Decide& decide);
  void note_action(std::string action, const core::Actor& by, const core::RunRef& run,
                   const core::Status& outcome);

  const Around around_;
  WorkingRuns runs_;
  std::deque<Pending> pending_;
  // WakeRuns has its own budget: deferred work continues by timers, and other commands must not starve it.
  core::CommitBudget budget_;
  core::CommitBudget wake_budget_;
  core::CommitBudget* spends_ = &budget_;
  bool is_settling_ = false;
  bool rests_on_leases_ = false;
};

}  // namespace pawl::engine
