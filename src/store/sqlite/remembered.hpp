#pragma once
// Tasks that were written a moment ago and are likely to be asked for next: leases, for whoever reports or
// writes the steps of a body, and what was asked of tasks that wait to be claimed. Bounded.
//
// Always: what is in here is what the file says. One connection writes, and says so here with each commit;
// when anybody else has written, all is forgotten. With the writer's turn held.

#include <span>
#include <unordered_map>

#include "store/store.hpp"

namespace pawl::store::sqlite {

class RememberedTasks {
 public:
  // One that is leased. Null for one that is not known: ask the file.
  [[nodiscard]] const core::TaskRecord* find_lease(const core::TaskId& id) const;
  // Fills in the facts if they are known, and forgets them: a task is claimed once, mostly.
  [[nodiscard]] bool recall_facts(core::TaskRecord& record);
  void note(std::span<const TaskWrite> committed);
  void forget_all();

 private:
  // Without most of their facts: a payload may be long.
  std::unordered_map<core::TaskId, core::TaskRecord> leases_;
  std::unordered_map<core::TaskId, core::TaskFacts> facts_;
};

}  // namespace pawl::store::sqlite
