#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "store/codec.hpp"
#include "store/postgres/asides.hpp"
#include "store/postgres/queues.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/task_rows.hpp"
#include "store/postgres/transaction.hpp"

namespace pawl::store::postgres {

namespace {

using core::Place;
using core::TaskId;
using core::TaskRecord;

constexpr int kLooksMax = 10;

constexpr int kLeaseAddress = kAfterRecord + 1 + kLeaseColumns;  // after the key

struct PlaceQuery {
  Place place;
  std::string_view sql;
  int address;  // its column; -1: the row is not locked
};
constexpr std::array kOtherPlaces{
    PlaceQuery{Place::ready, sql::find_ready, kAfterRecord},
    PlaceQuery{Place::scheduled, sql::find_scheduled, kAfterRecord},
    PlaceQuery{Place::waiting, sql::find_waiting, -1},
    PlaceQuery{Place::finished, sql::find_finished, kAfterRecord + kEndColumns},
};

Params ids_of(const std::vector<TaskId>& ids) {
  Params params;
  params.column(ids, [](const TaskId& id) { return id; });
  return params;
}

// Finds the places of a set of tasks and locks their rows.
class TaskLoader {
 public:
  // `held` receives the tasks that were found in the cache and are only loaded to check that they are held.
  TaskLoader(Connection& connection, Shared& shared, Addresses& addresses, std::vector<TaskId>& held,
             const std::vector<LoadTask>& wanted, core::TimePoint now)
      : connection_(connection), lane_of_(shared.lanes, connection), addresses_(addresses) {
    found_.resize(wanted.size());
    const auto recalled = shared.leases.recall(wanted, now);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const TaskId& id = wanted[i].id;
      if (recalled[i]) {
        found_[i] = recalled[i]->record(id);
        addresses_[id] = recalled[i]->address;
        if (wanted[i].hints.expected_fence) held.push_back(id);
        continue;
      }
      index_.emplace(id, i);
      missing_.push_back(id);
      if (wanted[i].facts) with_facts_.push_back(id);
    }
    std::sort(missing_.begin(), missing_.end());  // all groups lock in the same order
  }

  std::vector<std::optional<TaskRecord>> load() {
    for (int look = 0; look < kLooksMax && !missing_.empty(); ++look) {
      look_at_leases(look == 0);
      if (!missing_.empty()) look_elsewhere();
    }
    // Other transactions may move a task from place to place between our queries, but not between all of
    // them.
    if (!missing_.empty()) {
      throw StoreError{StoreError::Kind::internal, "task " + core::to_string(missing_.front()) +
                                                       " stands in no place; see `pawl verify`"};
    }
    fill_in_facts();
    fill_in_asides();
    return std::move(found_);
  }

 private:
  // Facts never change, so they are read with the first query, wherever the task is.
  void look_at_leases(bool is_first) {
    connection_.send(sql::find_lease, ids_of(missing_));
    const bool asks_facts = is_first && !with_facts_.empty();
    if (asks_facts) connection_.send(sql::find_task_facts, ids_of(with_facts_));
    auto answers = connection_.run_or_throw();
    const Rows& leases = answers.front();
    for (int row = 0; row < leases.count(); ++row) {
      TaskRecord* record = add(leases, row, Place::leased);
      if (record == nullptr) continue;
      record->facts.key = leases.text_or_null(row, kAfterRecord);
      read_lease(leases, row, kAfterRecord + 1, *record);
      addresses_[record->id] = leases.address(row, kLeaseAddress);
    }
    if (asks_facts) facts_ = std::make_unique<Rows>(std::move(answers[1]));
    drop_found();
  }

  void look_elsewhere() {
    const Params ids = ids_of(missing_);
    for (const PlaceQuery& query : kOtherPlaces) connection_.send(query.sql, ids);
    connection_.send(sql::find_task_key, ids);
    const auto answers = connection_.run_or_throw();
    for (std::size_t i = 0; i < kOtherPlaces.size(); ++i) {
      for (int row = 0; row < answers[i].count(); ++row) {
        TaskRecord* record = add(answers[i], row, kOtherPlaces[i].place);
        if (record == nullptr) continue;
        if (record->place == Place::finished) read_end(answers[i], row, kAfterRecord, *record);
        if (kOtherPlaces[i].address >= 0)
          addresses_[record->id] = answers[i].address(row, kOtherPlaces[i].address);
      }
    }
    take_keys(answers.back());
  }

  // A task without a row in `tasks` does not exist, or is damaged. One with a row but without a place was
  // moved between our queries.
  void take_keys(const Rows& keys) {
    std::vector<TaskId> existing;
    for (int row = 0; row < keys.count(); ++row) {
      const TaskId id = keys.id(row, 0);
      std::optional<TaskRecord>& record = found_[index_.at(id)];
      if (record) {
        record->facts.key = keys.text_or_null(row, 1);
      } else if (!lost_.contains(id)) {
        existing.push_back(id);
      }
    }
    std::sort(existing.begin(), existing.end());
    missing_ = std::move(existing);
  }

