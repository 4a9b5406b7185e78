#pragma once
// Cache of tasks that were just written and are likely to be read next: leases, for reports and for writes of
// a body's steps; lease counts per worker; facts of tasks that wait to be claimed. Bounded.
//
// The contents always match the file: the only write connection calls `note` with each commit, and a foreign
// commit clears the cache. The caller holds the writer's turn.

#include <functional>
#include <map>
#include <span>
#include <unordered_map>

#include "store/store.hpp"

namespace pawl::store::sqlite {

class RememberedTasks {
 public:
  // A leased task; null if it is not cached, so that the caller must read the file.
  [[nodiscard]] const core::TaskRecord* find_lease(const core::TaskId& id) const;
  // Fills in the facts if they are cached, and evicts them: a task is usually claimed once.
  [[nodiscard]] bool recall_facts(core::TaskRecord& record);
  // The number of leases of a worker; `count` reads it from the file.
  [[nodiscard]] std::int64_t count_held(const HolderRef& holder, const std::function<std::int64_t()>& count);
  void note(std::span<const TaskWrite> committed);
  void forget_all();

 private:
  void note_lease(const TaskWrite& write);
  void note_held(const core::TaskRecord& leased, std::int64_t change);

  // With few of their facts, because payloads may be long.
  std::unordered_map<core::TaskId, core::TaskRecord> leases_;
  std::unordered_map<core::TaskId, core::TaskFacts> facts_;
  std::map<HolderRef, std::int64_t> held_;  // only workers for which `count_held` was called
};

}  // namespace pawl::store::sqlite
