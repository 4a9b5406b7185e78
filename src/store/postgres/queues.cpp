#include "store/postgres/queues.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/records/worker.hpp"
#include "store/codec.hpp"
#include "store/postgres/monotonic.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"
#include "store/postgres/transaction.hpp"

namespace pawl::store::postgres {

namespace {

core::QueueCounts read_counts(const Rows& rows, int row, int column) {
  const auto count = [&](int offset) { return rows.int8_or_null(row, column + offset).value_or(0); };
  return {.pending = count(0),
          .scheduled = count(1),
          .blocked = count(2),
          .claimed = count(3),
          .running = count(4),
          .dead_letter = count(5)};
}

}  // namespace

core::QueueSettings read_settings(const Rows& rows, int row, int column) {
  core::QueueSettings settings;
  settings.paused = rows.boolean(row, column);
  settings.max_concurrency = rows.int8_or_null(row, column + 1);
  if (!rows.is_null(row, column + 2)) decode_type_limits(rows.text(row, column + 2), settings);
  if (!rows.is_null(row, column + 3)) {
    settings.rate =
        core::Rate{.limit = rows.int8(row, column + 3), .per = core::Duration{rows.int8(row, column + 4)}};
  }
  settings.rate_spent_until = rows.time(row, column + 5);
  return settings;
}

Params refs_of(std::span<const QueueRef> refs) {
  Params params;
  params.column(refs, [](const QueueRef& ref) { return std::string_view{ref.ns}; });
  params.column(refs, [](const QueueRef& ref) { return std::string_view{ref.name}; });
  return params;
}

std::vector<core::QueueSettings> read_settings_of(const Rows& rows, std::size_t count) {
  std::vector<core::QueueSettings> settings(count);
  for (int row = 0; row < rows.count(); ++row) {
    settings[static_cast<std::size_t>(rows.int8(row, 0) - 1)] = read_settings(rows, row, 1);
  }
  return settings;
}

// The time is read after the counts: everything that they include was committed, and so had ended, before the
// claim begins.
void PostgresTransaction::note_locked(const Rows& answer) {
  start_.claims_at = std::max(start_.claims_at, shared_.clock.later(answer, 0, *start_.clock));
}

std::vector<LockedQueue> PostgresTransaction::lock_queues(std::span<const QueueRef> refs) {
  std::vector<LockedQueue> queues(refs.size());
  if (refs.empty()) return queues;
  std::vector<const core::Lane*> lanes;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    for (const core::Lane* lane : shared_.lanes.of(refs[i])) {
      queues[i].held.push_back({.lane = lane});
      lanes.push_back(lane);
    }
  }
  connection_->send(sql::lock_queue, refs_of(refs));
  // A separate statement after the lock: it sees what the previous holder of the lock committed.
  Params params;
  params.column(lanes, [](const core::Lane* lane) { return lane->id; });
  params.value(shared_.counts_mark.value());
  connection_->send(sql::find_held, params);
  connection_->send(sql::now);
  const auto answers = connection_->run_or_throw();
  note_locked(answers[2]);

  const auto settings = read_settings_of(answers[0], refs.size());
  std::unordered_map<std::int32_t, std::int64_t> held;
  for (int row = 0; row < answers[1].count(); ++row) held[answers[1].int4(row, 0)] = answers[1].int8(row, 1);
  for (std::size_t i = 0; i < refs.size(); ++i) {
    queues[i].settings = settings[i];
    for (HeldInLane& lane : queues[i].held) lane.held = held[lane.lane->id];
  }
  return queues;
}

namespace {

void ask_for_held(Connection& connection, const HolderRef& holder) {
  Params params;
  params.value(holder.ns);
  params.value(holder.worker_id);
  connection.send(sql::count_held, params);
}

}  // namespace

// Each statement sees what was committed before it began, so the count includes the claims of all previous
// holders of the lock.
void ask_for_held_if_free(Connection& connection, const HolderRef& holder) {
  const core::RecordRef worker = core::worker_ref(holder.ns, holder.worker_id);
  Params params;
  params.value(core::to_string(worker.kind));
  params.value(worker.ns);
  params.value(worker.key);
  connection.send(sql::lock_record_if_free, params);
  ask_for_held(connection, holder);
}

