#include <algorithm>
#include <map>
#include <unordered_map>

#include "store/postgres/asides.hpp"
#include "store/postgres/queues.hpp"
#include "store/postgres/records.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"

namespace pawl::store::postgres {

namespace {

using core::Place;

constexpr int kPlaceColumn = kAfterRecord;
constexpr int kFactsColumn = kPlaceColumn + 1;
constexpr int kLeaseColumn = kFactsColumn + kFactsColumns;
constexpr int kEndColumn = kLeaseColumn + kLeaseColumns;

// Nullopt if its lane does not exist.
std::optional<core::TaskRecord> read_whole(const Rows& rows, int row, LaneFinder& lane_of) {
  core::TaskRecord record = read_record(rows, row, place_from(rows.text(row, kPlaceColumn)));
  record.lane = lane_of.find(rows.int4(row, kLaneColumn));
  if (record.lane == nullptr) return std::nullopt;
  read_facts(rows, row, kFactsColumn, record);
  if (record.place == Place::leased) read_lease(rows, row, kLeaseColumn, record);
  if (record.place == Place::finished) read_end(rows, row, kEndColumn, record);
  return record;
}

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

// In the order of `ids`.
std::vector<StoredTask> PostgresStore::read_tasks(Connection& connection,
                                                  const std::vector<core::TaskId>& ids) {
  if (ids.empty()) return {};
  const auto answers = read(connection, [&](Connection& used) {
    Params params;
    params.column(ids, [](const core::TaskId& id) { return id; });
    used.send(sql::list_tasks, params);
    used.send(sql::list_attempts, params);
  });
  LaneFinder lane_of{shared_.lanes, connection};
  std::unordered_map<core::TaskId, StoredTask> found;
  for (int row = 0; row < answers[0].count(); ++row) {
    auto record = read_whole(answers[0], row, lane_of);
    if (!record) continue;
    const core::TaskId id = record->id;
    found[id].record = std::move(*record);
  }
  std::vector<core::TaskRecord*> records;
  for (auto& [id, task] : found) records.push_back(&task.record);
  fill_in_asides(connection, records);
  for (int row = 0; row < answers[1].count(); ++row) {
    const auto task = found.find(answers[1].id(row, 0));
    if (task != found.end()) task->second.attempts.push_back(read_attempt(answers[1], row, 1));
  }
  std::vector<StoredTask> tasks;
  for (const core::TaskId& id : ids) {
    if (const auto task = found.find(id); task != found.end()) tasks.push_back(std::move(task->second));
  }
  return tasks;
}

std::optional<StoredTask> PostgresStore::find_task(const core::TaskId& id) {
  const Pool::Loan connection = readers_.borrow();
  auto tasks = read_tasks(*connection, {id});
  return tasks.empty() ? std::nullopt : std::optional{std::move(tasks.front())};
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
