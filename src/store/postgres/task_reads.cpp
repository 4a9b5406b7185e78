#include <unordered_map>

#include "store/postgres/asides.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"
#include "store/postgres/task_rows.hpp"

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

std::vector<StoredTask> PostgresStore::list_tasks(const TaskPage& page) {
  const Pool::Loan connection = readers_.borrow();
  return read_tasks(*connection, list_ids(*connection, page));
}

}  // namespace pawl::store::postgres
