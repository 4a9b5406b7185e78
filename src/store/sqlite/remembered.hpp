#pragma once
// Tasks that were written a moment ago and are likely to be asked for next: leases, for whoever reports or
// writes the steps of a body, how many each worker has, and what was asked of tasks that wait to be claimed.
// Bounded.
//
// Always: what is in here is what the file says. One connection writes, and says so here with each commit;
// when anybody else has written, all is forgotten. With the writer's turn held.

#include <functional>
#include <map>
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
  // How many leases it has; `count` asks the file.
  [[nodiscard]] std::int64_t count_held(const HolderRef& holder, const std::function<std::int64_t()>& count);
  void note(std::span<const TaskWrite> committed);
  void forget_all();

 private:
  void note_lease(const TaskWrite& write);
  void note_held(const core::TaskRecord& leased, std::int64_t change);

  // Without most of their facts: a payload may be long.
  std::unordered_map<core::TaskId, core::TaskRecord> leases_;
  std::unordered_map<core::TaskId, core::TaskFacts> facts_;
  std::map<HolderRef, std::int64_t> held_;  // of workers that were asked about
};

}  // namespace pawl::store::sqlite
