#include <algorithm>
#include <limits>
#include <map>

#include "core/base/ensure.hpp"
#include "store/postgres/run_rows.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"
#include "store/run_tail.hpp"

namespace pawl::store::postgres {

namespace {

Params of_run(const core::RunId& id) {
  Params params;
  params.value(id);
  return params;
}

Params of_events(const core::RunId& id, std::int64_t after, std::int64_t limit) {
  Params params = of_run(id);
  params.value(after);
  params.value(limit);
  return params;
}

void send_claimed(Connection& connection, std::span<const core::RunId> ids) {
  Params params;
  params.column(ids, [](const core::RunId& id) { return id; });
  connection.send(sql::count_claimed, params);
}

void ask_for_parts(Connection& connection, const core::RunId& id, RunParts parts) {
  if (parts.signals) connection.send(sql::list_signals, of_run(id));
  if (parts.events)
    connection.send(sql::list_events, of_events(id, 0, std::numeric_limits<std::int32_t>::max()));
  if (parts.claims) send_claimed(connection, {&id, 1});
}

void read_parts(std::span<const Rows> answers, RunParts parts, StoredRun& stored) {
  auto next = answers.begin();
  if (parts.signals) stored.signals = read_signals(*next++);
  if (parts.events) stored.events = read_events(*next++);
  const bool has_claims = parts.claims && stored.run.counts.pending > 0 && next->count() == 1;
  if (has_claims) stored.run.claimed = next->int8(0, 1);
}

std::string_view list_of(const RunPage& page) {
  const core::RunQuery& query = page.query;
  const bool newest = page.newest_first;
  if (is_found_by_label(query))
    return newest ? sql::list_labeled_runs_newest_first : sql::list_labeled_runs_oldest_first;
  if (query.retrying)
    return newest ? sql::list_retrying_runs_newest_first : sql::list_retrying_runs_oldest_first;
  if (!query.states.empty())
    return newest ? sql::list_runs_of_states_newest_first : sql::list_runs_of_states_oldest_first;
  return newest ? sql::list_runs_newest_first : sql::list_runs_oldest_first;
}

void send_list(Connection& connection, const RunPage& page) {
  const core::RunQuery& query = page.query;
  using Text = std::optional<std::string>;
  Params params;
  params.value(query.ns);
  params.value(page.after);
  params.value(query.workflow);
  params.value(query.run_key);
  params.value(query.parent);
  params.value(query.label ? Text{query.label->first} : Text{});
  params.value(query.label ? Text{query.label->second} : Text{});
  params.value(query.created_after);
  params.value(query.created_before);
  params.value(static_cast<std::int64_t>(page.limit));
  const bool is_of_all = query.states.empty() && !query.retrying && !is_found_by_label(query);
  if (!is_of_all) {
    auto states = query.states;
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
    params.column(states, [](core::RunState state) { return core::to_string(state); });
  }
  connection.send(list_of(page), params);
}

}  // namespace

std::vector<std::optional<StoredRun>> PostgresStore::read_caught_up(Connection& connection,
                                                                    std::span<const core::RunId> ids,
                                                                    const Ask& ask_more,
                                                                    std::vector<Rows>& more) {
  std::vector<NodeRef> nodes;
  more = read(connection, [&](Connection& used) {
    ask_for_runs_with(used, ids, {});
    ask_more(used);
  });
  auto found = read_runs_with(more, ids, nodes);
  if (!found) {
    // The run may have another tail by now, so it is read again together with its nodes.
    nodes.clear();
    more = read_twice(
        connection, [&](Connection& used) { ask_for_runs_with(used, ids, {}); },
        [&](Connection& used, std::span<const Rows> answers) {
          (void)read_runs_with(answers, ids, nodes);
          used.send(sql::find_node, params_of(nodes));
          ask_more(used);
        });
    more.erase(more.begin() + kRunsAnswers - 1);  // from before the nodes were known
    found = read_runs_with(more, ids, nodes);
  }
  PAWL_ENSURE(found.has_value(), "a snapshot has the nodes of its tails");
  more.erase(more.begin(), more.begin() + kRunsAnswers);
  return std::move(*found);
}

std::vector<std::optional<StoredRun>> PostgresStore::read_with_nodes(Connection& connection,
                                                                     std::span<const core::RunId> ids,
                                                                     const Ask& ask_more,
                                                                     std::vector<Rows>& more) {
  more = read(connection, [&](Connection& used) {
    ask_for_runs(used, ids);
    ask_more(used);
  });
  auto found = read_runs(more, ids.size());
  PAWL_ENSURE(found.has_value(), "reads of one snapshot see one row");
  more.erase(more.begin(), more.begin() + kRunsAnswers);
  return std::move(*found);
}

std::vector<std::optional<StoredRun>> PostgresStore::read_with_pages(Connection& connection,
                                                                     std::span<const PeekRun> peeks,
                                                                     const Ask& ask_more,
                                                                     std::vector<Rows>& more) {
  std::vector<NodeRef> nodes;
  more = read(connection, [&](Connection& used) {
    ask_for_pages(used, peeks, {});
    ask_more(used);
  });
  auto found = read_pages(more, peeks, nodes);
  if (!found) {
    nodes.clear();
    more = read_twice(
        connection, [&](Connection& used) { ask_for_pages(used, peeks, {}); },
        [&](Connection& used, std::span<const Rows> answers) {
          (void)read_pages(answers, peeks, nodes);
          used.send(sql::find_node, params_of(nodes));
          ask_more(used);
        });
    more.erase(more.begin() + kPagesAnswers - 1);
    found = read_pages(more, peeks, nodes);
  }
  PAWL_ENSURE(found.has_value(), "a snapshot has the nodes of its tails");
  more.erase(more.begin(), more.begin() + kPagesAnswers);
  return std::move(*found);
}

std::optional<StoredRun> PostgresStore::find_run(const core::RunId& id, RunParts parts) {
  const Pool::Loan connection = readers_.borrow();
  const auto ask_more = [&](Connection& used) { ask_for_parts(used, id, parts); };
  std::vector<Rows> more;
  const auto read_parted = [&] {
    if (parts.page) {
      const PeekRun peek{.id = id, .page = *parts.page};
      return read_with_pages(*connection, {&peek, 1}, ask_more, more);
    }
    return parts.nodes ? read_with_nodes(*connection, {&id, 1}, ask_more, more)
                       : read_caught_up(*connection, {&id, 1}, ask_more, more);
  };
  auto found = read_parted();
  if (!found.front()) return std::nullopt;
  read_parts(more, parts, *found.front());
  return std::move(found.front());
}

std::vector<core::Run> PostgresStore::list_runs(const RunPage& page) {
  const Pool::Loan connection = readers_.borrow();
  return list_runs(*connection, page);
}

std::vector<core::Run> PostgresStore::list_runs(Connection& connection, const RunPage& page) {
  const auto answers = read(connection, [&](Connection& used) { send_list(used, page); });
  std::vector<core::Run> runs;
  core::RunId last;
  for (int row = 0; row < answers.front().count(); ++row) {
    StoredRun stored = read_run(answers.front(), row);
    last = stored.run.facts.id;
    if (stored.misfit.empty() || page.with_unreadable) runs.push_back(std::move(stored.run));
  }
  catch_up_with_logs(connection, runs);
  if (page.with_claims) count_claimed(connection, runs);
  // A page that is short because damaged rows were left out would look like the last one.
  const bool is_full = static_cast<std::size_t>(answers.front().count()) == page.limit;
  if (is_full && runs.size() < page.limit) {
    RunPage rest = page;
    rest.after = last;
    rest.limit = page.limit - runs.size();
    for (core::Run& run : list_runs(connection, rest)) runs.push_back(std::move(run));
  }
  return runs;
}

// A moment later, like catch_up_with_logs.
void PostgresStore::count_claimed(Connection& connection, std::vector<core::Run>& runs) {
  std::vector<core::RunId> ids;
  for (const core::Run& run : runs) {
    if (run.counts.pending > 0) ids.push_back(run.facts.id);
  }
  if (ids.empty()) return;
  const auto answers = read(connection, [&](Connection& used) { send_claimed(used, ids); });
  std::map<core::RunId, std::int64_t> claimed;
  for (int row = 0; row < answers.front().count(); ++row)
    claimed[read_run_id(answers.front(), row, 0)] = answers.front().int8(row, 1);
  for (core::Run& run : runs) {
    if (const auto found = claimed.find(run.facts.id); found != claimed.end()) run.claimed = found->second;
  }
}

// A moment later: a run that no longer belongs to the page keeps its old state.
void PostgresStore::catch_up_with_logs(Connection& connection, std::vector<core::Run>& runs) {
  std::vector<core::RunId> ids;
  for (const core::Run& run : runs) {
    if (may_have_tail(run)) ids.push_back(run.facts.id);
  }
  if (ids.empty()) return;
  std::vector<Rows> none;
  auto found = read_caught_up(
      connection, ids, [](Connection&) {}, none);
  std::size_t next = 0;
  for (core::Run& run : runs) {
    if (!may_have_tail(run)) continue;
    auto& now = found[next++];
    if (now && may_have_tail(now->run)) run = std::move(now->run);
  }
}

std::vector<StoredEvent> PostgresStore::list_run_events(const core::RunId& run, std::int64_t after,
                                                        std::size_t limit) {
  const Pool::Loan connection = readers_.borrow();
  const auto answers = read(*connection, [&](Connection& used) {
    used.send(sql::list_events, of_events(run, after, static_cast<std::int64_t>(limit)));
  });
  return read_events(answers.front());
}

DueRuns PostgresStore::due_runs(std::size_t limit) {
  const Pool::Loan connection = readers_.borrow();
  const core::TimePoint time = now(*connection);
  const auto answers = read(*connection, [&](Connection& used) {
    Params params;
    params.value(static_cast<std::int64_t>(limit) + 1);  // one more, for the next due time
    used.send(sql::list_due_timers, params);
    used.send(sql::list_due_deadlines, params);
  });
  DueRuns due;
  const auto take_due = [&](const Rows& rows, auto& into, auto read_one) {
    for (int row = 0; row < rows.count(); ++row) {
      const core::TimePoint at = rows.time(row, 0);
      if (at > time || into.size() == limit) {
        due.next = std::min(due.next.value_or(at), at);
        return;
      }
      into.push_back(read_one(rows, row));
    }
  };
  take_due(answers[0], due.timers, [](const Rows& rows, int row) {
    return core::TimerRef{.run_id = read_run_id(rows, row, 1), .node = read_key(rows, row, 2)};
  });
  take_due(answers[1], due.deadlines, [](const Rows& rows, int row) { return read_run_id(rows, row, 1); });
  return due;
}

std::vector<core::RunId> PostgresStore::stuck_runs(core::Duration silence, std::size_t limit) {
  const Pool::Loan connection = readers_.borrow();
  const core::TimePoint time = now(*connection);
  const auto answers = read(*connection, [&](Connection& used) {
    Params params;
    params.value(time - silence);
    params.value(static_cast<std::int64_t>(limit));
    used.send(sql::list_stuck_runs, params);
  });
  std::vector<core::RunId> ids;
  for (int row = 0; row < answers.front().count(); ++row) ids.push_back(read_run_id(answers.front(), row, 0));
  return ids;
}

}  // namespace pawl::store::postgres
