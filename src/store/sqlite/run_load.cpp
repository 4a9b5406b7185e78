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

std::vector<std::optional<RunId>> SqliteTransaction::find_run_keys(std::span<const RunKeyRef> refs) {
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

std::vector<core::Node> SqliteTransaction::list_nodes(const RunId& run,
                                                      std::optional<core::NodeIndex> items_of) {
  if (items_of) {
    Rows row = connection_.statement(sql::list_node_items).rows(run, std::int64_t{*items_of});
    return read_nodes(row);
  }
  Rows row = connection_.statement(sql::list_nodes).rows(run);
  return read_nodes(row);
}

std::vector<core::Node> SqliteTransaction::list_timers(const RunId& run, std::size_t count) {
  Rows row = connection_.statement(sql::list_run_timers).rows(run, count);
  return read_nodes(row);
}

std::optional<core::NodeKey> SqliteTransaction::find_node(const RunId& run, const core::TaskId& task) {
  Rows row = connection_.statement(sql::find_run_task).rows(task);
  if (!row.next() || read_run_id(row) != run) return std::nullopt;
  return read_key(row);
}

std::vector<core::Signal> SqliteTransaction::list_unread_signals(const RunId& run, const std::string& name,
                                                                 std::size_t count) {
  Rows row = connection_.statement(sql::list_unread_signals).rows(run, name, count);
  return read_signals(row);
}

bool SqliteTransaction::has_signal(const RunId& run, const std::string& idempotency_key) {
  Rows row = connection_.statement(sql::has_signal).rows(run, idempotency_key);
  return row.next();
}

}  // namespace pawl::store::sqlite
