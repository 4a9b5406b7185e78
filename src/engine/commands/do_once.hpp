#pragma once
// Executes each command of a DoOnce at most once. The record of its key is locked, then read before the inner
// command is executed, and written with the answer in the same commit. One thread, one transaction.

#include <optional>
#include <set>
#include <vector>

#include "core/task/command.hpp"
#include "engine/working_records.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class OnceRecords {
 public:
  OnceRecords(store::Transaction& tx, WorkingRecords& records) : tx_(tx), records_(records) {}

  // Skips null pointers: commands that are not in a DoOnce.
  void lock(const std::vector<const core::DoOnce*>& onces);
  // Returns the stored answer. None: the inner command has to be executed.
  [[nodiscard]] core::Result<std::optional<core::Replayed>> look_up(const core::DoOnce& once);
  void keep(const core::DoOnce& once, const core::Result<core::Answer>& answer);

 private:
  [[nodiscard]] core::Result<std::optional<core::Replayed>> look_up_taken(const core::DoOnce& once);

  store::Transaction& tx_;
  WorkingRecords& records_;
  std::set<core::RecordRef> executed_;  // by this group
};

}  // namespace pawl::engine
