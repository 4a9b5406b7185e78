#include "store/sqlite/transaction.hpp"

#include <utility>

#include "core/base/ensure.hpp"
#include "store/sqlite/rows.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/tasks_commit.hpp"
#include "store/sqlite/tasks_load.hpp"
#include "store/sqlite/user_sql.hpp"

namespace pawl::store::sqlite {

SqliteTransaction::~SqliteTransaction() {
  if (!turn_.owns_lock()) return;
  is_writing_ = false;
  connection_.roll_back();
  if (has_advanced_mark_) mark_.rolled_back();
  // The cache may hold reads that saw the user's statements, which are rolled back now, or parts of a failed
  // commit.
  if (has_user_sql_ || is_committing_) remembered_.forget_all();
}

void SqliteTransaction::read_clock(BridgedClock& clock) {
  now_ = clock.now();
  clock_state_ = clock.state();
}

bool SqliteTransaction::begin_with(const SqlWork& work, BridgedClock& clock) {
  remembered_.forget_all();  // the statements may change any table
  has_user_sql_ = true;
  UserSql sql{connection_};
  const bool goes_on = work(sql);
  sql.throw_if_passing();
  PAWL_ENSURE(!goes_on || !sql.has_failed(), "a transaction with a failed statement must not be committed");
  read_clock(clock);
  return goes_on;
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
  return loaded;
}

std::vector<std::optional<core::Attempt>> SqliteTransaction::find_attempts(
    std::span<const core::LeaseRef> refs) {
  std::vector<std::optional<core::Attempt>> found;
  for (const core::LeaseRef& ref : refs) {
    Rows row = connection_.statement(sql::find_attempt).rows(ref.task_id, ref.fence);
    found.push_back(row.next() ? std::optional{read_attempt(row)} : std::nullopt);
  }
  return found;
}

std::vector<Line> SqliteTransaction::lock_lines(std::span<const LineRef> refs) {
  std::vector<Line> lines;
  for (const LineRef& ref : refs) {
    Line& line = lines.emplace_back();
    Rows row = connection_.statement(sql::find_line).rows(ref.ns, ref.queue, ref.key);
    if (!row.next()) continue;
    line.head = row.task_id();
    line.tail = row.int64();
  }
  return lines;
}

std::vector<core::TaskRecord> SqliteTransaction::first_waiting(const LineRef& ref, std::size_t count) {
  std::vector<core::TaskRecord> records;
  Rows row = connection_.statement(sql::list_first_waiting).rows(ref.ns, ref.queue, ref.key, count);
  while (row.next()) {
    core::TaskRecord record;
    record.id = row.task_id();
    if (!read_standing(row, lanes_, record)) continue;
    record.place = core::Place::waiting;
    record.status = core::TaskStatus::blocked;
    records.push_back(std::move(record));
  }
  TaskLoader loader{connection_, lanes_};
  for (core::TaskRecord& record : records) loader.load_facts(record);
  return records;
}

core::QueueSettings SqliteTransaction::find_settings(const QueueRef& ref) {
  Rows row = connection_.statement(sql::find_queue).rows(ref.ns, ref.name);
  return row.next() ? read_settings(row) : core::QueueSettings{};
}

std::vector<LockedQueue> SqliteTransaction::lock_queues(std::span<const QueueRef> refs) {
  std::vector<LockedQueue> locked;
  for (const QueueRef& ref : refs) {
    LockedQueue& queue = locked.emplace_back();
    queue.settings = find_settings(ref);
    for (const core::Lane* lane : lanes_.of(ref)) {
      Rows row = connection_.statement(sql::find_held).rows(lane->id);
      queue.held.push_back({.lane = lane, .held = row.next() ? row.int64() : 0});
    }
  }
  return locked;
}

std::vector<std::int64_t> SqliteTransaction::count_held(std::span<const HolderRef> holders) {
  std::vector<std::int64_t> counts;
  for (const HolderRef& holder : holders) {
    counts.push_back(remembered_.count_held(holder, [&] {
      Rows row = connection_.statement(sql::count_held).rows(holder.ns, holder.worker_id);
      return row.next() ? row.int64() : 0;
    }));
  }
  return counts;
}

void SqliteTransaction::commit(const WriteSet& writes) {
  const CommitNumber number = commit_soon(writes);
  flusher_.await_durable(number);
  mark_.note_durable(number);
}

CommitNumber SqliteTransaction::commit_soon(const WriteSet& writes) {
  PAWL_ENSURE(turn_.owns_lock(), "a transaction commits once");
  is_committing_ = true;
  write_all(connection_, writes, now_);
  if (mark_.is_due()) {
    has_advanced_mark_ = true;
    mark_.advance(connection_);
  }
  files_.check();
  is_writing_ = false;
  const CommitNumber number = flusher_.number([this] { connection_.commit(); });
  if (std::exchange(has_advanced_mark_, false)) mark_.committed(number);
  remembered_.note(writes.tasks);
  checkpointer_.after_commit(connection_);
  turn_.unlock();
  return number;
}

}  // namespace pawl::store::sqlite
