#include <algorithm>

#include "core/run/run_transitions.hpp"
#include "store/codec.hpp"
#include "store/postgres/monotonic.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/transaction.hpp"
#include "store/run_codec.hpp"

namespace pawl::store::postgres {

namespace {

using RunEntry = const RunWrite*;
using RunWrites = std::vector<RunEntry>;

const core::Run& run(RunEntry write) { return *write->run; }
const core::RunFacts& run_facts(RunEntry write) { return write->run->facts; }

// A part of a run, with the id of the run.
template <typename Part>
struct Of {
  core::RunId run;
  const Part* part;
};

void send_facts(Connection& connection, const RunWrites& writes) {
  Params params;
  params.column(writes, [](RunEntry write) { return run_facts(write).id; });
  params.column(writes, [](RunEntry write) { return std::string_view{run_facts(write).ns}; });
  params.column(writes, [](RunEntry write) { return std::string_view{run_facts(write).workflow}; });
  params.column(writes, [](RunEntry write) { return run_facts(write).run_key; });
  params.column(writes, [](RunEntry write) {
    const auto& parent = run_facts(write).parent;
    return parent ? std::optional{parent->run_id} : std::nullopt;
  });
  params.column(writes, [](RunEntry write) { return run(write).created_at; });
  params.column(writes, [](RunEntry write) { return encode_labels(run_facts(write).labels); });
  params.column(writes, [](RunEntry write) { return encode_run_facts(run_facts(write)); });
  connection.send(sql::insert_run, params);
}

void send_labels(Connection& connection, const RunWrites& created) {
  struct Label {
    const core::RunFacts* run;
    const core::Labels::value_type* label;
  };
  std::vector<Label> labels;
  for (RunEntry write : created) {
    for (const auto& label : run_facts(write).labels) labels.push_back({&run_facts(write), &label});
  }
  if (labels.empty()) return;
  Params params;
  params.column(labels, [](const Label& one) { return std::string_view{one.run->ns}; });
  params.column(labels, [](const Label& one) { return std::string_view{one.label->first}; });
  params.column(labels, [](const Label& one) { return std::string_view{one.label->second}; });
  params.column(labels, [](const Label& one) { return one.run->id; });
  connection.send(sql::insert_run_label, params);
}

Params states_of(const RunWrites& writes) {
  Params params;
  params.column(writes, [](RunEntry write) { return run_facts(write).id; });
  params.column(writes, [](RunEntry write) { return core::to_string(run(write).state); });
  params.column(writes, [](RunEntry write) { return run(write).sequence; });
  params.column(writes, [](RunEntry write) { return run(write).updated_at; });
  params.column(writes, [](RunEntry write) {
    const bool can_be_missed = core::may_move(run(write).state, core::RunState::failing);
    return can_be_missed ? run(write).deadline_at : std::nullopt;
  });
  params.column(writes, [](RunEntry write) { return std::string_view{write->events.back().hash}; });
  params.column(writes, [](RunEntry write) { return encode_run_standing(run(write)); });
  params.column(writes, [](RunEntry write) { return text_or_null(run(write).output.text); });
  params.column(writes, [](RunEntry write) { return core::is_retrying(run(write)); });
  params.column(writes, [](RunEntry write) { return write->may_omit.nodes; });
  return params;
}

void send_states(Connection& connection, const RunWrites& created, const RunWrites& changed) {
  if (!created.empty()) {
    send_facts(connection, created);
    send_labels(connection, created);
    connection.send(sql::insert_run_state, states_of(created));
  }
  if (changed.empty()) return;
  Params params = states_of(changed);
  params.column(changed, [](RunEntry write) { return write->row_sequence; });
  params.value(static_cast<std::int64_t>(changed.size()));
  connection.send(sql::update_run_state, params);
}

void send_nodes(Connection& connection, const RunWrites& writes) {
  using One = Of<core::Node>;
  std::vector<One> rows;
  for (RunEntry write : writes) {
    if (write->may_omit.nodes) continue;
    for (const core::Node* node : write->nodes) rows.push_back({run_facts(write).id, node});
  }
  if (rows.empty()) return;
  Params params;
  params.column(rows, [](const One& row) { return row.run; });
  params.column(rows, [](const One& row) { return static_cast<std::int32_t>(row.part->key.index); });
  params.column(rows, [](const One& row) { return row.part->key.item; });
  params.column(rows, [](const One& row) { return core::to_string(row.part->state); });
  params.column(rows, [](const One& row) { return row.part->timer_at; });
  params.column(rows, [](const One& row) { return encode_node(*row.part); });
  params.column(rows, [](const One& row) { return text_or_null(row.part->output.text); });
  connection.send(sql::put_node, params);
}

void send_signals(Connection& connection, const RunWrites& writes) {
  using One = Of<core::Signal>;
  std::vector<One> rows;
  for (RunEntry write : writes) {
    for (const core::Signal* signal : write->signals) rows.push_back({run_facts(write).id, signal});
  }
  if (rows.empty()) return;
  const auto consumed = [](const One& row, auto member_of) {
    const auto& by = row.part->consumed_by;
    return by ? std::optional{member_of(*by)} : std::nullopt;
  };
  Params params;
  params.column(rows, [](const One& row) { return row.run; });
  params.column(rows, [](const One& row) { return row.part->sequence; });
  params.column(rows, [](const One& row) { return std::string_view{row.part->name}; });
  params.column(rows, [](const One& row) { return row.part->idempotency_key; });
  params.column(rows, [&](const One& row) {
    return consumed(row, [](const core::NodeKey& key) { return static_cast<std::int32_t>(key.index); });
  });
  params.column(
      rows, [&](const One& row) { return consumed(row, [](const core::NodeKey& key) { return key.item; }); });
  params.column(rows, [](const One& row) { return text_or_null(row.part->payload.text); });
  connection.send(sql::put_signal, params);
}

using EventOfRun = Of<RunWrite::Event>;

std::vector<EventOfRun> events_of_runs(const WriteSet& writes) {
  std::vector<EventOfRun> rows;
  for (const RunWrite& write : writes.runs)
    for (const RunWrite::Event& event : write.events) rows.push_back({run_facts(&write).id, &event});
  return rows;
}

Params params_of(const std::vector<EventOfRun>& rows) {
  using One = EventOfRun;
  Params params;
  params.column(rows, [](const One& row) { return row.run; });
  params.column(rows, [](const One& row) { return row.part->event->sequence; });
  params.column(rows, [](const One& row) { return core::to_string(row.part->event->type); });
  params.column(rows, [](const One& row) { return row.part->event->at; });
  params.column(rows, [](const One& row) { return row.part->event->caused_by; });
  params.column(rows, [](const One& row) { return std::string_view{row.part->event->actor.type}; });
  params.column(rows, [](const One& row) { return std::string_view{row.part->event->actor.id}; });
  params.column(rows, [](const One& row) { return std::string_view{row.part->event->trace_id}; });
  params.column(rows, [](const One& row) { return std::string_view{row.part->event->span_id}; });
  params.column(rows, [](const One& row) { return std::string_view{row.part->hash}; });
  params.column(rows, [](const One& row) { return std::string_view{row.part->payload.text}; });
  return params;
}

// A single event is inserted or not, so there is nothing to compare first.
void send_append(Connection& connection, const WriteSet& writes) {
  const auto rows = events_of_runs(writes);
  if (rows.size() == 1) return connection.send(sql::append_event, params_of(rows));
  std::vector<EventOfRun> firsts;
  for (const RunWrite& write : writes.runs) firsts.push_back({run_facts(&write).id, &write.events.front()});
  Params params = params_of(rows);
  params.column(firsts, [](const EventOfRun& row) { return row.run; });
  params.column(firsts, [](const EventOfRun& row) { return row.part->event->sequence; });
  params.value(static_cast<std::int64_t>(rows.size()));
  connection.send(sql::append_events, params);
}

void send_events(Connection& connection, const WriteSet& writes) {
  connection.send(sql::insert_event, params_of(events_of_runs(writes)));
}

Params keys_of(const std::vector<const RunKeyWrite*>& writes) {
  Params params;
  params.column(writes, [](const RunKeyWrite* write) { return std::string_view{write->ref.ns}; });
  params.column(writes, [](const RunKeyWrite* write) { return std::string_view{write->ref.workflow}; });
  params.column(writes, [](const RunKeyWrite* write) { return std::string_view{write->ref.key}; });
  params.column(writes, [](const RunKeyWrite* write) { return write->run; });
  return params;
}

void send_keys(Connection& connection, const std::vector<RunKeyWrite>& writes) {
  std::vector<const RunKeyWrite*> given;
  std::vector<const RunKeyWrite*> moved;
  for (const RunKeyWrite& write : writes) (write.instead_of ? moved : given).push_back(&write);
  if (!given.empty()) connection.send(sql::insert_run_key, keys_of(given));
  if (moved.empty()) return;
  Params params = keys_of(moved);
  params.column(moved, [](const RunKeyWrite* write) { return *write->instead_of; });
  params.value(static_cast<std::int64_t>(moved.size()));
  connection.send(sql::update_run_key, params);
}

}  // namespace

void PostgresTransaction::send_runs_seen(const std::vector<RunAt>& seen) {
  if (seen.empty()) return;
  Params params;
  params.column(seen, [](const RunAt& one) { return one.run; });
  params.column(seen, [](const RunAt& one) { return one.sequence; });
  params.value(static_cast<std::int64_t>(seen.size()));
  connection_->send(sql::last_sequence, params);
}

bool PostgresTransaction::appends_alone(const WriteSet& writes) {
  const auto lags = [](const RunWrite& write) { return write.may_omit.row; };
  return !writes.runs.empty() && std::all_of(writes.runs.begin(), writes.runs.end(), lags) &&
         writes.tasks.empty() && writes.lines.empty() && writes.turns.empty() && writes.counts.empty() &&
         writes.queues.empty() && writes.records.empty() && writes.checkpoints.empty() &&
         writes.audit.empty() && writes.run_keys.empty() && writes.erased_tasks.empty() &&
         writes.erased_runs.empty() && !writes.audit_erased_to;
}

void PostgresTransaction::append_events_first(const WriteSet& writes) {
  send_append(*connection_, writes);
  if (!has_appended(connection_->run_or_throw().back())) lost_run_race();
}

bool PostgresTransaction::has_appended(const Rows& answer) {
  return answer.count() > 0 && answer.int8(0, 0) > 0;
}

void PostgresTransaction::lost_run_race() {
  shared_.run_races.note(monotonic_now());
  throw StoreError{StoreError::Kind::retry, "another node has written to a run since it was read"};
}

void PostgresTransaction::send_runs(const WriteSet& writes, Events events) {
  if (writes.runs.empty()) return;
  RunWrites whole;
  RunWrites created;
  RunWrites changed;
  for (const RunWrite& write : writes.runs) {
    if (write.may_omit.row) continue;
    whole.push_back(&write);
    (write.sequence_before == 0 ? created : changed).push_back(&write);
  }
  send_states(*connection_, created, changed);
  send_nodes(*connection_, whole);
  send_signals(*connection_, whole);
  if (events == Events::all_or_error) send_events(*connection_, writes);
  if (events == Events::may_be_none) send_append(*connection_, writes);
  send_keys(*connection_, writes.run_keys);
}

}  // namespace pawl::store::postgres
