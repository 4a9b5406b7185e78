#pragma once
// Finds the due work of a recovery check and returns it as commands. The commands compare again under lock,
// so any number of nodes may run a check concurrently.

#include <vector>

#include "core/records/maintenance.hpp"
#include "core/task/command.hpp"
#include "store/store.hpp"

namespace pawl::engine {

struct DueWork {
  core::Command command = {};
  int examined = 0;  // number of items in the command
};

// `page` limits how many items one call finds. Throws StoreError.
struct DueQuery {
  std::size_t page = 1'000;
  core::Duration stuck_after = core::kStuckAfter;
};
[[nodiscard]] std::vector<DueWork> find_due(store::Store& store, core::RecoveryCheck check,
                                            const DueQuery& query);

}  // namespace pawl::engine
