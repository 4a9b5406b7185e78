#pragma once
// Reads of tasks, queues and due work. The connection is in a read transaction.

#include <cstddef>
#include <string>
#include <vector>

#include "store/lanes.hpp"
#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] std::optional<StoredTask> find_task(Connection& connection, const LaneCache& lanes,
                                                  const core::TaskId& id);
[[nodiscard]] std::vector<core::TaskId> list_task_ids(Connection& connection, const TaskPage& page);
[[nodiscard]] std::vector<core::Queue> list_queues(Connection& connection, const std::string& ns,
                                                   core::TimePoint now);
[[nodiscard]] std::vector<core::LeaseRef> due_leases(Connection& connection, core::TimePoint now,
                                                     std::size_t limit);
[[nodiscard]] DueTasks due_tasks(Connection& connection, core::TimePoint now, std::size_t limit);

}  // namespace pawl::store::sqlite
