#pragma once
// Assigns turns to the tasks that a group made claimable in fair lanes.

#include <vector>

#include "store/store.hpp"

namespace pawl::engine {

// Locks the lanes, gives each task its turn, oldest first, and returns the rows to write.
[[nodiscard]] std::vector<store::TurnsWrite> give_turns(store::Transaction& tx,
                                                        std::vector<core::TaskRecord*> tasks);

}  // namespace pawl::engine
