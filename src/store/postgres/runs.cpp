#include <algorithm>
#include <limits>

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

void ask_for_run(Connection& connection, const core::RunId& id, RunParts parts, bool with_nodes) {
  Params ids;
  ids.column(std::vector{id}, [](const core::RunId& one) { return one; });
  connection.send(sql::find_run, of_run(id));
  connection.send(sql::list_tails, ids);
  if (with_nodes) connection.send(sql::list_nodes, of_run(id));
  if (parts.signals) connection.send(sql::list_signals, of_run(id));
  if (parts.events)
    connection.send(sql::list_events, of_events(id, 0, std::numeric_limits<std::int32_t>::max()));
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
  if (query.states.empty() && !query.retrying) {
    connection.send(page.newest_first ? sql::list_runs_newest_first : sql::list_runs_oldest_first, params);
    return;
  }
  auto states = query.states;
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  params.column(states, [](core::RunState state) { return core::to_string(state); });
  if (query.retrying) {
    connection.send(
        page.newest_first ? sql::list_retrying_runs_newest_first : sql::list_retrying_runs_oldest_first,
        params);
    return;
  }
  connection.send(
      page.newest_first ? sql::list_runs_of_states_newest_first : sql::list_runs_of_states_oldest_first,
      params);
}

}  // namespace

std::optional<StoredRun> PostgresStore::find_run(const core::RunId& id, RunParts parts) {
  const Pool::Loan connection = readers_.borrow();
  const auto ask = [&](bool with_nodes) {
    return read(*connection, [&](Connection& used) { ask_for_run(used, id, parts, with_nodes); });
  };
  bool with_nodes = parts.nodes;
  auto answers = ask(with_nodes);
  const bool is_bare = answers.front().count() > 0 && read_run(answers.front(), 0).row.is_bare;
  if (!with_nodes && !is_bare && !read_tails(answers[1], 1).front().events.empty()) {
    with_nodes = true;  // the events that its row lags behind are about them
    answers = ask(with_nodes);
  }
  if (answers.front().count() == 0) return std::nullopt;
  StoredRun stored = read_run(answers.front(), 0);
  std::size_t next = 2;
  if (with_nodes) stored.nodes = read_nodes(answers[next++]);
  catch_up(stored, read_tails(answers[1], 1).front().events);
  if (!parts.nodes) stored.nodes.clear();
  if (parts.signals) stored.signals = read_signals(answers[next++]);
  if (parts.events) stored.events = read_events(answers[next]);
  return stored;
}

std::vector<core::Run> PostgresStore::list_runs(const RunPage& page) {
  const Pool::Loan connection = readers_.borrow();
  const auto answers = read(*connection, [&](Connection& used) { send_list(used, page); });
  std::vector<core::Run> runs;
  for (int row = 0; row < answers.front().count(); ++row) runs.push_back(read_run(answers.front(), row).run);
  catch_up_with_logs(*connection, runs);
  return runs;
}

// A moment later: what is none of the page's any more stays as it was.
void PostgresStore::catch_up_with_logs(Connection& connection, std::vector<core::Run>& runs) {
  std::vector<core::RunId> ids;
  for (const core::Run& run : runs) {
    if (may_have_tail(run)) ids.push_back(run.facts.id);
  }
  if (ids.empty()) return;
  const auto answers = read(connection, [&](Connection& used) { ask_for_runs(used, ids); });
  auto found = read_runs(answers, ids.size());
  if (!found) return;
  std::size_t next = 0;
  for (core::Run& run : runs) {
    if (!may_have_tail(run)) continue;
    auto& now = (*found)[next++];
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
    params.value(static_cast<std::int64_t>(limit) + 1);  // the one after those says when to look again
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
