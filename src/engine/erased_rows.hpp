#pragma once
// The rows that one group erases. A retention walk (engine/retention.hpp) selected them; the commands compare
// them again under lock. One thread, one transaction.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/working_set.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class ErasedRows {
 public:
  ErasedRows(store::Transaction& tx, WorkingSet& tasks) : tx_(tx), tasks_(tasks) {}

  // Locks and returns those of the tasks that have ended and that no other command of the group touches. The
  // others are left for the next walk.
  [[nodiscard]] std::vector<core::FinishedTask> lock_tasks(std::vector<core::TaskId> ids);
  void erase(const std::vector<core::FinishedTask>& tasks);

  [[nodiscard]] bool has(const core::RunId& run) const { return runs_.contains(run); }
  void erase(store::RunErase run);
  // Erases the audit log up to this entry.
  void erase_audit(std::int64_t up_to);

  void add_to(store::WriteSet& writes) const;

 private:
  store::Transaction& tx_;
  WorkingSet& tasks_;
  std::map<core::TaskId, core::FinishedTask> erased_tasks_;
  std::map<core::RunId, store::RunErase> runs_;
  std::optional<std::int64_t> audit_up_to_;
};

}  // namespace pawl::engine
