#pragma once
// Records the decisions about runs and performs their effects on tasks and on other runs, in the transaction
// of the group.
//
// Lock order: the tasks that the commands name, then the runs known beforehand, in the order of their ids.
// Other rows (a parent, a child, tasks to stop) are locked when a decision needs them. If two groups deadlock
// on those, the store aborts one of them, which retries. One thread, one transaction.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/base/env.hpp"
#include "core/run/run_machine.hpp"
#include "engine/declared_types.hpp"
#include "engine/id_source.hpp"
#include "engine/working_runs.hpp"
#include "engine/working_set.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class RunEffects {
 public:
  struct Dependencies {
    store::Store& store;
    store::Transaction& tx;
    IdSource& ids;
    core::Random& random;
    DeclaredTypes& types;
    WorkingSet& tasks;
    WorkingRuns& runs;
    core::RunBounds bounds;
  };
  explicit RunEffects(const Dependencies& dependencies) : with_(dependencies) {}

  // What a decision about a run with these facts may use. `facts` must outlive it.
  [[nodiscard]] core::RunContext context(const core::RunFacts& facts, core::EventActor actor);

  // Records the events of the decision and performs its effects, and the effects of those. Throws
  // MissingLanes.
  void apply(const core::RunId& run, core::RunDecision decision);

  // Changes a task, and applies the change to its run if it has one.
  void change_task(WorkingTask& task, const core::TaskChange& change, const core::EventActor& actor);

  // Releases the lease of a body that waits, and holds the body: no worker can claim it until the run
  // resumes.
  void suspend_body(WorkingTask& body);

  // The group's budget of work for runs. Timers have a budget of their own: deferred work continues by
  // timers, and other commands must not starve it.
  enum class Budget : std::uint8_t { commands, timers };
  void use_budget(Budget budget) { spent_ = budget == Budget::timers ? &timer_budget_ : &command_budget_; }

 private:
  struct Pending {
    core::RunId run = {};
    core::RunEffect effect = {};
  };

  void load_tasks_of(const std::vector<core::RunEffect>& effects);

  void perform(const core::RunId& run, const core::EnqueueNode& effect);
  void perform(const core::RunId& run, const core::StopTask& effect);
  void perform(const core::RunId& run, const core::HoldTask& effect);
  void perform(const core::RunId& run, const core::FreeTask& effect);
  void perform(const core::RunId& run, const core::ReviveTask& effect);
  void perform(const core::RunId& run, const core::StartChild& effect);
  void perform(const core::RunId& run, const core::StopChild& effect);
  void perform(const core::RunId& run, const core::TellParent& effect);
  void perform(const core::RunId& run, const core::ContinueRun& effect);

  [[nodiscard]] const core::Lane& lane_for(const core::RunId& run, const core::TaskSpec& spec);
  void reject_child(const core::RunId& run, const core::StartChild& effect, std::string code,
                    std::string why);
  [[nodiscard]] std::vector<core::Signal> unread_signals(const core::RunId& run);

  const Dependencies with_;
  std::deque<Pending> pending_;
  core::CommitBudget command_budget_;
  core::CommitBudget timer_budget_;
  core::CommitBudget* spent_ = &command_budget_;
  bool is_performing_ = false;
};

}  // namespace pawl::engine
