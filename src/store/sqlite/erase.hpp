#pragma once
// What retention reads, and what it takes away.

#include "store/lanes.hpp"
#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

// Throws StoreError of kind retry for what is not there any more, or not as it was loaded.
void erase(Connection& connection, const WriteSet& writes);

[[nodiscard]] FinishedTasks list_finished(Connection& connection, const LaneCache& lanes,
                                          const FinishedPage& page);

}  // namespace pawl::store::sqlite
