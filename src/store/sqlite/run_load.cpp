#include <optional>
#include <vector>

#include "store/sqlite/run_reads.hpp"
#include "store/sqlite/run_rows.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/transaction.hpp"

namespace pawl::store::sqlite {

using core::RunId;

std::vector<std::optional<StoredRun>> SqliteTransaction::lock_runs(std::span<const RunId> ids) {
  std::vector<std::optional<StoredRun>> found;
  for (const RunId& id : ids) found.push_back(find_row(connection_, id, Wanted::ahead));
  return found;
}

std::vector<std::optional<StoredRun>> SqliteTransaction::peek_runs(std::span<const PeekRun> peeks) {
  std::vector<std::optional<StoredRun>> found;
  for (const PeekRun& peek : peeks) {
    auto& run = found.emplace_back(find_with_page(connection_, peek.id, peek.page));
    if (!run) continue;
    Rows row = connection_.statement(sql::list_all_unread).rows(peek.id);
    run->signals = read_signals(row);
  }
  return found;
}

std::vector<std::optional<RunId>> SqliteTransaction::read_run_keys(std::span<const RunKeyRef> refs) {
  std::vector<std::optional<RunId>> found;
  for (const RunKeyRef& ref : refs) {
    Rows row = connection_.statement(sql::find_run_key).rows(ref.ns, ref.workflow, ref.key);
    found.push_back(row.next() ? std::optional{read_run_id(row)} : std::nullopt);
  }
  return found;
}

std::vector<std::optional<core::Node>> SqliteTransaction::load_nodes(std::span<const NodeRef> refs) {
  std::vector<std::optional<core::Node>> found;
  found.reserve(refs.size());
  for (const NodeRef& ref : refs) found.push_back(find_node_row(connection_, ref));
  return found;
}

std::vector<core::Node> SqliteTransaction::list_nodes(const RunId& run, NodeFilter filter) {
  if (filter.earliest_timers) {
    Rows row = connection_.statement(sql::list_run_timers).rows(run, *filter.earliest_timers);
    return read_nodes(row);
  }
  if (filter.items_of) {
    Rows row = connection_.statement(sql::list_node_items).rows(run, std::int64_t{*filter.items_of});
    return read_nodes(row);
  }
  Rows row = connection_.statement(sql::list_nodes).rows(run);
  return read_nodes(row);
}

std::vector<core::Signal> SqliteTransaction::list_signals(const RunId& run, const SignalFilter& filter) {
  if (filter.idempotency_key) {
    Rows row = connection_.statement(sql::find_signal).rows(run, *filter.idempotency_key);
    return read_signals(row);
  }
  Rows row = connection_.statement(sql::list_unread_signals).rows(run, filter.unread_name, filter.limit);
  return read_signals(row);
}

std::vector<RunTask> SqliteTransaction::list_run_tasks(const RunId& run, const core::TaskId* only) {
  std::vector<RunTask> tasks;
  if (only != nullptr) {
    Rows row = connection_.statement(sql::find_run_task).rows(*only);
    if (row.next() && read_run_id(row) == run) tasks.push_back({.id = *only, .node = read_key(row)});
    return tasks;
  }
  Rows row = connection_.statement(sql::list_run_tasks).rows(run);
  while (row.next()) {
    const core::TaskId id = row.task_id();
    tasks.push_back({.id = id, .node = read_key(row)});
  }
  return tasks;
}

}  // namespace pawl::store::sqlite
