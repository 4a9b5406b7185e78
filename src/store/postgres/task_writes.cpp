#include "store/postgres/task_writes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/ensure.hpp"
#include "store/codec.hpp"
#include "store/postgres/sql.hpp"
#include "store/run_codec.hpp"

namespace pawl::store::postgres {

namespace {

using core::Lease;
using core::Place;
using core::TaskEnd;
using core::TaskFacts;
using core::TimePoint;

using Write = const TaskWrite*;
using Writes = std::vector<Write>;

constexpr std::size_t kPlaceCount = 6;

// The writes, grouped by operation and sorted by id: all groups lock rows in the same order, and indexes are
// filled from left to right.
struct Moves {
  Writes created;
  Writes created_plain;  // with no facts but a payload
  Writes new_ready;      // never claimed, available from now on, in lanes that are not fair
  Writes fair_ready;     // in fair lanes
  Writes first_leased;   // claimed for the first time now, without key and timeout
  Writes completed;      // by the first claim
  Writes renewed;        // leased before and after
  std::array<Writes, kPlaceCount> leaving;
  std::array<Writes, kPlaceCount> entering;
  Writes with_attempts;
  Writes with_boundaries;

  Moves(std::span<const TaskWrite> tasks, GroupTimes times) {
    for (const TaskWrite& write : tasks) add(write, times);
    for (Writes* list :
         {&created, &created_plain, &new_ready, &fair_ready, &first_leased, &completed, &renewed})
      sort(*list);
    for (Writes& list : leaving) sort(list);
    for (Writes& list : entering) sort(list);
  }

 private:
  void add(const TaskWrite& write, GroupTimes times) {
    const TimePoint now = times.now;
    const Place to = write.record->place;
    PAWL_ENSURE(to != Place::nowhere, "every task that is written stands somewhere");
    if (write.is_new) (is_plain(write, now) ? created_plain : created).push_back(&write);
    if (!write.attempts.empty()) with_attempts.push_back(&write);
    if (!write.error_boundaries.empty()) with_boundaries.push_back(&write);
    if (write.from == Place::leased && to == Place::leased) {
      renewed.push_back(&write);
      return;
    }
    if (write.from != Place::nowhere) leaving[static_cast<std::size_t>(write.from)].push_back(&write);
    if (to == Place::ready && write.record->lane->fair) {
      PAWL_ENSURE(write.record->turn.has_value(), "a ready task of a fair lane needs a turn");
      fair_ready.push_back(&write);
    } else if (is_new_ready(write, now)) {
      new_ready.push_back(&write);
    } else if (is_first_completion(write, now)) {
      completed.push_back(&write);
    } else if (is_first_lease(write, times.claims_at)) {
      first_leased.push_back(&write);
    } else {
      entering[static_cast<std::size_t>(to)].push_back(&write);
    }
  }

  static bool is_plain(const TaskWrite& write, TimePoint now) {
    static const core::RetryPolicy standard_retry;
    const TaskFacts& asked = write.record->facts;
    return !asked.key && !asked.idempotency_key && !asked.timeout && asked.labels.empty() &&
           asked.created_at == now && asked.retry == standard_retry && !asked.trace;
  }

  static bool is_new_ready(const TaskWrite& write, TimePoint now) {
    const core::TaskRecord& record = *write.record;
    return record.place == Place::ready && record.available_at == now && record.progress == core::Progress{};
  }

  static bool is_first_lease(const TaskWrite& write, TimePoint claims_at) {
    const core::TaskRecord& record = *write.record;
    if (record.place != Place::leased || record.facts.key) return false;
    const Lease fresh{.worker_id = record.lease->worker_id,
                      .acquired_at = claims_at,
                      .expires_at = record.lease->expires_at};
    return record.progress == core::Progress{.attempt = 1, .fence = 1, .budget_from = 0} &&
           *record.lease == fresh;
  }