std::vector<std::int64_t> PostgresTransaction::count_held(std::span<const HolderRef> holders) {
  std::vector<std::int64_t> counts;
  const bool is_counted = std::all_of(holders.begin(), holders.end(),
                                      [this](const HolderRef& holder) { return counted_.contains(holder); });
  if (is_counted) {
    for (const HolderRef& holder : holders) counts.push_back(counted_.at(holder));
    return counts;
  }
  std::vector<core::RecordRef> workers;
  for (const HolderRef& holder : holders) workers.push_back(core::worker_ref(holder.ns, holder.worker_id));
  send_record_locks(workers);
  for (const HolderRef& holder : holders) ask_for_held(*connection_, holder);
  connection_->send(sql::now);
  const auto answers = connection_->run_or_throw();
  note_locked(answers.back());
  for (std::size_t i = 0; i < holders.size(); ++i) counts.push_back(answers[i + 1].int8(0, 0));
  return counts;
}

void PostgresTransaction::send_queues(const std::vector<QueueWrite>& queues) {
  if (queues.empty()) return;
  using Optional = std::optional<std::int64_t>;
  Params params;
  params.column(queues, [](const QueueWrite& write) { return std::string_view{write.ref.ns}; });
  params.column(queues, [](const QueueWrite& write) { return std::string_view{write.ref.name}; });
  params.column(queues, [](const QueueWrite& write) { return write.settings.paused; });
  params.column(queues, [](const QueueWrite& write) { return write.settings.max_concurrency; });
  params.column(queues,
                [](const QueueWrite& write) { return encode_type_limits(write.settings.type_concurrency); });
  params.column(queues, [](const QueueWrite& write) {
    return write.settings.rate ? Optional{write.settings.rate->limit} : Optional{};
  });
  params.column(queues, [](const QueueWrite& write) {
    return write.settings.rate ? Optional{write.settings.rate->per.count()} : Optional{};
  });
  params.column(queues, [](const QueueWrite& write) { return write.settings.rate_spent_until; });
  connection_->send(sql::put_queue, params);
}

void send_counts(Connection& connection, const std::vector<CountsWrite>& counts) {
  if (counts.empty()) return;
  Params params;
  params.column(counts, [](const CountsWrite& write) { return write.lane->id; });
  params.column(counts, [](const CountsWrite& write) { return write.delta.pending; });
  params.column(counts, [](const CountsWrite& write) { return write.delta.scheduled; });
  params.column(counts, [](const CountsWrite& write) { return write.delta.blocked; });
  params.column(counts, [](const CountsWrite& write) { return write.delta.claimed; });
  params.column(counts, [](const CountsWrite& write) { return write.delta.running; });
  params.column(counts, [](const CountsWrite& write) { return write.delta.dead_letter; });
  connection.send(sql::add_lane_counts, params);
}

std::vector<core::Queue> PostgresStore::list_queues(const std::string& ns) {
  const Pool::Loan connection = readers_.borrow();
  const core::TimePoint time = now(*connection);
  read_lanes(*connection);
  const auto lanes = shared_.lanes.of_namespace(ns);
  const auto answers = run(*connection, [&](Connection& used) {
    Params of_namespace;
    of_namespace.value(ns);
    Params of_lanes;
    of_lanes.column(lanes, [](const core::Lane* lane) { return lane->id; });
    of_lanes.column(
        lanes, [&](const core::Lane* lane) { return shared_.ready_marks.mark_of(lane->id).available_at; });
    of_lanes.column(lanes, [&](const core::Lane* lane) { return shared_.ready_marks.mark_of(lane->id).id; });
    of_lanes.value(shared_.counts_mark.value());
    used.send(sql::begin_read);
    used.send(sql::list_queues, of_namespace);
    used.send(sql::list_lane_counts, of_lanes);
    used.send(sql::commit);
  });
  expect_life_of(lanes, *connection);

  std::unordered_map<std::int32_t, const core::Lane*> by_id;  // the cache may be emptied at any time
  for (const core::Lane* lane : lanes) by_id.emplace(lane->id, lane);
  std::map<std::string, core::Queue> queues;
  const Rows& settings = answers[1];
  for (int row = 0; row < settings.count(); ++row) {
    queues[std::string{settings.text(row, 0)}].settings = read_settings(settings, row, 1);
  }
  const Rows& counts = answers[2];
  for (int row = 0; row < counts.count(); ++row) {
    core::Queue& queue = queues[by_id.at(counts.int4(row, 0))->queue];
    queue.counts += read_counts(counts, row, 1);
    if (counts.is_null(row, 7)) continue;
    const core::Duration age = time - counts.time(row, 7);
    queue.oldest_pending_age = std::max(queue.oldest_pending_age.value_or(age), age);
  }
  std::vector<core::Queue> list;
  for (auto& [name, queue] : queues) {
    queue.name = name;
    list.push_back(std::move(queue));
  }
  return list;
}

}  // namespace pawl::store::postgres
