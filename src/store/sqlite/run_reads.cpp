#include "store/sqlite/run_reads.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "store/run_tail.hpp"
#include "store/sqlite/run_rows.hpp"
#include "store/sqlite/sql.hpp"

namespace pawl::store::sqlite {

namespace {

using core::RunId;

constexpr std::size_t kAllEvents = std::numeric_limits<std::int32_t>::max();

// All ids lie between these two.
struct RunBounds {
  RunId low = {};
  RunId high = {};
};
RunBounds bounds_of(const RunPage& page) {
  RunBounds bounds;
  bounds.high.bytes.fill(0xff);
  if (page.after) (page.newest_first ? bounds.high : bounds.low) = *page.after;
  return bounds;
}

// A query and the value of its parameter ?11.
struct RunSource {
  std::string_view query;
  std::optional<std::string> state = {};
};

std::string names_of(const std::vector<core::RunState>& states) {
  std::string names;
  for (const core::RunState state : states)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ",", core::to_string(state));
  return "[" + names + "]";
}

std::vector<RunSource> sources_of(const core::RunQuery& query) {
  std::optional<std::string> states;
  if (is_found_by_label(query)) {
    if (!query.states.empty()) states = names_of(query.states);
    return {{.query = sql::labeled_runs, .state = std::move(states)}};
  }
  std::vector<RunSource> sources;
  for (const core::RunState state : query.states)
    sources.push_back({.query = query.retrying ? sql::retrying_runs : sql::runs_of_state,
                       .state = std::string{core::to_string(state)}});
  if (sources.empty()) sources.push_back({.query = query.retrying ? sql::retrying_runs : sql::all_runs});
  return sources;
}

void read_source(Connection& connection, const RunPage& page, const RunSource& source,
                 std::vector<StoredRun>& runs) {
  const core::RunQuery& query = page.query;
  std::string text{source.query};
  text.append("\n").append(sql::filter_runs).append("\n");
  text.append(page.newest_first ? sql::newest_runs : sql::oldest_runs);
  const RunBounds bounds = bounds_of(page);
  std::optional<core::Uuid> parent;
  if (query.parent) parent = *query.parent;
  std::optional<std::string_view> label;
  std::optional<std::string_view> label_value;
  if (query.label) {
    label = query.label->first;
    label_value = query.label->second;
  }
  Statement statement = connection.prepare(text);
  Rows row = statement.rows(bounds.low, bounds.high, query.ns, query.workflow, query.run_key, parent, label,
                            label_value, query.created_after, query.created_before, source.state, page.limit);
  while (row.next()) runs.push_back(read_run(row));
}

// Reads the events after the row, if any, and the nodes, if requested, and applies the events.
void read_tail(Connection& connection, StoredRun& stored, Wanted wanted) {
  const RunId id = stored.run.facts.id;
  const bool is_bare = stored.row.is_bare;
  std::vector<StoredEvent> tail;
  if (may_have_tail(stored.run) || (is_bare && wanted != Wanted::run))
    tail = list_run_events(connection, id, tail_from(stored.row), kAllEvents);
  if (wanted != Wanted::nodes && tail.empty()) return;
  if (!is_bare && wanted == Wanted::nodes) {
    Rows row = connection.statement(sql::list_nodes).rows(id);
    while (row.next()) stored.nodes.push_back(read_node(row, stored.misfit));
  } else if (!is_bare) {
    for (const core::NodeKey key : nodes_of_tail(tail)) {
      if (auto node = find_node_row(connection, {.run = id, .key = key}))
        stored.nodes.push_back(std::move(*node));
    }
  }
  catch_up(stored, tail);
  if (wanted != Wanted::nodes) stored.nodes.clear();
}

void count_claimed(Connection& connection, core::Run& run) {
  if (run.counts.pending == 0) return;
  Rows row = connection.statement(sql::count_claimed).rows(run.facts.id);
  if (row.next()) run.claimed = row.int64();
}

}  // namespace

std::optional<core::Node> find_node_row(Connection& connection, const NodeRef& ref) {
  Rows row = connection.statement(sql::find_node).rows(ref.run, std::int64_t{ref.key.index}, ref.key.item);
  if (!row.next()) return std::nullopt;
  return read_node(row);
}

std::optional<StoredRun> find_row(Connection& connection, const RunId& id, Wanted wanted) {
  std::optional<StoredRun> stored;
  {
    Rows row = connection.statement(sql::find_run).rows(id);
    if (!row.next()) return std::nullopt;
    stored = read_run(row);
  }
  read_tail(connection, *stored, wanted);
  return stored;
}

