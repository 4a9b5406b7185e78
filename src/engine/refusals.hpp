#pragma once
// Counts the groups that the store refused, for the health of the node: since when no commit succeeds, and
// whether another program has migrated the store's schema. Thread-safe.

#include <mutex>
#include <string>

#include "core/base/env.hpp"
#include "engine/engine_stats.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class Refusals {
 public:
  Refusals(EngineStats& stats, core::Clock& clock) : stats_(stats), clock_(clock) {}

  void note(const store::StoreError& error);
  // Call it after a commit that wrote something: an empty commit does not prove that the store is writable.
  // Nor does a group that began before the last refusal.
  void note_commit(core::MonotonicTime began_at);

  // Why the store rejects commits, if another program has migrated its schema; otherwise empty.
  [[nodiscard]] std::string foreign_schema() const;

 private:
  EngineStats& stats_;
  core::Clock& clock_;
  mutable std::mutex mutex_;
  std::string foreign_schema_;
};

}  // namespace pawl::engine