  // Null if its lane does not exist: the task is unusable and treated as missing.
  TaskRecord* add(const Rows& rows, int row, Place place) {
    TaskRecord record = read_record(rows, row, place);
    record.lane = lane_of_.find(rows.int4(row, kLaneColumn));
    if (record.lane == nullptr) {
      lost_.insert(record.id);
      return nullptr;
    }
    return &found_[index_.at(record.id)].emplace(std::move(record));
  }

  void drop_found() {
    const auto is_found = [this](const TaskId& id) { return found_[index_.at(id)].has_value(); };
    missing_.erase(std::remove_if(missing_.begin(), missing_.end(), is_found), missing_.end());
  }

  void fill_in_facts() {
    if (facts_ == nullptr) return;
    for (int row = 0; row < facts_->count(); ++row) {
      std::optional<TaskRecord>& record = found_[index_.at(facts_->id(row, 0))];
      if (record) read_facts(*facts_, row, 1, *record);
    }
    for (const TaskId& id : with_facts_) {
      std::optional<TaskRecord>& record = found_[index_.at(id)];
      if (!record || record->has_facts) continue;
      note_unreadable("facts", record->facts);
      record->has_facts = true;
    }
  }

  void fill_in_asides() {
    std::vector<TaskRecord*> records;
    for (std::optional<TaskRecord>& record : found_) {
      if (record && (record->lane->of_runs || record->lane->fair)) records.push_back(&*record);
    }
    postgres::fill_in_asides(connection_, records);
  }

  Connection& connection_;
  LaneFinder lane_of_;
  Addresses& addresses_;
  std::unordered_map<TaskId, std::size_t> index_;
  std::vector<TaskId> missing_;  // sorted
  std::vector<TaskId> with_facts_;
  std::unordered_set<TaskId> lost_;
  std::vector<std::optional<TaskRecord>> found_;
  std::unique_ptr<Rows> facts_;
};

std::vector<std::optional<TaskId>> read_idempotency(const Rows& rows, std::size_t count) {
  std::vector<std::optional<TaskId>> found(count);
  for (int row = 0; row < rows.count(); ++row)
    found[static_cast<std::size_t>(rows.int8(row, 0) - 1)] = rows.id(row, 1);
  return found;
}

}  // namespace

Loaded PostgresTransaction::load(const LoadRequest& request) {
  Loaded loaded;
  loaded.attempts = read_attempts(request.attempts);
  loaded.run_keys = read_run_keys(request.run_keys);
  loaded.last_checkpoints = read_last_checkpoints(request.checkpoint_owners);
  loaded.records = read_records(request.records);
  if (!request.tasks.empty()) {
    loaded.tasks = TaskLoader{*connection_, shared_, addresses_, held_, request.tasks, start_.now}.load();
  }
  if (!request.idempotency.empty()) {
    Params params;
    params.column(request.idempotency, [](const IdempotencyRef& ref) { return std::string_view{ref.ns}; });
    params.column(request.idempotency, [](const IdempotencyRef& ref) { return std::string_view{ref.type}; });
    params.column(request.idempotency, [](const IdempotencyRef& ref) { return std::string_view{ref.key}; });
    connection_->send(sql::find_idempotent_task, params);
  }
  const bool asks_queues = !knows(request.queues);
  if (asks_queues) {
    connection_->send(sql::find_queue, refs_of(request.queues));
  } else {
    for (const QueueRef& ref : request.queues) loaded.queues.push_back(queues_.at(ref));
  }
  if (request.idempotency.empty() && !asks_queues) return loaded;

  const auto answers = connection_->run_or_throw();
  if (!request.idempotency.empty()) {
    loaded.idempotency = read_idempotency(answers.front(), request.idempotency.size());
  }
  if (asks_queues) loaded.queues = read_settings_of(answers.back(), request.queues.size());
  return loaded;
}

bool PostgresTransaction::knows(std::span<const QueueRef> queues) const {
  return std::all_of(queues.begin(), queues.end(),
                     [this](const QueueRef& ref) { return queues_.contains(ref); });
}

std::vector<std::optional<core::Attempt>> PostgresTransaction::read_attempts(
    std::span<const core::LeaseRef> refs) {
  std::vector<std::optional<core::Attempt>> found(refs.size());
  if (refs.empty()) return found;
  Params params;
  params.column(refs, [](const core::LeaseRef& ref) { return ref.task_id; });
  params.column(refs, [](const core::LeaseRef& ref) { return ref.fence; });
  connection_->send(sql::find_attempt, params);
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  for (int row = 0; row < rows.count(); ++row) {
    found[static_cast<std::size_t>(rows.int8(row, 0) - 1)] = read_attempt(rows, row, 1);
  }
  return found;
}

}  // namespace pawl::store::postgres
