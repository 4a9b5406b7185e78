#pragma once
// Turns for the tasks that a group made claimable in fair lanes.

#include <vector>

#include "store/store.hpp"

namespace pawl::engine {

// Locks the lanes, gives every task its turn, oldest first, and says what is to be written of it.
[[nodiscard]] std::vector<store::TurnsWrite> give_turns(store::Transaction& tx,
                                                        std::vector<core::TaskRecord*> tasks);

}  // namespace pawl::engine
