#pragma once
// Executes the commands of one group, except claims, in one transaction. A command that fails replies with
// its problem and does not affect the others. What each command does is in engine/commands. One thread.

#include <vector>

#include "core/base/env.hpp"
#include "core/task/command.hpp"
#include "engine/commands/do_once.hpp"
#include "engine/group_context.hpp"
#include "engine/run_inputs.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class Batch {
 public:
  struct Dependencies {
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
  Batch(const Lanes& lanes, const Dependencies& with);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() = default;

  // Loads and locks the rows that the commands touch, in as few round trips as possible.
  void load(const std::vector<const core::Command*>& commands);
  [[nodiscard]] core::Result<core::Answer> execute(const core::Command& command);

  [[nodiscard]] OnceRecords& onces() { return onces_; }
  [[nodiscard]] WorkingSet& tasks() { return tasks_; }
  [[nodiscard]] WorkingRuns& runs() { return runs_; }
  // Reads the inputs of runs that are in this group or stored.
  [[nodiscard]] RunInputs run_inputs();

  // What the commit writes. Nothing may change after it.
  [[nodiscard]] store::WriteSet writes();
  // Call it after the commit of `writes`.
  void keep_in_cache(const store::WriteSet& writes) { runs_.keep_in_cache(writes); }

 private:
  WorkingSet tasks_;
  WorkingRecords records_;
  WorkingRuns runs_;
  LaneFinder lanes_;
  ErasedRows erased_;
  OnceRecords onces_;
  RunEffects effects_;
  GroupContext context_;
};

}  // namespace pawl::engine
