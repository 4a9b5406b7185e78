#include "store/sqlite/store_impl.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/canary.hpp"
#include "store/migrate.hpp"
#include "store/sqlite/clock.hpp"
#include "store/sqlite/due.hpp"
#include "store/sqlite/erase.hpp"
#include "store/sqlite/lists.hpp"
#include "store/sqlite/queues.hpp"
#include "store/sqlite/records.hpp"
#include "store/sqlite/run_reads.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/task_reads.hpp"
#include "store/sqlite/verify.hpp"
#include "store/sqlite/vitals.hpp"

namespace pawl::store::sqlite {

namespace {

// Eight times the size at which a checkpoint is due.
constexpr std::uintmax_t kLogBytesMax = 32U << 20U;
constexpr int kSchemaVersion = schema_version_of(sql::kMigrations);
// Timeout for the write lock. The engine tries three times, so a group fails within 15 s if the lock stays
// blocked.
constexpr std::chrono::seconds kLockWaitMax{5};

ConnectionOptions connection_options(const SqliteOptions& options, bool is_writer) {
  return {.path = options.path,
          .is_writer = is_writer,
          .seed = options.random->next(),
          .max_page_count = options.max_page_count};
}

}  // namespace

std::unique_ptr<Connection> connect(const SqliteOptions& options, bool is_writer) {
  return std::make_unique<Connection>(connection_options(options, is_writer));
}

SqliteStore::SqliteStore(const SqliteOptions& options, std::unique_ptr<LogMark> mark,
                         std::unique_ptr<Connection> writer, std::vector<std::unique_ptr<Connection>> readers)
    : clock_(*options.clock),
      log_path_(writer->path() + "-wal"),
      flusher_(log_path_, options.flush),
      files_(writer->path()),
      mark_(std::move(mark)),
      turnstile_(writer->path() + "-turn", options.random->next()),
      writer_(std::move(writer)),
      readers_(std::move(readers)),
      checkpointer_(connect(options, true), flusher_, [this] { mark_->note_copy(); }) {
  writer_->only_append();
  writer_->wait_at_most(kLockWaitMax);
  foreign_version_ = writer_->data_version();
  (void)flusher_.note_foreign();  // earlier commits may not be on the disk
  learn_lanes(*writer_, lanes_);
  schema_found_ = find_schema();
  clock_.adopt(load_clock(*writer_));
}

std::vector<const core::Lane*> SqliteStore::intern_lanes(std::span<const LaneKey> keys) {
  if (!knows(keys)) make_lanes(keys);
  std::vector<const core::Lane*> found;
  for (const LaneKey& key : keys) found.push_back(lanes_.find(key));
  return found;
}

std::unique_ptr<Transaction> SqliteStore::begin_after(const Hints& /*hints*/, const SqlWork* work) {
  auto transaction = begin_transaction();
  if (work != nullptr && !transaction->begin_with(*work, clock_)) return nullptr;
  return transaction;
}

std::optional<StoredTask> SqliteStore::find_task(const core::TaskId& id) {
  return read([&](Connection& connection) { return sqlite::find_task(connection, lanes_, id); });
}

std::vector<StoredTask> SqliteStore::list_tasks(const TaskPage& page) {
  return read([&](Connection& connection) { return sqlite::list_tasks(connection, lanes_, page); });
}

std::vector<core::TaskId> SqliteStore::list_task_ids(const TaskPage& page) {
  return read([&](Connection& connection) { return sqlite::list_task_ids(connection, page); });
}

std::vector<core::Queue> SqliteStore::list_queues(const std::string& ns) {
  return read([&](Connection& connection) { return sqlite::list_queues(connection, ns, clock_.now()); });
}

std::vector<core::Checkpoint> SqliteStore::list_checkpoints(const CheckpointFilter& filter) {
  return read([&](Connection& connection) { return sqlite::list_checkpoints(connection, filter); });
}

core::CheckpointSummary SqliteStore::summarize_checkpoints(const core::Uuid& owner) {
  return read([&](Connection& connection) { return sqlite::summarize_checkpoints(connection, owner); });
}

std::vector<core::Record> SqliteStore::select_records(const RecordSelection& selection) {
  return read([&](Connection& connection) {
    const bool needs_time = std::holds_alternative<DueRecords>(selection);
    return sqlite::select_records(connection, selection, needs_time ? clock_.now() : core::TimePoint{});
  });
}

FinishedTasks SqliteStore::list_finished(const FinishedPage& page) {
  return read([&](Connection& connection) { return sqlite::list_finished(connection, lanes_, page); });
}

RowCounts SqliteStore::count_rows(const core::Uuid& before) {
  return read([&](Connection& connection) { return sqlite::count_rows(connection, before); });
}

std::vector<core::Verdict> SqliteStore::check_tables() {
  return read([](Connection& connection) { return sqlite::check_tables(connection); });
}

core::StoreVitals SqliteStore::vitals() {
  core::StoreVitals vitals = read([&](Connection& connection) { return vitals_of(connection); });
  vitals.now = clock_.now();
  vitals.clock = *clock_.state();
  std::error_code none;  // no log: nothing was written since the last checkpoint
  const std::uintmax_t log_bytes = std::filesystem::file_size(log_path_, none);
  vitals.log_bytes = none ? 0 : static_cast<std::int64_t>(log_bytes);
  return vitals;
}

std::vector<core::AuditEntry> SqliteStore::list_audit(const AuditPage& page) {
  return read([&](Connection& connection) { return sqlite::list_audit(connection, page); });
}

Due SqliteStore::find_due(const DueLimits& limits) {
  return read([&](Connection& connection) { return sqlite::find_due(connection, limits, clock_.now()); });
}

std::optional<StoredRun> SqliteStore::find_run(const core::RunId& id, RunParts parts) {
  return read([&](Connection& connection) { return sqlite::find_run(connection, id, parts); });
}

std::vector<core::Run> SqliteStore::list_runs(const RunPage& page) {
  return read([&](Connection& connection) { return sqlite::list_runs(connection, page); });
}

std::vector<StoredEvent> SqliteStore::list_run_events(const core::RunId& run, std::int64_t after,
                                                      std::size_t limit) {
  return read([&](Connection& connection) { return sqlite::list_run_events(connection, run, after, limit); });
}

bool SqliteStore::may_have_changed() {
  if (const std::unique_lock turn{writer_turn_, std::try_to_lock}; turn.owns_lock()) notice_foreign_commits();
  return was_changed_.exchange(false);
}

void SqliteStore::maintain() {
  std::error_code absent;
  const auto bytes = std::filesystem::file_size(log_path_, absent);
  if (!absent && bytes >= kLogBytesMax) {
    const std::unique_lock turn{writer_turn_};
    if (!writer_->restart_log()) flusher_.distrust(writer_->path() + ": cannot be flushed");
    mark_->note_copy();
  }
  if (mark_->is_due_after_copy()) (void)begin_transaction()->commit_soon({});
}

void SqliteStore::check_ready() {
  flusher_.check();
  files_.check();
  Connection fresh{{.path = writer_->path()}};
  Rows rows = fresh.statement(sql::touch_tables).rows();
  (void)rows.next();
}

void SqliteStore::await_durable(CommitNumber number) {
  flusher_.await_durable(number);
  mark_->note_durable(number);
}

std::unique_ptr<SqliteTransaction> SqliteStore::begin_transaction() {
  flusher_.check();
  std::unique_lock turn{writer_turn_};
  begin_writing();
  auto transaction = std::make_unique<SqliteTransaction>(
      std::move(turn), SqliteTransaction::Around{.connection = *writer_,
                                                 .flusher = flusher_,
                                                 .checkpointer = checkpointer_,
                                                 .remembered = remembered_,
                                                 .lanes = lanes_,
                                                 .files = files_,
                                                 .mark = *mark_,
                                                 .is_writing = is_writing_});
  notice_foreign_commits();
  expect_schema(schema_found_, kSchemaVersion);
  transaction->read_clock(clock_);
  if (transaction->clock().steps != clock_steps_saved_) share_clock(transaction->clock());
  is_writing_ = true;
  return transaction;
}

void SqliteStore::share_clock(const core::ClockState& clock) {
  clock_steps_saved_ = load_clock(*writer_).steps;
  if (clock.steps > clock_steps_saved_) save_clock(*writer_, clock, clock.since);
}

CommitNumber SqliteStore::seen_by_snapshot() {
  if (is_writing_) return flusher_.last();
  if (const std::unique_lock turn{writer_turn_, std::try_to_lock}; turn.owns_lock()) {
    notice_foreign_commits();
    return flusher_.last();
  }
  return flusher_.note_foreign();
}

bool SqliteStore::knows(std::span<const LaneKey> keys) const {
  for (const LaneKey& key : keys) {
    if (lanes_.find(key) == nullptr) return false;
  }
  return true;
}

void SqliteStore::make_lanes(std::span<const LaneKey> keys) {
  files_.check();
  const std::unique_lock turn{writer_turn_};
  Scope scope{*writer_, Scope::Kind::write};
  notice_foreign_commits();
  expect_schema(schema_found_, kSchemaVersion);
  Statement& insert = writer_->statement(sql::insert_lane);
  for (const LaneKey& key : keys) {
    if (lanes_.find(key) != nullptr) continue;
    insert.run(key.ns, key.queue, key.type, key.priority, key.of_runs, key.fair);
  }
  scope.commit();
  learn_lanes(*writer_, lanes_);
}

void SqliteStore::begin_writing() {
  const Turnstile::Pass pass{turnstile_};
  writer_->begin_immediate();
}

void SqliteStore::notice_foreign_commits() {
  const std::int64_t version = writer_->data_version();
  if (version == foreign_version_) return;
  (void)flusher_.note_foreign();  // results that depend on them wait for a flush
  if (!core::planted(core::Canary::lanes_of_others_not_learned)) learn_lanes(*writer_, lanes_);
  if (!core::planted(core::Canary::leases_kept_after_foreign_commit)) remembered_.forget_all();
  schema_found_ = find_schema();
  clock_.adopt(load_clock(*writer_));
  foreign_version_ = version;
  was_changed_ = true;
}

int SqliteStore::find_schema() {
  Rows row = writer_->statement(sql::schema_version).rows();
  return row.next() ? row.int32() : 0;
}

}  // namespace pawl::store::sqlite
