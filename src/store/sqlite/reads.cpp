#include "store/sqlite/reads.hpp"

#include <algorithm>
#include <map>

#include "store/sqlite/rows.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/tasks_load.hpp"

namespace pawl::store::sqlite {

std::optional<StoredTask> find_task(Connection& connection, const LaneCache& lanes, const core::TaskId& id) {
  auto record = TaskLoader{connection, lanes}.load({.id = id, .facts = true});
  if (!record) return std::nullopt;
  return StoredTask{.record = std::move(*record), .attempts = list_attempts(connection, id)};
}

std::vector<core::Queue> list_queues(Connection& connection, const std::string& ns, core::TimePoint now) {
  std::map<std::string, core::Queue> by_name;
  Rows set = connection.statement(sql::list_queues).rows(ns);
  while (set.next()) {
    std::string name = set.string();
    by_name[std::move(name)].settings = read_settings(set);
  }
  Rows lane = connection.statement(sql::list_lane_counts).rows(ns);
  while (lane.next()) {
    core::Queue& queue = by_name[lane.string()];
    queue.counts += core::QueueCounts{.pending = lane.int64(),
                                      .scheduled = lane.int64(),
                                      .blocked = lane.int64(),
                                      .claimed = lane.int64(),
                                      .running = lane.int64(),
                                      .dead_letter = lane.int64()};
    if (const auto oldest = lane.optional_time()) {
      const core::Duration age = now - *oldest;
      queue.oldest_pending_age = std::max(queue.oldest_pending_age.value_or(age), age);
    }
  }
  std::vector<core::Queue> queues;
  for (auto& [name, queue] : by_name) {
    queue.name = name;
    queues.push_back(std::move(queue));
  }
  return queues;
}

std::vector<core::LeaseRef> due_leases(Connection& connection, core::TimePoint now, std::size_t limit) {
  std::vector<core::LeaseRef> refs;
  Rows row = connection.statement(sql::list_due_leases).rows(now, limit);
  while (row.next()) refs.push_back({.task_id = row.task_id(), .fence = row.int64()});
  return refs;
}

DueTasks due_tasks(Connection& connection, core::TimePoint now, std::size_t limit) {
  DueTasks due;
  Rows row = connection.statement(sql::list_due_tasks).rows(limit + 1);  // one more, for the next due time
  while (row.next()) {
    const core::TimePoint available_at = row.time();
    if (available_at > now || due.ids.size() == limit) {
      due.next = available_at;
      break;
    }
    due.ids.push_back(row.task_id());
  }
  return due;
}

}  // namespace pawl::store::sqlite
