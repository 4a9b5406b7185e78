#include "store/postgres/run_rows.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/transaction.hpp"
#include "store/run_tail.hpp"

namespace pawl::store::postgres {

namespace {

using core::RunId;

}  // namespace

// The lock on a row keeps others from writing it and its nodes. Others may still append events, but then the
// insert of ours fails.
std::vector<std::optional<StoredRun>> PostgresTransaction::lock_runs(std::span<const RunId> ids) {
  std::vector<std::optional<StoredRun>> found(ids.size());
  if (ids.empty()) return found;
  Params params;
  params.column(ids, [](const RunId& id) { return id; });
  connection_->send(sql::lock_run, params);
  connection_->send(sql::list_tails, params);
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  for (int row = 0; row < rows.count(); ++row) found[read_place(rows, row, kAfterRun)] = read_run(rows, row);
  const std::vector<Tail> tails = read_tails(answers[1], ids.size());
  std::vector<NodeRef> needed;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!found[i] || found[i]->row.is_bare) continue;
    for (const core::NodeKey key : nodes_of_tail(tails[i].events)) needed.push_back({ids[i], key});
  }
  const auto nodes = load_nodes(needed);
  auto node = nodes.begin();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!found[i]) continue;
    for (; node != nodes.end() && needed[static_cast<std::size_t>(node - nodes.begin())].run == ids[i];
         ++node) {
      if (*node) found[i]->nodes.push_back(**node);
    }
    catch_up(*found[i], tails[i].events);
    found[i]->nodes.clear();
  }
  return found;
}

std::vector<std::optional<StoredRun>> PostgresTransaction::peek_runs(std::span<const PeekRun> peeks) {
  if (peeks.empty()) return {};
  Params params;
  params.column(peeks, [](const PeekRun& peek) { return peek.id; });
  std::vector<NodeRef> nodes;
  for (int tries = 0; tries < kTailTries; ++tries) {
    ask_for_pages(*connection_, peeks, nodes);
    connection_->send(sql::list_all_unread, params);
    const auto answers = connection_->run_or_throw();
    auto found = read_pages(answers, peeks, nodes);
    if (!found) continue;
    const Rows& signals = answers[kPagesAnswers];
    std::vector<core::Signal> read = read_signals(signals);
    for (int row = 0; row < signals.count(); ++row) {
      if (auto& run = (*found)[read_place(signals, row, kAfterSignal)])
        run->signals.push_back(std::move(read[static_cast<std::size_t>(row)]));
    }
    return std::move(*found);
  }
  throw StoreError{StoreError::Kind::retry, "a run was written while it was read"};
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
  for (int row = 0; row < rows.count(); ++row) found[read_place(rows, row, 0)] = read_run_id(rows, row, 1);
  return found;
}

std::vector<std::optional<core::Node>> PostgresTransaction::load_nodes(std::span<const NodeRef> refs) {
  std::vector<std::optional<core::Node>> found(refs.size());
  if (refs.empty()) return found;
  connection_->send(sql::find_node, params_of(refs));
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  for (int row = 0; row < rows.count(); ++row)
    found[read_place(rows, row, kAfterNode)] = read_node(rows, row);
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
