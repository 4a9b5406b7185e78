#include "store/sqlite/erase.hpp"

#include "core/base/canary.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/task_rows.hpp"
#include "store/sqlite/transaction.hpp"

namespace pawl::store::sqlite {

namespace {

void expect_one(int erased) {
  if (erased != 1)
    throw StoreError{StoreError::Kind::retry, "a task or run to erase has changed since it was loaded"};
}

void erase_task(Connection& connection, const core::FinishedTask& task) {
  std::int64_t seq = 0;
  std::optional<std::string> key;
  {
    Rows row = connection.statement(sql::find_task_to_erase).rows(task.id);
    expect_one(row.next() ? 1 : 0);
    seq = row.int64();
    key = row.optional_string();
  }
  expect_one(connection.statement(sql::erase_finished).run(seq));
  if (key && !core::planted(core::Canary::task_key_left_behind))
    connection.statement(sql::erase_task_keys).run(task.lane->ns, task.lane->type, *key, task.id);
  connection.statement(sql::erase_task_labels).run(task.id);
  if (!core::planted(core::Canary::attempts_left_behind))
    connection.statement(sql::erase_attempts).run(task.id);
  connection.statement(sql::erase_checkpoints).run(task.id);
  if (task.lane->fair) connection.statement(sql::erase_fair_tasks).run(task.id);
  expect_one(connection.statement(sql::erase_tasks).run(seq));
}

void erase_run(Connection& connection, const RunErase& gone) {
  expect_one(connection.statement(sql::erase_run_states).run(gone.id, gone.sequence));
  if (gone.key)
    connection.statement(sql::erase_run_keys).run(gone.key->ns, gone.key->workflow, gone.key->key, gone.id);
  for (const std::string_view query :
       {sql::erase_runs, sql::erase_run_labels, sql::erase_run_tasks, sql::erase_nodes, sql::erase_events,
        sql::erase_signals, sql::erase_checkpoints})
    connection.statement(query).run(gone.id);
}

}  // namespace

void erase(Connection& connection, const WriteSet& writes) {
  for (const core::FinishedTask& task : writes.erased_tasks) erase_task(connection, task);
  for (const RunErase& gone : writes.erased_runs) erase_run(connection, gone);
  if (writes.audit_erased_to) connection.statement(sql::erase_audit).run(*writes.audit_erased_to);
}

FinishedTasks list_finished(Connection& connection, const LaneCache& lanes, const FinishedPage& page) {
  FinishedTasks found;
  std::size_t looked_at = 0;
  core::TaskId last;
  Rows row = connection.statement(sql::list_finished).rows(page.after, page.before, page.limit);
  while (row.next()) {
    ++looked_at;
    last = row.task_id();
    const auto id = row.optional_int64();  // none: not finished
    const core::Lane* lane = id ? lanes.find(static_cast<std::int32_t>(*id)) : nullptr;
    if (lane != nullptr) found.tasks.push_back(read_finished(row, last, lane));
  }
  if (looked_at == page.limit) found.next = last;
  return found;
}

std::vector<core::FinishedTask> SqliteTransaction::lock_finished(std::span<const core::TaskId> ids) {
  std::vector<core::FinishedTask> found;
  for (const core::TaskId& id : ids) {
    Rows row = connection_.statement(sql::lock_finished).rows(id);
    if (!row.next()) continue;
    const core::Lane* lane = lanes_.find(row.int32());
    if (lane != nullptr) found.push_back(read_finished(row, id, lane));
  }
  return found;
}

}  // namespace pawl::store::sqlite
