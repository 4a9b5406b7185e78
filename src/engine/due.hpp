#pragma once
// What a check of the recovery finds due, as commands that compare again under lock: any number of nodes may
// look at once.

#include <vector>

#include "core/command.hpp"
#include "core/maintenance.hpp"
#include "store/store.hpp"

namespace pawl::engine {

struct DueWork {
  core::Command command = {};
  int examined = 0;  // how many things it is about
};

// A page of it. Throws StoreError.
struct DueLook {
  std::size_t page = 1'000;
  core::Duration stuck_after = core::kStuckAfter;
};
[[nodiscard]] std::vector<DueWork> find_due(store::Store& store, core::RecoveryCheck check,
                                            const DueLook& look);

}  // namespace pawl::engine
