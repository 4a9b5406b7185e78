// Reads and deletes for retention.

#include <algorithm>

#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"
#include "store/postgres/task_rows.hpp"
#include "store/postgres/transaction.hpp"

namespace pawl::store::postgres {

namespace {

// id, lane, status, finished_at.
std::vector<core::FinishedTask> read_finished(const Rows& rows, LaneFinder lane_of) {
  std::vector<core::FinishedTask> found;
  for (int row = 0; row < rows.count(); ++row) {
    const core::Lane* lane = lane_of.find(rows.int4(row, 1));
    if (lane == nullptr) continue;  // kept; `verify` reports it
    found.push_back({.id = rows.id(row, 0),
                     .lane = lane,
                     .status = read_status(rows, row, 2),
                     .finished_at = rows.time(row, 3)});
  }
  return found;
}

void erase_tasks(Connection& connection, const std::vector<core::FinishedTask>& tasks) {
  if (tasks.empty()) return;
  Params ids;
  ids.column(tasks, [](const core::FinishedTask& task) { return task.id; });
  Params counted = ids;
  counted.value(static_cast<std::int64_t>(tasks.size()));
  connection.send(sql::erase_finished, counted);
  for (const std::string_view query : {sql::erase_task_keys, sql::erase_task_labels, sql::erase_attempts,
                                       sql::erase_checkpoints, sql::erase_tasks})
    connection.send(query, ids);
  const bool has_fair =
      std::any_of(tasks.begin(), tasks.end(), [](const core::FinishedTask& task) { return task.lane->fair; });
  if (has_fair) connection.send(sql::erase_fair_tasks, ids);
}

void erase_keys(Connection& connection, const std::vector<RunErase>& runs) {
  std::vector<const RunErase*> keyed;
  for (const RunErase& gone : runs) {
    if (gone.key) keyed.push_back(&gone);
  }
  if (keyed.empty()) return;
  Params params;
  params.column(keyed, [](const RunErase* gone) { return std::string_view{gone->key->ns}; });
  params.column(keyed, [](const RunErase* gone) { return std::string_view{gone->key->workflow}; });
  params.column(keyed, [](const RunErase* gone) { return std::string_view{gone->key->key}; });
  params.column(keyed, [](const RunErase* gone) { return gone->id; });
  connection.send(sql::erase_run_keys, params);
}

void erase_runs(Connection& connection, const std::vector<RunErase>& runs) {
  if (runs.empty()) return;
  Params ids;
  ids.column(runs, [](const RunErase& gone) { return gone.id; });
  Params guarded = ids;
  guarded.column(runs, [](const RunErase& gone) { return gone.sequence; });
  guarded.value(static_cast<std::int64_t>(runs.size()));
  connection.send(sql::erase_run_states, guarded);
  erase_keys(connection, runs);
  for (const std::string_view query :
       {sql::erase_runs, sql::erase_run_labels, sql::erase_run_tasks, sql::erase_nodes, sql::erase_events,
        sql::erase_signals, sql::erase_checkpoints})
    connection.send(query, ids);
}

}  // namespace

void PostgresTransaction::send_erased(const WriteSet& writes) {
  erase_tasks(*connection_, writes.erased_tasks);
  erase_runs(*connection_, writes.erased_runs);
  if (!writes.audit_erased_to) return;
  Params params;
  params.value(*writes.audit_erased_to);
  connection_->send(sql::erase_audit, params);
}

std::vector<core::FinishedTask> PostgresTransaction::lock_finished(std::span<const core::TaskId> ids) {
  if (ids.empty()) return {};
  Params params;
  params.column(ids, [](const core::TaskId& id) { return id; });
  connection_->send(sql::lock_finished, params);
  const auto answers = connection_->run_or_throw();
  return read_finished(answers.front(), {shared_.lanes, *connection_});
}

FinishedTasks PostgresStore::list_finished(const FinishedPage& page) {
  const Pool::Loan connection = readers_.borrow();
  const auto answers = read(*connection, [&](Connection& used) {
    Params params;
    params.value(page.after);
    params.value(page.before);
    params.value(static_cast<std::int64_t>(page.limit));
    used.send(sql::list_finished, params);
  });
  const Rows& rows = answers.front();
  FinishedTasks found{.tasks = read_finished(rows, {shared_.lanes, *connection})};
  // Counts the rows: a page that is short because damaged rows were left out would look like the last one.
  const bool is_full = rows.count() > 0 && static_cast<std::size_t>(rows.count()) == page.limit;
  if (is_full) found.next = rows.id(rows.count() - 1, 0);
  return found;
}

}  // namespace pawl::store::postgres