  static bool is_first_completion(const TaskWrite& write, TimePoint now) {
    const core::TaskRecord& record = *write.record;
    return record.status == core::TaskStatus::completed &&
           record.progress == core::Progress{.attempt = 1, .fence = 1, .budget_from = 0} &&
           record.end->fence == 1 && record.end->finished_at == now && !record.end->error;
  }

  static void sort(Writes& list) {
    const auto by_id = [](Write a, Write b) { return a->record->id < b->record->id; };
    if (!std::is_sorted(list.begin(), list.end(), by_id)) std::sort(list.begin(), list.end(), by_id);
  }
};

std::optional<std::string_view> view_of(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>{*text} : std::nullopt;
}

std::optional<std::int64_t> micros_of(const std::optional<core::Duration>& duration) {
  return duration ? std::optional{static_cast<std::int64_t>(duration->count())} : std::nullopt;
}

std::optional<std::string> error_of(const std::optional<core::TaskError>& error) {
  return error ? std::optional{encode_error(*error)} : std::nullopt;
}

const TaskFacts& facts(Write write) { return write->record->facts; }
const Lease& lease(Write write) { return *write->record->lease; }
const TaskEnd& end(Write write) { return *write->record->end; }
core::TaskId id(Write write) { return write->record->id; }
std::int32_t lane_id(Write write) { return write->record->lane->id; }
std::optional<core::RunId> run_id(Write write) {
  return facts(write).run ? std::optional{facts(write).run->run_id} : std::nullopt;
}

void send_created(Connection& connection, const Writes& writes) {
  if (writes.empty()) return;
  Params params;
  params.column(writes, id);
  params.column(writes, lane_id);
  params.column(writes, [](Write write) { return facts(write).created_at; });
  params.column(writes, [](Write write) { return micros_of(facts(write).timeout); });
  params.column(writes, [](Write write) { return view_of(facts(write).key); });
  params.column(writes, [](Write write) { return view_of(facts(write).idempotency_key); });
  params.column(writes, [](Write write) { return encode_retry(facts(write)); });
  params.column(writes, [](Write write) { return encode_labels(facts(write).labels); });
  params.column(writes, [](Write write) { return encode_task_payload(facts(write)); });
  connection.send(sql::insert_task, params);
}

void send_labels(Connection& connection, const Writes& created) {
  struct Label {
    Write write;
    const core::Labels::value_type* label;
  };
  std::vector<Label> labels;
  for (const Write write : created) {
    for (const auto& label : facts(write).labels) labels.push_back({write, &label});
  }
  if (labels.empty()) return;
  Params params;
  params.column(labels, [](const Label& one) { return std::string_view{one.write->record->lane->ns}; });
  params.column(labels, [](const Label& one) { return std::string_view{one.label->first}; });
  params.column(labels, [](const Label& one) { return std::string_view{one.label->second}; });
  params.column(labels, [](const Label& one) { return id(one.write); });
  connection.send(sql::insert_task_labels, params);
}

void send_created_plain(Connection& connection, const Writes& writes, TimePoint now) {
  if (writes.empty()) return;
  Params params;
  params.column(writes, id);
  params.column(writes, lane_id);
  params.column(writes, [](Write write) { return encode_task_payload(facts(write)); });
  params.value(now);
  connection.send(sql::insert_plain_task, params);
}

void send_idempotency(Connection& connection, const Writes& created) {
  std::vector<std::pair<IdempotencyRef, core::TaskId>> keys;
  for (Write write : created) {
    if (!facts(write).idempotency_key || write->has_key) continue;
    const core::Lane& lane = *write->record->lane;
    keys.emplace_back(IdempotencyRef{lane.ns, lane.type, *facts(write).idempotency_key}, id(write));
  }
  if (keys.empty()) return;
  std::sort(keys.begin(), keys.end());
  Params params;
  params.column(keys, [](const auto& key) { return std::string_view{key.first.ns}; });
  params.column(keys, [](const auto& key) { return std::string_view{key.first.type}; });
  params.column(keys, [](const auto& key) { return std::string_view{key.first.key}; });
  params.column(keys, [](const auto& key) { return key.second; });
  connection.send(sql::insert_task_key, params);
}

void send_of_runs(Connection& connection, std::span<const TaskWrite> tasks) {
  Writes writes;
  for (const TaskWrite& write : tasks) {
    if (write.is_new && facts(&write).run) writes.push_back(&write);
  }
  if (writes.empty()) return;
  Params params;
  params.column(writes, id);
  params.column(writes, [](Write write) { return facts(write).run->run_id; });
  params.column(writes, [](Write write) { return static_cast<std::int32_t>(facts(write).run->node.index); });
  params.column(writes, [](Write write) { return facts(write).run->node.item; });
  params.column(writes, [](Write write) { return std::string_view{facts(write).run->node_id}; });
  params.column(writes, [](Write write) { return std::string_view{facts(write).run->traceparent}; });
  connection.send(sql::insert_run_task, params);
}

void send_fair(Connection& connection, std::span<const TaskWrite> tasks) {
  Writes writes;
  for (const TaskWrite& write : tasks) {
    if (write.is_new && facts(&write).fairness) writes.push_back(&write);
  }
  if (writes.empty()) return;
  Params params;
  params.column(writes, id);
  params.column(writes, [](Write write) { return std::string_view{facts(write).fairness->key}; });
  params.column(writes, [](Write write) { return facts(write).fairness->weight; });
  connection.send(sql::insert_fair_task, params);
}

// address, id, fence: how a row is found, and what it is compared with.
Params guards(const Writes& writes, const Addresses& addresses) {
  Params params;
  params.column(writes, [&](Write write) {
    const auto found = addresses.find(id(write));
    return found == addresses.end() ? Address{} : found->second;  // not loaded: the guard fails
  });
  params.column(writes, id);
  params.column(writes, [](Write write) { return write->fence_before; });
  return params;
}

void send_leaving(Connection& connection, std::string_view sql, const Writes& writes,
                  const Addresses& addresses) {
  if (writes.empty()) return;
  Params params = guards(writes, addresses);
  params.value(static_cast<std::int64_t>(writes.size()));
  connection.send(sql, params);
}

// By id: a waiting task is not locked, but its line is.
void send_leaving_line(Connection& connection, const Writes& writes) {
  if (writes.empty()) return;
  Params params;
  params.column(writes, id);
  params.column(writes, [](Write write) { return write->fence_before; });
  params.value(static_cast<std::int64_t>(writes.size()));
  connection.send(sql::delete_waiting, params);
}

// id, lane, attempt, fence, budget_from, available_at: the columns of every place.
Params place_columns(const Writes& writes) {
  Params params;
  params.column(writes, id);
  params.column(writes, lane_id);
  params.column(writes, [](Write write) { return write->record->progress.attempt; });
  params.column(writes, [](Write write) { return write->record->progress.fence; });
  params.column(writes, [](Write write) { return write->record->progress.budget_from; });
  params.column(writes, [](Write write) { return write->record->available_at; });
  return params;
}

void send_entering(Connection& connection, std::string_view sql, const Writes& writes) {
  if (!writes.empty()) connection.send(sql, place_columns(writes));
}

void send_new_ready(Connection& connection, const Writes& writes, TimePoint now) {
  if (writes.empty()) return;
  Params params;
  params.column(writes, id);
  params.column(writes, lane_id);
  params.value(now);
  connection.send(sql::insert_new_ready, params);
}

void send_fair_ready(Connection& connection, const Writes& writes) {
  if (writes.empty()) return;
  Params params = place_columns(writes);
  params.column(writes, [](Write write) { return *write->record->turn; });
  connection.send(sql::insert_fair_ready, params);
}

void send_waiting(Connection& connection, const Writes& writes) {
  if (writes.empty()) return;
  Params params = place_columns(writes);
  params.column(writes, [](Write write) { return std::string_view{write->record->lane->ns}; });
  params.column(writes, [](Write write) { return std::string_view{write->record->lane->queue}; });
  params.column(writes, [](Write write) {
    return write->line_position == kHeldByRun ? std::optional{held_line(id(write))} : facts(write).key;
  });
  params.column(writes, [](Write write) { return write->line_position; });
  connection.send(sql::insert_waiting, params);
}

void add_lease_columns(Params& params, const Writes& writes) {
  params.column(writes, [](Write write) { return lease(write).acquired_at; });
  params.column(writes, [](Write write) { return lease(write).expires_at; });
  params.column(writes, [](Write write) { return lease(write).heartbeat_at; });
  params.column(writes, [](Write write) { return lease(write).started_at; });
  params.column(writes, [](Write write) { return lease(write).timeout_at; });
  params.column(writes, [](Write write) { return micros_of(lease(write).timeout); });
  params.column(writes, [](Write write) { return static_cast<std::int32_t>(lease(write).renewals); });
  params.column(writes, [](Write write) { return lease(write).cancel_requested; });
  params.column(writes, [](Write write) { return std::string_view{lease(write).worker_id}; });
}

void send_leased(Connection& connection, const Writes& writes) {
  if (writes.empty()) return;
  Params params = place_columns(writes);
  add_lease_columns(params, writes);
  params.column(writes, [](Write write) { return view_of(facts(write).key); });
  params.column(writes, run_id);
  connection.send(sql::insert_lease, params);
}

void send_first_leased(Connection& connection, const Writes& writes, TimePoint claims_at) {
  if (writes.empty()) return;
  Params params;
  params.column(writes, id);
  params.column(writes, lane_id);
  params.column(writes, [](Write write) { return write->record->available_at; });
  params.column(writes, [](Write write) { return lease(write).expires_at; });
  params.column(writes, [](Write write) { return std::string_view{lease(write).worker_id}; });
  params.value(claims_at);
  const bool has_runs = std::any_of(writes.begin(), writes.end(), run_id);
  if (has_runs) params.column(writes, run_id);
  connection.send(has_runs ? sql::insert_first_lease_of_runs : sql::insert_first_lease, params);
}

void send_completed(Connection& connection, const Writes& writes, TimePoint now) {
  if (writes.empty()) return;
  Params params;
  params.column(writes, id);
  params.column(writes, lane_id);
  params.column(writes, [](Write write) { return write->record->available_at; });
  params.column(writes, [](Write write) { return text_or_null(end(write).worker_id); });
  params.column(writes, [](Write write) { return end(write).claimed_at; });
  params.column(writes, [](Write write) { return end(write).started_at; });
  params.column(writes, [](Write write) { return text_or_null(end(write).output.text); });
  params.value(now);
  connection.send(sql::insert_plain_finished, params);
}

void send_renewed(Connection& connection, const Writes& writes, const Addresses& addresses) {
  if (writes.empty()) return;
  Params params = guards(writes, addresses);
  params.column(writes, [](Write write) { return write->record->progress.attempt; });
  params.column(writes, [](Write write) { return write->record->progress.fence; });
  params.column(writes, [](Write write) { return write->record->progress.budget_from; });
  params.column(writes, [](Write write) { return write->record->available_at; });
  add_lease_columns(params, writes);
  params.value(static_cast<std::int64_t>(writes.size()));
  connection.send(sql::update_lease, params);
}

void send_finished(Connection& connection, const Writes& writes) {
  if (writes.empty()) return;
  Params params = place_columns(writes);
  params.column(writes, [](Write write) { return core::to_string(write->record->status); });
  params.column(writes, [](Write write) { return text_or_null(end(write).worker_id); });
  params.column(writes, [](Write write) { return end(write).fence; });
  params.column(writes, [](Write write) { return end(write).claimed_at; });
  params.column(writes, [](Write write) { return end(write).started_at; });
  params.column(writes, [](Write write) { return end(write).finished_at; });
  params.column(writes, [](Write write) { return text_or_null(end(write).output.text); });
  params.column(writes, [](Write write) { return error_of(end(write).error); });
  connection.send(sql::insert_finished, params);
}

void send_attempts(Connection& connection, const Writes& writes) {
  if (writes.empty()) return;
  std::vector<std::pair<core::TaskId, const core::Attempt*>> rows;
  for (Write write : writes) {
    for (const core::Attempt& attempt : write->attempts) rows.emplace_back(id(write), &attempt);
  }
  Params params;
  params.column(rows, [](const auto& row) { return row.first; });
  params.column(rows, [](const auto& row) { return row.second->fence; });
  params.column(rows, [](const auto& row) { return static_cast<std::int32_t>(row.second->attempt); });
  params.column(rows, [](const auto& row) { return row.second->claimed_at; });
  params.column(rows, [](const auto& row) { return row.second->started_at; });
  params.column(rows, [](const auto& row) { return row.second->finished_at; });
  params.column(rows, [](const auto& row) { return core::to_string(row.second->outcome); });
  params.column(rows, [](const auto& row) { return core::to_string(row.second->status_after); });
  params.column(rows, [](const auto& row) { return std::string_view{row.second->worker_id}; });
  params.column(rows, [](const auto& row) { return error_of(row.second->error); });
  connection.send(sql::insert_attempt, params);
}

void send_boundaries(Connection& connection, const Writes& writes, TimePoint now) {
  if (writes.empty()) return;
  std::vector<std::pair<core::TaskId, std::string_view>> rows;
  for (Write write : writes) {
    for (const core::RawJson& snapshot : write->error_boundaries) rows.emplace_back(id(write), snapshot.text);
  }
  Params params;
  params.column(rows, [](const auto& row) { return row.first; });
  params.column(rows, [](const auto& /*row*/) { return std::string_view{"error_boundary"}; });
  params.column(rows, [now](const auto& /*row*/) { return now; });
  params.column(rows, [](const auto& /*row*/) { return std::optional<std::string_view>{}; });
  params.column(rows, [](const auto& row) { return text_or_null(row.second); });
  connection.send(sql::insert_checkpoint, params);
}

}  // namespace

FirstLeases send_tasks(Connection& connection, std::span<const TaskWrite> tasks, const Addresses& addresses,
                       GroupTimes times) {
  const TimePoint now = times.now;
  Moves moves{tasks, times};
  const auto leaving = [&](Place place) -> const Writes& {
    return moves.leaving[static_cast<std::size_t>(place)];
  };
  const auto entering = [&](Place place) -> const Writes& {
    return moves.entering[static_cast<std::size_t>(place)];
  };

  send_leaving(connection, sql::delete_lease, leaving(Place::leased), addresses);
  send_leaving(connection, sql::delete_ready, leaving(Place::ready), addresses);
  send_leaving(connection, sql::delete_scheduled, leaving(Place::scheduled), addresses);
  send_leaving_line(connection, leaving(Place::waiting));
  send_leaving(connection, sql::delete_finished, leaving(Place::finished), addresses);
  send_renewed(connection, moves.renewed, addresses);
  send_created_plain(connection, moves.created_plain, now);
  send_created(connection, moves.created);
  send_labels(connection, moves.created);
  send_idempotency(connection, moves.created);
  send_of_runs(connection, tasks);
  send_fair(connection, tasks);
  send_new_ready(connection, moves.new_ready, now);
  send_entering(connection, sql::insert_ready, entering(Place::ready));
  send_fair_ready(connection, moves.fair_ready);
  send_entering(connection, sql::insert_scheduled, entering(Place::scheduled));
  send_waiting(connection, entering(Place::waiting));
  const std::size_t first_leases = connection.sent();
  send_first_leased(connection, moves.first_leased, times.claims_at);
  send_leased(connection, entering(Place::leased));
  send_completed(connection, moves.completed, now);
  send_finished(connection, entering(Place::finished));
  send_attempts(connection, moves.with_attempts);
  send_boundaries(connection, moves.with_boundaries, now);
  return {.writes = std::move(moves.first_leased), .answer = first_leases};
}

}  // namespace pawl::store::postgres
