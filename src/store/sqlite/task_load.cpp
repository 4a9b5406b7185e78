#include "store/sqlite/task_load.hpp"

#include "store/codec.hpp"
#include "store/sqlite/fair.hpp"
#include "store/sqlite/run_reads.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/task_rows.hpp"
#include "store/sqlite/transaction.hpp"

namespace pawl::store::sqlite {

using core::Place;
using core::TaskRecord;
using core::TaskStatus;

TaskLoader::TaskLoader(Connection& connection, const LaneCache& lanes)
    : connection_(connection),
      lanes_(lanes),
      lease_(connection.statement(sql::find_lease)),
      facts_(connection.statement(sql::find_task_facts)) {}

std::optional<TaskRecord> TaskLoader::load(const LoadTask& wanted) {
  std::optional<TaskRecord> record{std::in_place};
  record->id = wanted.id;
  if (!find_place(*record)) return std::nullopt;
  if (wanted.facts) {
    load_facts(*record);
  } else if (record->place != Place::leased) {  // the lease row has the key, so a report needs one query
    load_key(*record);
  }
  if (!wanted.facts) load_asides(*record);
  return record;
}

// Leases first, because most loads are for reports on tasks in progress.
bool TaskLoader::find_place(TaskRecord& record) {
  return find_lease(record) ||
         find_standing(connection_.statement(sql::find_ready), Place::ready, TaskStatus::pending, record) ||
         find_standing(connection_.statement(sql::find_scheduled), Place::scheduled, TaskStatus::pending,
                       record) ||
         find_standing(connection_.statement(sql::find_waiting), Place::waiting, TaskStatus::blocked,
                       record) ||
         find_finished(record);
}

bool TaskLoader::find_lease(TaskRecord& record) {
  Rows row = lease_.rows(record.id);
  if (!row.next() || !read_standing(row, lanes_, record)) return false;
  read_lease(row, record);
  record.place = Place::leased;
  record.status = record.lease->started_at ? TaskStatus::running : TaskStatus::claimed;
  return true;
}

bool TaskLoader::find_finished(TaskRecord& record) {
  Rows row = connection_.statement(sql::find_finished).rows(record.id);
  if (!row.next() || !read_standing(row, lanes_, record)) return false;
  read_end(row, record);
  record.place = Place::finished;
  return true;
}

bool TaskLoader::find_standing(Statement& statement, Place place, TaskStatus status, TaskRecord& record) {
  Rows row = statement.rows(record.id);
  if (!row.next() || !read_standing(row, lanes_, record)) return false;
  record.place = place;
  record.status = status;
  return true;
}

void TaskLoader::load_facts(TaskRecord& record) {
  Rows row = facts_.rows(record.id);
  if (row.next()) {
    read_facts(row, record);
  } else {
    note_unreadable("facts", record.facts);
    record.has_facts = true;
  }
  load_asides(record);
}

void TaskLoader::load_asides(TaskRecord& record) {
  if (record.lane->of_runs) {
    record.facts.run = find_task_run(connection_, record.id);
    if (!record.facts.run) note_unreadable("run", record.facts);
  }
  if (record.lane->fair) {
    record.facts.fairness = find_fairness(connection_, record.id);
    if (!record.facts.fairness) note_unreadable("fairness", record.facts);
    if (!record.facts.fairness) record.facts.fairness.emplace();
  }
}

void TaskLoader::load_key(TaskRecord& record) {
  Rows row = connection_.statement(sql::find_task_key).rows(record.id);
  if (row.next()) {
    record.facts.key = row.optional_string();
  } else {
    note_unreadable("facts", record.facts);
  }
}

std::vector<core::Attempt> list_attempts(Connection& connection, const core::TaskId& id) {
  std::vector<core::Attempt> attempts;
  Rows row = connection.statement(sql::list_attempts).rows(id);
  while (row.next()) attempts.push_back(read_attempt(row));
  return attempts;
}

Loaded SqliteTransaction::load(const LoadRequest& request) {
  Loaded loaded;
  TaskLoader loader{connection_, lanes_};
  loaded.tasks.reserve(request.tasks.size());
  for (const LoadTask& wanted : request.tasks) {
    const core::TaskRecord* known = wanted.facts ? nullptr : remembered_.find_lease(wanted.id);
    if (known != nullptr) {
      loaded.tasks.emplace_back(*known);
    } else {
      loaded.tasks.push_back(loader.load(wanted));
    }
  }
  for (const IdempotencyRef& ref : request.idempotency) {
    Rows row = connection_.statement(sql::find_idempotent_task).rows(ref.ns, ref.type, ref.key);
    loaded.idempotency.push_back(row.next() ? std::optional{row.task_id()} : std::nullopt);
  }
  for (const QueueRef& ref : request.queues) loaded.queues.push_back(find_settings(ref));
  loaded.attempts = read_attempts(request.attempts);
  loaded.run_keys = read_run_keys(request.run_keys);
  loaded.last_checkpoints = read_last_checkpoints(request.checkpoint_owners);
  loaded.records = read_records(request.records);
  return loaded;
}

std::vector<std::optional<core::Attempt>> SqliteTransaction::read_attempts(
    std::span<const core::LeaseRef> refs) {
  std::vector<std::optional<core::Attempt>> found;
  for (const core::LeaseRef& ref : refs) {
    Rows row = connection_.statement(sql::find_attempt).rows(ref.task_id, ref.fence);
    found.push_back(row.next() ? std::optional{read_attempt(row)} : std::nullopt);
  }
  return found;
}

}  // namespace pawl::store::sqlite
