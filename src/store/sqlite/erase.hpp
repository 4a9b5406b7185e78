#pragma once
// Reads and deletes for retention.

#include "store/lanes.hpp"
#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

// Throws StoreError of kind retry if a row is gone or has changed since it was loaded.
void erase(Connection& connection, const WriteSet& writes);

[[nodiscard]] FinishedTasks list_finished(Connection& connection, const LaneCache& lanes,
                                          const FinishedPage& page);

}  // namespace pawl::store::sqlite
