#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"

namespace pawl::store::postgres {

Due PostgresStore::find_due(const DueLimits& limits) {
  Due due;
  if (limits.leases > 0) due.leases = due_leases(limits.leases);
  if (limits.tasks > 0) due.tasks = due_tasks(limits.tasks);
  if (limits.runs > 0) due.runs = due_runs(limits.runs);
  if (limits.stuck_runs > 0) due.stuck_runs = stuck_runs(limits.stuck_after, limits.stuck_runs);
  return due;
}

std::vector<core::LeaseRef> PostgresStore::due_leases(std::size_t limit) {
  const Pool::Loan connection = readers_.borrow();
  const core::TimePoint time = now(*connection);
  const DueMark::Look look = shared_.lease_mark.begin(time);
  const auto answers = read(*connection, [&](Connection& used) {
    Params params;
    params.value(look.from);
    params.value(time);
    params.value(static_cast<std::int64_t>(limit));
    used.send(sql::list_due_leases, params);
  });
  const Rows& rows = answers.front();
  std::vector<core::LeaseRef> refs;
  for (int row = 0; row < rows.count(); ++row) {
    refs.push_back({.task_id = rows.id(row, 0), .fence = rows.int8(row, 1)});
  }
  shared_.lease_mark.end(look, time, refs.empty() ? std::nullopt : std::optional{rows.time(0, 2)});
  return refs;
}

DueTasks PostgresStore::due_tasks(std::size_t limit) {
  const Pool::Loan connection = readers_.borrow();
  const core::TimePoint time = now(*connection);
  const DueMark::Look look = shared_.scheduled_mark.begin(time);
  const auto answers = read(*connection, [&](Connection& used) {
    Params params;
    params.value(look.from);
    params.value(static_cast<std::int64_t>(limit) + 1);  // one more, for the next due time
    used.send(sql::list_due_tasks, params);
  });
  const Rows& rows = answers.front();
  DueTasks due;
  for (int row = 0; row < rows.count(); ++row) {
    const core::TimePoint at = rows.time(row, 0);
    if (at > time || due.ids.size() == limit) {
      due.next = at;
      break;
    }
    due.ids.push_back(rows.id(row, 1));
  }
  shared_.scheduled_mark.end(look, time, rows.count() == 0 ? std::nullopt : std::optional{rows.time(0, 0)});
  return due;
}

}  // namespace pawl::store::postgres
