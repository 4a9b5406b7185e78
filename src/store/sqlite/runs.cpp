#include "store/sqlite/runs.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/run/run_transitions.hpp"
#include "store/codec.hpp"
#include "store/run_codec.hpp"
#include "store/run_tail.hpp"
#include "store/sqlite/bulk_insert.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/transaction.hpp"

namespace pawl::store::sqlite {

namespace {

using core::RunId;

constexpr std::size_t kAllEvents = std::numeric_limits<std::int32_t>::max();

RunId read_run_id(Rows& row) { return RunId{row.task_id()}; }

core::NodeKey read_key(Rows& row) {
  const auto index = static_cast<core::NodeIndex>(row.int64());
  return {.index = index, .item = row.int32()};
}

StoredRun read_run(Rows& row) {
  StoredRun stored;
  RunTexts texts;
  texts.facts = row.text();
  texts.state = row.text();
  const std::int64_t sequence = row.int64();
  const core::TimePoint updated_at = row.time();
  stored.hash = row.string();
  texts.standing = row.text();
  decode_run(texts, stored);
  stored.run.sequence = sequence;
  stored.run.updated_at = updated_at;
  stored.run.output = row.json();
  stored.row = core::mark_of(stored.run);
  stored.row.is_bare = row.boolean();
  if (const RunId id = read_run_id(row); !stored.misfit.empty()) stored.run.facts.id = id;
  return stored;
}

// Sets `misfit` to the reason if the node cannot be read and `misfit` is still empty.
core::Node read_node(Rows& row, std::string& misfit) {
  core::Node node{.key = read_key(row)};
  std::string why = decode_node_state(row.text(), node.state);
  node.timer_at = row.optional_time();
  if (const std::string body = decode_node(row.text(), node); why.empty()) why = body;
  node.output = row.json();
  if (!why.empty() && misfit.empty())
    misfit = fmt::format("node {}[{}]: {}", node.key.index, node.key.item, why);
  return node;
}

core::Node read_node(Rows& row) {
  std::string why;
  core::Node node = read_node(row, why);
  if (!why.empty()) refuse_node(node.key, why);
  return node;
}

std::vector<core::Node> read_nodes(Rows& row) {
  std::vector<core::Node> nodes;
  while (row.next()) nodes.push_back(read_node(row));
  return nodes;
}

std::optional<core::Node> find_node_row(Connection& connection, const NodeRef& ref) {
  Rows row = connection.statement(sql::find_node).rows(ref.run, std::int64_t{ref.key.index}, ref.key.item);
  if (!row.next()) return std::nullopt;
  return read_node(row);
}

// Stops after the page, without reading the bytes beyond it.
core::NodeSlice read_slice(Rows& row, const core::NodePage& page, std::string& misfit) {
  core::NodeSlice slice;
  std::size_t bytes = 0;
  while (row.next()) {
    core::Node node = read_node(row, misfit);
    bytes += node.output.text.size();
    const bool fits = slice.nodes.size() < page.nodes && (slice.nodes.empty() || bytes <= page.bytes);
    if (!fits) {
      slice.next = node.key;
      break;
    }
    slice.nodes.push_back(std::move(node));
  }
  return slice;
}

std::vector<core::Signal> read_signals(Rows& row) {
  std::vector<core::Signal> signals;
  while (row.next()) {
    core::Signal& signal = signals.emplace_back();
    signal.sequence = row.int64();
    signal.name = row.string();
    signal.idempotency_key = row.optional_string();
    const auto node = row.optional_int64();
    const auto item = row.optional_int64();
    if (node) {
      signal.consumed_by = {.index = static_cast<core::NodeIndex>(*node),
                            .item = static_cast<std::int32_t>(item.value_or(core::kNoItem))};
    }
    signal.payload = row.json();
  }
  return signals;
}

// An event of an unknown type counts as unreadable. Its type keeps the default; the hash shows the damage.
StoredEvent read_event(Rows& row) {
  StoredEvent stored;
  stored.event.sequence = row.int64();
  const auto type = core::run_event_type_from(row.text());
  if (type) stored.event.type = *type;
  stored.event.at = row.time();
  stored.event.caused_by = row.optional_int64();
  stored.event.actor = {.type = row.string(), .id = row.string()};
  stored.event.trace_id = row.string();
  stored.event.span_id = row.string();
  stored.hash = row.string();
  stored.payload = row.json();
  decode_payload(stored);
  stored.is_readable = stored.is_readable && type;
  return stored;
}

std::optional<core::TimePoint> deadline_of(const core::Run& run) {
  return core::may_move(run.state, core::RunState::failing) ? run.deadline_at : std::nullopt;
}

[[noreturn]] void lost_race(const char* what) { throw StoreError{StoreError::Kind::retry, what}; }

void insert_run(Connection& connection, const RunWrite& write) {
  const core::Run& run = *write.run;
  const core::RunFacts& facts = run.facts;
  std::optional<core::Uuid> parent;
  if (facts.parent) parent = facts.parent->run_id;
  connection.statement(sql::insert_run)
      .run(facts.id, facts.ns, facts.workflow, facts.run_key, parent, run.created_at,
           Copied{encode_labels(facts.labels)}, encode_run_facts(facts));
  for (const auto& [name, value] : facts.labels)
    connection.statement(sql::insert_run_label).run(facts.ns, name, value, facts.id);
  connection.statement(sql::insert_run_state)
      .run(facts.id, core::to_string(run.state), run.sequence, run.updated_at, deadline_of(run),
           core::is_retrying(run), write.events.back().hash, encode_run_standing(run), run.output,
           write.is_bare);
}

void update_run(Connection& connection, const RunWrite& write) {
  const core::Run& run = *write.run;
  const std::string standing = encode_run_standing(run);
  const std::string& hash = write.events.back().hash;
  const int advanced = core::is_closed(run.state)
                           ? 0
                           : connection.statement(sql::advance_run_state)
                                 .run(run.sequence, run.updated_at, hash, standing, run.output, write.is_bare,
                                      run.facts.id, write.row_sequence, core::to_string(run.state),
                                      deadline_of(run), core::is_retrying(run));
  if (advanced == 1) return;
  const int changed = connection.statement(sql::update_run_state)
                          .run(core::to_string(run.state), run.sequence, run.updated_at, deadline_of(run),
                               core::is_retrying(run), hash, standing, run.output, write.is_bare,
                               run.facts.id, write.row_sequence);
  if (changed != 1) lost_race("a run changed since it was loaded");
}

// A part of a run, with the id of the run.
template <typename Part>
struct PartOfRun {
  RunId run;
  const Part* part;
};
using NodeOfRun = PartOfRun<core::Node>;
using EventOfRun = PartOfRun<RunWrite::Event>;

template <typename Part>
std::vector<const Part*> pointers_to(const std::vector<Part>& parts) {
  std::vector<const Part*> pointers;
  pointers.reserve(parts.size());
  for (const Part& part : parts) pointers.push_back(&part);
  return pointers;
}

// For all runs together: starting a statement costs as much as writing a row.
void write_nodes(Connection& connection, const std::vector<RunWrite>& writes) {
  std::vector<NodeOfRun> nodes;
  for (const RunWrite& write : writes) {
    if (write.lags || write.is_bare) continue;
    for (const core::Node* node : write.nodes) nodes.push_back({write.run->facts.id, node});
  }
  insert_rows<NodeOfRun>(
      connection, sql::put_node, pointers_to(nodes), [](Statement& into, const NodeOfRun& one) {
        const core::Node& node = *one.part;
        into.add_row(one.run, std::int64_t{node.key.index}, node.key.item, core::to_string(node.state),
                     node.timer_at, Copied{encode_node(node)}, node.output);
      });
}

void write_events(Connection& connection, const std::vector<RunWrite>& writes) {
  std::vector<EventOfRun> events;
  for (const RunWrite& write : writes)
    for (const RunWrite::Event& event : write.events) events.push_back({write.run->facts.id, &event});
  const std::size_t inserted = insert_rows<EventOfRun>(
      connection, sql::insert_event, pointers_to(events), [](Statement& into, const EventOfRun& one) {
        const core::RunEvent& event = *one.part->event;
        into.add_row(one.run, event.sequence, core::to_string(event.type), event.at, event.caused_by,
                     event.actor.type, event.actor.id, event.trace_id, event.span_id, one.part->hash,
                     one.part->payload);
      });
  if (inserted != events.size()) lost_race("a run has changed since it was loaded");
}

void write_signals(Connection& connection, const RunWrite& write) {
  for (const core::Signal* signal : write.signals) {
    std::optional<std::int64_t> node;
    std::optional<std::int64_t> item;
    if (signal->consumed_by) {
      node = signal->consumed_by->index;
      item = signal->consumed_by->item;
    }
    connection.statement(sql::put_signal)
        .run(write.run->facts.id, signal->sequence, signal->name, signal->idempotency_key, node, item,
             signal->payload);
  }
}

void write_key(Connection& connection, const RunKeyWrite& write) {
  const RunKeyRef& ref = write.ref;
  const int changed =
      write.instead_of
          ? connection.statement(sql::update_run_key)
                .run(write.run, ref.ns, ref.workflow, ref.key, *write.instead_of)
          : connection.statement(sql::insert_run_key).run(ref.ns, ref.workflow, ref.key, write.run);
  if (changed != 1) lost_race("another group has inserted the run key");
}

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

enum class Wanted : std::uint8_t { run, ahead, nodes };  // `ahead`: only nodes whose rows lag

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

void count_claimed(Connection& connection, core::Run& run) {
  if (run.counts.pending == 0) return;
  Rows row = connection.statement(sql::count_claimed).rows(run.facts.id);
  if (row.next()) run.claimed = row.int64();
}

}  // namespace

void write_runs(Connection& connection, const WriteSet& writes) {
  for (const RunAt& seen : writes.runs_seen) {
    Rows row = connection.statement(sql::last_sequence).rows(seen.run);
    if (!row.next() || row.int64() != seen.sequence) lost_race("a run has changed since it was cached");
  }
  for (const RunWrite& write : writes.runs) {
    if (write.lags) continue;
    write.sequence_before == 0 ? insert_run(connection, write) : update_run(connection, write);
    write_signals(connection, write);
  }
  write_nodes(connection, writes.runs);
  write_events(connection, writes.runs);
  for (const RunKeyWrite& write : writes.run_keys) write_key(connection, write);
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
