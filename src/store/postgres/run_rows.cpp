#include "store/postgres/run_rows.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "store/postgres/sql.hpp"
#include "store/run_codec.hpp"
#include "store/run_tail.hpp"

namespace pawl::store::postgres {

namespace {

core::RawJson read_json(const Rows& rows, int row, int column) {
  return {std::string{rows.text(row, column)}};
}

// An event of an unknown type counts as unreadable. Its type keeps the default; the hash shows the damage.
StoredEvent read_event(const Rows& rows, int row) {
  const auto text = [&](int column) { return std::string{rows.text(row, column)}; };
  const auto type = core::run_event_type_from(rows.text(row, 1));
  StoredEvent stored;
  stored.event.sequence = rows.int8(row, 0);
  if (type) stored.event.type = *type;
  stored.event.at = rows.time(row, 2);
  stored.event.caused_by = rows.int8_or_null(row, 3);
  stored.event.actor = {.type = text(4), .id = text(5)};
  stored.event.trace_id = text(6);
  stored.event.span_id = text(7);
  stored.hash = text(8);
  stored.payload = read_json(rows, row, 9);
  decode_payload(stored);
  stored.is_readable = stored.is_readable && type;
  return stored;
}

}  // namespace

core::RunId read_run_id(const Rows& rows, int row, int column) { return core::RunId{rows.id(row, column)}; }

core::NodeKey read_key(const Rows& rows, int row, int column) {
  return {.index = static_cast<core::NodeIndex>(rows.int4(row, column)), .item = rows.int4(row, column + 1)};
}

StoredRun read_run(const Rows& rows, int row) {
  StoredRun stored;
  decode_run({.facts = rows.text(row, 0), .state = rows.text(row, 1), .standing = rows.text(row, 5)}, stored);
  stored.run.sequence = rows.int8(row, 2);
  stored.run.updated_at = rows.time(row, 3);
  stored.hash = rows.text(row, 4);
  stored.run.output = read_json(rows, row, 6);
  stored.row = core::mark_of(stored.run);
  stored.row.is_bare = rows.boolean(row, 7);
  if (!stored.misfit.empty()) stored.run.facts.id = read_run_id(rows, row, 8);
  return stored;
}

core::Node read_node(const Rows& rows, int row, std::string& misfit) {
  core::Node node{.key = read_key(rows, row, 0)};
  std::string why = decode_node_state(rows.text(row, 2), node.state);
  node.timer_at = rows.time_or_null(row, 3);
  if (const std::string body = decode_node(rows.text(row, 4), node); why.empty()) why = body;
  node.output = read_json(rows, row, 5);
  if (!why.empty() && misfit.empty())
    misfit = fmt::format("node {}[{}]: {}", node.key.index, node.key.item, why);
  return node;
}

core::Node read_node(const Rows& rows, int row) {
  std::string why;
  core::Node node = read_node(rows, row, why);
  if (!why.empty()) refuse_node(node.key, why);
  return node;
}

std::vector<core::Node> read_nodes(const Rows& rows) {
  std::vector<core::Node> nodes;
  for (int row = 0; row < rows.count(); ++row) nodes.push_back(read_node(rows, row));
  return nodes;
}

std::vector<core::Signal> read_signals(const Rows& rows) {
  std::vector<core::Signal> signals;
  for (int row = 0; row < rows.count(); ++row) {
    core::Signal& signal = signals.emplace_back();
    signal.sequence = rows.int8(row, 0);
    signal.name = rows.text(row, 1);
    signal.idempotency_key = rows.text_or_null(row, 2);
    if (!rows.is_null(row, 3)) signal.consumed_by = read_key(rows, row, 3);
    signal.payload = read_json(rows, row, 5);
  }
  return signals;
}

std::vector<StoredEvent> read_events(const Rows& rows) {
  std::vector<StoredEvent> events;
  for (int row = 0; row < rows.count(); ++row) events.push_back(read_event(rows, row));
  return events;
}

std::size_t read_place(const Rows& rows, int row, int column) {
  return static_cast<std::size_t>(rows.int8(row, column) - 1);
}

std::vector<Tail> read_tails(const Rows& rows, std::size_t count) {
  std::vector<Tail> tails(count);
  for (int row = 0; row < rows.count(); ++row) {
    Tail& tail = tails[read_place(rows, row, kAfterEvent)];
    tail.row_sequence = rows.int8(row, kAfterEvent + 1);
    if (!rows.is_null(row, 0)) tail.events.push_back(read_event(rows, row));
  }
  return tails;
}

void ask_for_runs(Connection& connection, std::span<const core::RunId> ids) {
  Params params;
  params.column(ids, [](const core::RunId& id) { return id; });
  connection.send(sql::peek_run, params);
  connection.send(sql::peek_nodes, params);
  connection.send(sql::list_tails, params);
}

std::optional<std::vector<std::optional<StoredRun>>> read_runs(std::span<const Rows> answers,
                                                               std::size_t count) {
  std::vector<std::optional<StoredRun>> found(count);
  const Rows& runs = answers[0];
  for (int row = 0; row < runs.count(); ++row) found[read_place(runs, row, kAfterRun)] = read_run(runs, row);
  const Rows& nodes = answers[1];
  for (int row = 0; row < nodes.count(); ++row) {
    if (auto& run = found[read_place(nodes, row, kAfterNode)])
      run->nodes.push_back(read_node(nodes, row, run->misfit));
  }
  const std::vector<Tail> tails = read_tails(answers[2], count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!found[i]) continue;
    if (tails[i].row_sequence != found[i]->row.sequence) return std::nullopt;
    catch_up(*found[i], tails[i].events);
  }
  return found;
}

