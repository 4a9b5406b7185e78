#include "store/sqlite/task_reads.hpp"

#include <utility>

#include "store/sqlite/lists.hpp"
#include "store/sqlite/task_load.hpp"

namespace pawl::store::sqlite {

std::optional<StoredTask> find_task(Connection& connection, const LaneCache& lanes, const core::TaskId& id) {
  auto record = TaskLoader{connection, lanes}.load({.id = id, .facts = true});
  if (!record) return std::nullopt;
  return StoredTask{.record = std::move(*record), .attempts = list_attempts(connection, id)};
}

std::vector<StoredTask> list_tasks(Connection& connection, const LaneCache& lanes, const TaskPage& page) {
  std::vector<StoredTask> tasks;
  for (const core::TaskId& id : list_task_ids(connection, page)) {
    auto task = find_task(connection, lanes, id);
    if (task) tasks.push_back(std::move(*task));  // without a place it is damaged: see `verify`
  }
  return tasks;
}

}  // namespace pawl::store::sqlite
