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

std::vector<std::optional<RunId>> PostgresTransaction::read_run_keys(std::span<const RunKeyRef> refs) {
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

std::vector<core::Node> PostgresTransaction::list_nodes(const RunId& run, NodeFilter filter) {
  Params params;
  params.value(run);
  std::string_view query = sql::list_nodes;
  if (filter.earliest_timers) {
    params.value(static_cast<std::int64_t>(*filter.earliest_timers));
    query = sql::list_run_timers;
  } else if (filter.items_of) {
    params.value(static_cast<std::int32_t>(*filter.items_of));
    query = sql::list_node_items;
  }
  connection_->send(query, params);
  return read_nodes(connection_->run_or_throw().front());
}

std::vector<core::Signal> PostgresTransaction::list_signals(const RunId& run, const SignalFilter& filter) {
  Params params;
  params.value(run);
  if (filter.idempotency_key) {
    params.value(*filter.idempotency_key);
    connection_->send(sql::find_signal, params);
  } else {
    params.value(filter.unread_name);
    params.value(static_cast<std::int64_t>(filter.limit));
    connection_->send(sql::list_unread_signals, params);
  }
  return read_signals(connection_->run_or_throw().front());
}

std::vector<RunTask> PostgresTransaction::list_run_tasks(const RunId& run, const core::TaskId* only) {
  Params params;
  std::vector<RunTask> tasks;
  if (only != nullptr) {
    params.column(std::vector{*only}, [](const core::TaskId& id) { return id; });
    connection_->send(sql::find_run_task, params);
    const auto answers = connection_->run_or_throw();
    const Rows& rows = answers.front();
    if (rows.count() > 0 && read_run_id(rows, 0, 1) == run)
      tasks.push_back({.id = *only, .node = read_key(rows, 0, 2)});
    return tasks;
  }
  params.value(run);
  connection_->send(sql::list_run_tasks, params);
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  for (int row = 0; row < rows.count(); ++row)
    tasks.push_back({.id = rows.id(row, 0), .node = read_key(rows, row, 1)});
  return tasks;
}

}  // namespace pawl::store::postgres
