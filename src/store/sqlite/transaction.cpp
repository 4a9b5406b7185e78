#include "store/sqlite/transaction.hpp"

#include <utility>

#include "core/base/ensure.hpp"
#include "store/sqlite/erase.hpp"
#include "store/sqlite/fair.hpp"
#include "store/sqlite/lines.hpp"
#include "store/sqlite/queues.hpp"
#include "store/sqlite/records.hpp"
#include "store/sqlite/run_writes.hpp"
#include "store/sqlite/task_writes.hpp"
#include "store/sqlite/user_sql.hpp"

namespace pawl::store::sqlite {

namespace {

void write_all(Connection& connection, const WriteSet& writes, core::TimePoint now) {
  write_records(connection, writes.records);
  write_checkpoints(connection, writes.checkpoints);
  write_tasks(connection, writes.tasks, now);
  write_runs(connection, writes);
  write_lines(connection, writes.lines);
  write_turns(connection, writes.turns);
  write_queues(connection, writes.queues);
  write_counts(connection, writes.counts);
  write_audit(connection, writes.audit);
  erase(connection, writes);
}

}  // namespace

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
  start_.now = clock.now();
  start_.claims_at = start_.now;
  start_.clock = clock.state();
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

CommitNumber SqliteTransaction::write(const WriteSet& writes, Durability durability) {
  PAWL_ENSURE(turn_.owns_lock(), "a transaction commits once");
  is_committing_ = true;
  write_all(connection_, writes, start_.now);
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
  if (durability == Durability::awaited) return number;
  flusher_.await_durable(number);
  mark_.note_durable(number);
  return kDurable;
}

}  // namespace pawl::store::sqlite
