#include "store/sqlite/due.hpp"

#include "store/sqlite/run_reads.hpp"
#include "store/sqlite/sql.hpp"

namespace pawl::store::sqlite {

namespace {

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

}  // namespace

Due find_due(Connection& connection, const DueLimits& limits, core::TimePoint now) {
  Due due;
  if (limits.leases > 0) due.leases = due_leases(connection, now, limits.leases);
  if (limits.tasks > 0) due.tasks = due_tasks(connection, now, limits.tasks);
  if (limits.runs > 0) due.runs = due_runs(connection, now, limits.runs);
  if (limits.stuck_runs > 0)
    due.stuck_runs = stuck_runs(connection, now - limits.stuck_after, limits.stuck_runs);
  return due;
}

}  // namespace pawl::store::sqlite