namespace {

bool is_by_key(const core::Node& a, const core::Node& b) { return a.key < b.key; }

// The rows of the page and the next one, which shows that there are more.
core::NodeSlice slice_of(std::vector<core::Node> rows, const core::NodePage& page) {
  core::NodeSlice slice{.nodes = std::move(rows)};
  core::cut(slice, page);
  return slice;
}

bool has_read(const core::NodeSlice& slice, const core::NodePage& page, core::NodeKey key) {
  return key >= page.from && (!slice.next || key < *slice.next);
}

Params params_of_pages(std::span<const PeekRun> peeks) {
  Params params;
  params.column(peeks, [](const PeekRun& peek) { return peek.id; });
  params.column(peeks, [](const PeekRun& peek) { return static_cast<std::int32_t>(peek.page.from.index); });
  params.column(peeks, [](const PeekRun& peek) { return peek.page.from.item; });
  params.column(peeks, [](const PeekRun& peek) { return static_cast<std::int64_t>(peek.page.nodes); });
  params.column(peeks, [](const PeekRun& peek) { return static_cast<std::int64_t>(peek.page.bytes); });
  return params;
}

}  // namespace

void ask_for_pages(Connection& connection, std::span<const PeekRun> peeks, std::span<const NodeRef> nodes) {
  Params params;
  params.column(peeks, [](const PeekRun& peek) { return peek.id; });
  connection.send(sql::peek_run, params);
  connection.send(sql::list_tails, params);
  connection.send(sql::list_node_page, params_of_pages(peeks));
  connection.send(sql::find_node, params_of(nodes));
}

