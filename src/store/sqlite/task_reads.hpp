#pragma once
// Reads tasks with their attempts. The connection is in a read transaction.

#include <optional>
#include <vector>

#include "store/lanes.hpp"
#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] std::optional<StoredTask> find_task(Connection& connection, const LaneCache& lanes,
                                                  const core::TaskId& id);
[[nodiscard]] std::vector<StoredTask> list_tasks(Connection& connection, const LaneCache& lanes,
                                                 const TaskPage& page);

}  // namespace pawl::store::sqlite