std::optional<StoredRun> find_with_page(Connection& connection, const RunId& id, const core::NodePage& page) {
  auto stored = find_row(connection, id, Wanted::ahead);
  if (!stored) return std::nullopt;
  core::NodeSlice slice;
  if (!stored->row.is_bare) {
    Rows row = connection.statement(sql::list_node_page)
                   .rows(id, std::int64_t{page.from.index}, page.from.item, page.nodes + 1);
    slice = read_slice(row, page, stored->misfit);
  }
  put_page(*stored, std::move(slice), page);
  return stored;
}

std::optional<StoredRun> find_run(Connection& connection, const RunId& id, RunParts parts) {
  auto stored = parts.page ? find_with_page(connection, id, *parts.page)
                           : find_row(connection, id, parts.nodes ? Wanted::nodes : Wanted::run);
  if (!stored) return std::nullopt;
  if (parts.signals) {
    Rows row = connection.statement(sql::list_signals).rows(id);
    stored->signals = read_signals(row);
  }
  if (parts.events) stored->events = list_run_events(connection, id, 0, kAllEvents);
  if (parts.claims) count_claimed(connection, stored->run);
  return stored;
}

// Reads each source up to the page limit and merges them into the page.
std::vector<core::Run> list_runs(Connection& connection, const RunPage& page) {
  std::vector<StoredRun> rows;
  for (const RunSource& source : sources_of(page.query)) read_source(connection, page, source, rows);
  std::sort(rows.begin(), rows.end(), [&](const StoredRun& a, const StoredRun& b) {
    return page.newest_first ? b.run.facts.id < a.run.facts.id : a.run.facts.id < b.run.facts.id;
  });
  if (rows.size() > page.limit) rows.resize(page.limit);
  std::vector<core::Run> runs;
  for (StoredRun& row : rows) {
    if (row.misfit.empty()) read_tail(connection, row, Wanted::run);
    if (page.with_claims) count_claimed(connection, row.run);
    if (row.misfit.empty() || page.with_unreadable) runs.push_back(std::move(row.run));
  }
  // A page that is short because damaged rows were left out would look like the last one.
  if (rows.size() == page.limit && runs.size() < page.limit) {
    RunPage rest = page;
    rest.after = rows.back().run.facts.id;
    rest.limit = page.limit - runs.size();
    for (core::Run& run : list_runs(connection, rest)) runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<StoredEvent> list_run_events(Connection& connection, const RunId& run, std::int64_t after,
                                         std::size_t limit) {
  std::vector<StoredEvent> events;
  Rows row = connection.statement(sql::list_events).rows(run, after, limit);
  while (row.next()) events.push_back(read_event(row));
  return events;
}

DueRuns due_runs(Connection& connection, core::TimePoint now, std::size_t limit) {
  DueRuns due;
  const auto is_due = [&](core::TimePoint at, std::size_t count) {
    if (at <= now && count < limit) return true;
    due.next = std::min(due.next.value_or(at), at);
    return false;
  };
  Rows timer = connection.statement(sql::list_due_timers).rows(limit + 1);
  while (timer.next() && is_due(timer.time(), due.timers.size())) {
    const RunId run = read_run_id(timer);
    due.timers.push_back({.run_id = run, .node = read_key(timer)});
  }
  Rows deadline = connection.statement(sql::list_due_deadlines).rows(limit + 1);
  while (deadline.next() && is_due(deadline.time(), due.deadlines.size()))
    due.deadlines.push_back(read_run_id(deadline));
  return due;
}

std::vector<RunId> stuck_runs(Connection& connection, core::TimePoint silent_since, std::size_t limit) {
  std::vector<RunId> ids;
  Rows row = connection.statement(sql::list_stuck_runs).rows(silent_since, limit);
  while (row.next()) ids.push_back(read_run_id(row));
  return ids;
}

std::optional<core::TaskRun> find_task_run(Connection& connection, const core::TaskId& id) {
  Rows row = connection.statement(sql::find_run_task).rows(id);
  if (!row.next()) return std::nullopt;
  const RunId run = read_run_id(row);
  const core::NodeKey key = read_key(row);
  std::string node_id = row.string();
  return core::TaskRun{
      .run_id = run, .node = key, .node_id = std::move(node_id), .traceparent = row.string()};
}

}  // namespace pawl::store::sqlite
