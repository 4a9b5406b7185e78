#pragma once
// Batch's half for runs: the commands on them, what the changes of their tasks mean to them, and what their
// decisions want done, to tasks and to other runs. All of it in the one transaction of the group.
//
// Runs are locked after the tasks that the group names, those known beforehand in the order of their ids.
// Others (a parent, a child, tasks that are to stop) are locked when they turn up: two groups that meet so
// are told apart by the store, which lets one of them try again.

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "core/command.hpp"
#include "engine/declared_types.hpp"
#include "engine/id_source.hpp"
#include "engine/run_inputs.hpp"
#include "engine/waiters.hpp"
#include "engine/working_records.hpp"
#include "engine/working_runs.hpp"
#include "engine/working_set.hpp"

namespace pawl::engine {

// Thrown: lanes that are not there yet. They are made outside of the transaction, and the group is tried
// again.
struct MissingLanes {
  std::vector<store::LaneKey> keys;
};

// Who did it, as an event says it: workers and schedules as such, everybody else as a user.
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

  // Loads and locks what the commands touch; the tasks are loaded already.
  void load(const std::vector<const core::Command*>& commands);

  core::Result<core::Answer> run(const core::StartRun& command);
  core::Result<core::Answer> run(const core::OpenRun& command);
  core::Result<core::Answer> run(const core::ActOnRun& command);
  core::Result<core::Answer> run(const core::RewindRun& command);
  core::Result<core::Answer> run(const core::SignalRun& command);
  core::Result<core::Answer> run(const core::WriteSteps& command);
  core::Answer run(const core::WriteStepsOfMany& command);
  core::Answer run(const core::WakeRuns& command);

  // A task of a run has changed.
  void changed(const WorkingTask& task, core::TaskStatus before, const core::TaskChange& change,
               const core::EventActor& actor);

  // Whether an open run takes the tasks; and one that it takes: which node it is, and whether it may start.
  [[nodiscard]] core::Status check_added(const core::EnqueueTasks& command);
  struct Added {
    core::TaskRun run = {};
    bool is_held = false;
  };
  [[nodiscard]] Added add_task(const core::TaskSpec& spec, const core::TaskId& id,
                               const core::EventActor& actor);

  // Takes a task of a run back that has ended.
  [[nodiscard]] core::Status retry_task(const core::TaskRun& task, const core::EventActor& actor);

  // Writes into the log of the run that owns the checkpoint that there is one.
  [[nodiscard]] core::Status note_checkpoint(const core::AppendCheckpoint& command, std::int64_t sequence);

  void add_memos(std::span<const WaitingClaim> claims, std::vector<core::Result<core::Answer>>& answers);

  [[nodiscard]] RunInputs run_inputs();
  [[nodiscard]] const WorkingRuns& runs() const { return runs_; }
  void add_to(store::WriteSet& writes) {
    runs_.add_to(writes);
    writes.compares_leases = rests_on_leases_;
  }
  void confirm_guesses() { runs_.confirm_guesses(); }
  // Some command of this group looks at the run.
  [[nodiscard]] bool is_here(const core::RunId& id) { return runs_.here(id) != nullptr; }
  void keep_in_cache(const store::WriteSet& writes) { runs_.keep_in_cache(writes); }

 private:
  struct Pending {
    core::RunId run = {};
    core::RunEffect effect = {};
  };

  [[nodiscard]] core::Result<core::StepsWritten> write(const core::WriteSteps& command);

  // What a token that is bound to queues may reach (batch_reach.cpp).
  [[nodiscard]] core::Status check_reach(const core::StartRun& command, const core::RunFacts& facts);
  [[nodiscard]] static core::Status check_reach(const core::OpenRun& /*command*/,
                                                const core::RunFacts& /*facts*/) {
    return core::Done{};
  }
  [[nodiscard]] core::Status check_reach(const core::WriteSteps& command, const WorkingTask& body);
  [[nodiscard]] core::BodyMemo memo_of(const store::PeekRun& peek, std::optional<store::StoredRun>& found);
  [[nodiscard]] core::RunContext context(const core::RunFacts& facts, core::EventActor actor);
  // Keeps the events, and does what is wanted: all of it before the outermost call returns.
  void take(const core::RunId& run, core::RunDecision decision);
  void load_tasks_of(const std::vector<core::RunEffect>& effects);

  // The lease of a body that waits: nobody may claim it until its run lets it go.
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
  [[nodiscard]] core::Result<core::RunFacts> facts_of(const core::StartRun& command);
  // No definition says what it does, but workers have offered to.
  [[nodiscard]] bool is_code(const std::string& ns, const std::string& workflow);
  [[nodiscard]] std::string queue_of_code(const core::StartRun& command);
  [[nodiscard]] core::RunFacts facts_of_code(const core::StartRun& command);
  [[nodiscard]] core::Result<core::RunFacts> facts_of(const core::OpenRun& command) const;
  // A run that has failed goes on, and has its key again: not while another one goes on that has it.
  using Decide = std::function<core::Result<core::RunDecision>()>;
  [[nodiscard]] core::Result<core::RunDecision> revive(core::WorkingRun& working, const Decide& decide);
  void note_action(std::string action, const core::Actor& by, const core::RunRef& run,
                   const core::Status& outcome);

  const Around around_;
  WorkingRuns runs_;
  std::deque<Pending> pending_;
  // What is left of a page has a budget of its own: other commands cannot keep it from going on.
  core::CommitBudget budget_;
  core::CommitBudget wake_budget_;
  core::CommitBudget* spends_ = &budget_;
  bool is_settling_ = false;
  bool rests_on_leases_ = false;
};

}  // namespace pawl::engine
