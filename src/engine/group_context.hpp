#pragma once
// What the commands of one group share: the rows that they change, and the sources of time, ids and chance.
// Commands change the rows in turn, so that a later one sees the effects of an earlier one; one commit writes
// the result. The referenced objects outlive it. One thread, one transaction.

#include "core/base/env.hpp"
#include "engine/erased_rows.hpp"
#include "engine/id_source.hpp"
#include "engine/lanes.hpp"
#include "engine/run_effects.hpp"
#include "engine/working_records.hpp"
#include "engine/working_runs.hpp"
#include "engine/working_set.hpp"
#include "store/store.hpp"

namespace pawl::engine {

struct GroupContext {
  store::Transaction& tx;
  IdSource& ids;
  core::Random& random;
  LaneFinder& lanes;
  WorkingSet& tasks;
  WorkingRecords& records;
  WorkingRuns& runs;
  RunEffects& effects;
  ErasedRows& erased;

  [[nodiscard]] core::TimePoint now() const { return tx.now(); }
  [[nodiscard]] core::Moment moment() const {
    return {.now = tx.now(), .chance = random.unit(), .clock = &tx.clock()};
  }
  // For decisions that need no random number.
  [[nodiscard]] core::Moment moment_without_chance() const { return {.now = tx.now(), .clock = &tx.clock()}; }
};

}  // namespace pawl::engine