std::optional<std::vector<std::optional<StoredRun>>> read_pages(std::span<const Rows> answers,
                                                                std::span<const PeekRun> peeks,
                                                                std::vector<NodeRef>& nodes) {
  std::vector<std::optional<StoredRun>> found(peeks.size());
  const Rows& runs = answers[0];
  for (int row = 0; row < runs.count(); ++row) found[read_place(runs, row, kAfterRun)] = read_run(runs, row);
  const std::vector<Tail> tails = read_tails(answers[1], peeks.size());
  std::vector<std::vector<core::Node>> rows(peeks.size());
  for (int row = 0; row < answers[2].count(); ++row) {
    const std::size_t place = read_place(answers[2], row, kAfterNode);
    std::string unread;
    rows[place].push_back(read_node(answers[2], row, found[place] ? found[place]->misfit : unread));
  }
  std::map<core::RunId, std::vector<core::Node>> beside;
  for (int row = 0; row < answers[3].count(); ++row)
    beside[nodes[read_place(answers[3], row, kAfterNode)].run].push_back(read_node(answers[3], row));

  std::vector<NodeRef> missing;
  for (std::size_t i = 0; i < peeks.size(); ++i) {
    if (!found[i]) continue;
    StoredRun& stored = *found[i];
    if (tails[i].row_sequence != stored.row.sequence)
      throw StoreError{StoreError::Kind::retry, "a run was written while it was read"};
    core::NodeSlice slice = slice_of(std::move(rows[i]), peeks[i].page);
    if (!stored.row.is_bare) {
      for (const core::NodeKey key : nodes_of_tail(tails[i].events)) {
        const NodeRef ref{peeks[i].id, key};
        const bool is_read =
            has_read(slice, peeks[i].page, key) || std::binary_search(nodes.begin(), nodes.end(), ref);
        if (!is_read) missing.push_back(ref);
      }
    }
    stored.nodes = slice.nodes;
    for (core::Node& node : beside[peeks[i].id]) {
      if (!has_read(slice, peeks[i].page, node.key)) stored.nodes.push_back(std::move(node));
    }
    std::sort(stored.nodes.begin(), stored.nodes.end(), is_by_key);
    catch_up(stored, tails[i].events);
    put_page(stored, std::move(slice), peeks[i].page);
  }
  if (missing.empty()) return found;
  nodes.insert(nodes.end(), missing.begin(), missing.end());
  std::sort(nodes.begin(), nodes.end());
  return std::nullopt;
}

Params params_of(std::span<const NodeRef> refs) {
  Params params;
  params.column(refs, [](const NodeRef& ref) { return ref.run; });
  params.column(refs, [](const NodeRef& ref) { return static_cast<std::int32_t>(ref.key.index); });
  params.column(refs, [](const NodeRef& ref) { return ref.key.item; });
  return params;
}

void ask_for_runs_with(Connection& connection, std::span<const core::RunId> ids,
                       std::span<const NodeRef> nodes) {
  Params params;
  params.column(ids, [](const core::RunId& id) { return id; });
  connection.send(sql::peek_run, params);
  connection.send(sql::list_tails, params);
  connection.send(sql::find_node, params_of(nodes));
}

std::optional<std::vector<std::optional<StoredRun>>> read_runs_with(std::span<const Rows> answers,
                                                                    std::span<const core::RunId> ids,
                                                                    std::vector<NodeRef>& nodes) {
  std::vector<std::optional<StoredRun>> found(ids.size());
  const Rows& runs = answers[0];
  for (int row = 0; row < runs.count(); ++row) found[read_place(runs, row, kAfterRun)] = read_run(runs, row);
  const std::vector<Tail> tails = read_tails(answers[1], ids.size());
  std::vector<NodeRef> needed;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!found[i] || found[i]->row.is_bare) continue;
    for (const core::NodeKey key : nodes_of_tail(tails[i].events)) needed.push_back({ids[i], key});
  }
  std::sort(needed.begin(), needed.end());
  if (!std::includes(nodes.begin(), nodes.end(), needed.begin(), needed.end())) {
    nodes = std::move(needed);
    return std::nullopt;
  }
  std::map<core::RunId, std::vector<core::Node>> by_run;
  for (int row = 0; row < answers[2].count(); ++row)
    by_run[nodes[read_place(answers[2], row, kAfterNode)].run].push_back(read_node(answers[2], row));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!found[i]) continue;
    found[i]->nodes = std::move(by_run[ids[i]]);
    std::sort(found[i]->nodes.begin(), found[i]->nodes.end(),
              [](const core::Node& a, const core::Node& b) { return a.key < b.key; });
    catch_up(*found[i], tails[i].events);
    found[i]->nodes.clear();
  }
  return found;
}

}  // namespace pawl::store::postgres
