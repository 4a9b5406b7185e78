#include "store/postgres/run_rows.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/transaction.hpp"

namespace pawl::store::postgres {

namespace {

using core::RunId;

std::size_t place_of(const Rows& rows, int row, int column) {
  return static_cast<std::size_t>(rows.int8(row, column) - 1);
}

}  // namespace

std::vector<std::optional<StoredRun>> PostgresTransaction::lock_runs(std::span<const RunId> ids) {
  std::vector<std::optional<StoredRun>> found(ids.size());
  if (ids.empty()) return found;
  Params params;
  params.column(ids, [](const RunId& id) { return id; });
  connection_->send(sql::lock_run, params);
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  for (int row = 0; row < rows.count(); ++row) found[place_of(rows, row, kAfterRun)] = read_run(rows, row);
  return found;
}

std::vector<std::optional<StoredRun>> PostgresTransaction::peek_runs(std::span<const RunId> ids) {
  std::vector<std::optional<StoredRun>> found(ids.size());
  if (ids.empty()) return found;
  Params params;
  params.column(ids, [](const RunId& id) { return id; });
  connection_->send(sql::peek_run, params);
  connection_->send(sql::peek_nodes, params);
  connection_->send(sql::list_all_unread, params);
  const auto answers = connection_->run_or_throw();
  const Rows& runs = answers[0];
  for (int row = 0; row < runs.count(); ++row) found[place_of(runs, row, kAfterRun)] = read_run(runs, row);
  const Rows& nodes = answers[1];
  for (int row = 0; row < nodes.count(); ++row)
    found[place_of(nodes, row, kAfterNode)]->nodes.push_back(read_node(nodes, row));
  const Rows& signals = answers[2];
  std::vector<core::Signal> read = read_signals(signals);
  for (int row = 0; row < signals.count(); ++row)
    found[place_of(signals, row, kAfterSignal)]->signals.push_back(
        std::move(read[static_cast<std::size_t>(row)]));
  return found;
}

std::vector<std::optional<RunId>> PostgresTransaction::find_run_keys(std::span<const RunKeyRef> refs) {
  std::vector<std::optional<RunId>> found(refs.size());
  if (refs.empty()) return found;
  Params params;
  params.column(refs, [](const RunKeyRef& ref) { return std::string_view{ref.ns}; });
  params.column(refs, [](const RunKeyRef& ref) { return std::string_view{ref.workflow}; });
  params.column(refs, [](const RunKeyRef& ref) { return std::string_view{ref.key}; });
  connection_->send(sql::find_run_key, params);
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  for (int row = 0; row < rows.count(); ++row) found[place_of(rows, row, 0)] = read_run_id(rows, row, 1);
  return found;
}

std::vector<std::optional<core::Node>> PostgresTransaction::load_nodes(std::span<const NodeRef> refs) {
  std::vector<std::optional<core::Node>> found(refs.size());
  if (refs.empty()) return found;
  Params params;
  params.column(refs, [](const NodeRef& ref) { return ref.run; });
  params.column(refs, [](const NodeRef& ref) { return static_cast<std::int32_t>(ref.key.index); });
  params.column(refs, [](const NodeRef& ref) { return ref.key.item; });
  connection_->send(sql::find_node, params);
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  for (int row = 0; row < rows.count(); ++row) found[place_of(rows, row, kAfterNode)] = read_node(rows, row);
  return found;
}

std::vector<core::Node> PostgresTransaction::list_nodes(const RunId& run,
                                                        std::optional<core::NodeIndex> items_of) {
  Params params;
  params.value(run);
  if (items_of) params.value(static_cast<std::int32_t>(*items_of));
  connection_->send(items_of ? sql::list_node_items : sql::list_nodes, params);
  return read_nodes(connection_->run_or_throw().front());
}

std::vector<core::Node> PostgresTransaction::list_timers(const RunId& run, std::size_t count) {
  Params params;
  params.value(run);
  params.value(static_cast<std::int64_t>(count));
  connection_->send(sql::list_run_timers, params);
  return read_nodes(connection_->run_or_throw().front());
}

std::optional<core::NodeKey> PostgresTransaction::find_node(const RunId& run, const core::TaskId& task) {
  Params params;
  params.column(std::vector{task}, [](const core::TaskId& id) { return id; });
  connection_->send(sql::find_run_task, params);
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  if (rows.count() == 0 || read_run_id(rows, 0, 1) != run) return std::nullopt;
  return read_key(rows, 0, 2);
}

std::vector<core::Signal> PostgresTransaction::list_unread_signals(const RunId& run, const std::string& name,
                                                                   std::size_t count) {
  Params params;
  params.value(run);
  params.value(name);
  params.value(static_cast<std::int64_t>(count));
  connection_->send(sql::list_unread_signals, params);
  return read_signals(connection_->run_or_throw().front());
}

bool PostgresTransaction::has_signal(const RunId& run, const std::string& idempotency_key) {
  Params params;
  params.value(run);
  params.value(idempotency_key);
  connection_->send(sql::has_signal, params);
  return connection_->run_or_throw().front().count() > 0;
}

}  // namespace pawl::store::postgres
