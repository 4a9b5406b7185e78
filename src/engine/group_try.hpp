#pragma once
// One try of a group: one transaction in four phases, to be called in this order. A try that throws has
// changed nothing, unless the outcome of the commit is unknown; the engine decides whether to try again.
// One thread.

#include <memory>
#include <optional>
#include <vector>

#include "engine/batch.hpp"
#include "engine/damage_reports.hpp"
#include "engine/earliest_scheduled.hpp"
#include "engine/engine_stats.hpp"
#include "engine/group.hpp"
#include "engine/refusals.hpp"
#include "engine/step_waits.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class GroupTry {
 public:
  struct Dependencies {
    store::Store& store;
    IdSource& ids;
    core::Random& random;
    Plans& plans;
    DeclaredTypes& types;
    RunCache& cache;
    core::RunBounds bounds;
    Waiters& waiters;
    StepWaits& step_waits;
    RunWatch& run_watch;
    EarliestScheduled& scheduled;
    Refusals& refusals;
    DamageReports& damage;
    EngineStats& stats;
  };
  GroupTry(Group& group, const Dependencies& with) : group_(group), with_(with) {}

  // Begins the transaction, and loads and locks the rows that the commands need. False: the user's own work
  // ends the try, which writes nothing.
  [[nodiscard]] bool load();
  // Executes the commands on the loaded rows. False: the command of the user's own work was refused, so its
  // statements are rolled back.
  [[nodiscard]] bool decide();
  // Gives the claimable tasks to the claims of the group and to waiting claims. All answers are complete
  // then.
  void claim();
  // Writes everything in one commit, then prepares the replies and notifications that it causes.
  void commit();

 private:
  [[nodiscard]] std::unique_ptr<store::Transaction> begin();
  [[nodiscard]] core::Result<core::Answer> execute(std::size_t index);
  void note_seen();

  void add_waiting_claims();
  void look_up_claims();
  void answer_claims(const std::vector<std::vector<WorkingTask*>>& given);
  void keep_answers();
  void note_scheduled();

  void note_commit(const store::WriteSet& writes);
  void report_damaged();
  void answer_step_waits();

  Group& group_;
  const Dependencies& with_;
  Lanes lanes_;
  std::unique_ptr<store::Transaction> tx_;
  std::optional<Batch> batch_;
};

}  // namespace pawl::engine
