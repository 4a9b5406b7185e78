#include "store/sqlite/sqlite_store.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/base/canary.hpp"
#include "core/base/ensure.hpp"
#include "store/bridged_clock.hpp"
#include "store/lanes.hpp"
#include "store/sqlite/clock.hpp"
#include "store/sqlite/due.hpp"
#include "store/sqlite/erase.hpp"
#include "store/sqlite/file_watch.hpp"
#include "store/sqlite/lanes.hpp"
#include "store/sqlite/lists.hpp"
#include "store/sqlite/log_mark.hpp"
#include "store/sqlite/migrations.hpp"
#include "store/sqlite/pool.hpp"
#include "store/sqlite/queues.hpp"
#include "store/sqlite/records.hpp"
#include "store/sqlite/run_reads.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/task_reads.hpp"
#include "store/sqlite/transaction.hpp"
#include "store/sqlite/turnstile.hpp"
#include "store/sqlite/verify.hpp"
#include "store/sqlite/vitals.hpp"

namespace pawl::store {

namespace {

using sqlite::Connection;
using sqlite::learn_lanes;
using sqlite::ReaderPool;
using sqlite::Scope;

// Eight times the size at which a checkpoint is due.
constexpr std::uintmax_t kLogBytesMax = 32U << 20U;
constexpr int kSchemaVersion = schema_version_of(sqlite::sql::kMigrations);
// Timeout for the write lock. The engine tries three times, so a group fails within 15 s if the lock stays
// blocked.
constexpr std::chrono::seconds kLockWaitMax{5};

sqlite::ConnectionOptions connection_options(const SqliteOptions& options, bool is_writer) {
  return {.path = options.path,
          .is_writer = is_writer,
          .seed = options.random->next(),
          .max_page_count = options.max_page_count};
}

std::unique_ptr<Connection> connect(const SqliteOptions& options, bool is_writer) {
  return std::make_unique<Connection>(connection_options(options, is_writer));
}

class SqliteStore final : public Store {
 public:
  SqliteStore(const SqliteOptions& options, std::unique_ptr<sqlite::LogMark> mark,
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
    clock_.adopt(sqlite::load_clock(*writer_));
  }

  std::vector<const core::Lane*> intern_lanes(std::span<const LaneKey> keys) override {
    if (!knows(keys)) make_lanes(keys);
    std::vector<const core::Lane*> found;
    for (const LaneKey& key : keys) found.push_back(lanes_.find(key));
    return found;
  }

  [[nodiscard]] const LaneCache& lanes() const override { return lanes_; }

  std::unique_ptr<Transaction> begin_after(const Hints& /*hints*/, const SqlWork* work) override {
    auto transaction = begin_transaction();
    if (work != nullptr && !transaction->begin_with(*work, clock_)) return nullptr;
    return transaction;
  }

  core::TimePoint now() override { return clock_.now(); }
  core::ClockState clock_state() override { return *clock_.state(); }

  std::optional<StoredTask> find_task(const core::TaskId& id) override {
    return read([&](Connection& connection) { return sqlite::find_task(connection, lanes_, id); });
  }

  std::vector<StoredTask> list_tasks(const TaskPage& page) override {
    return read([&](Connection& connection) { return sqlite::list_tasks(connection, lanes_, page); });
  }

  std::vector<core::TaskId> list_task_ids(const TaskPage& page) override {
    return read([&](Connection& connection) { return sqlite::list_task_ids(connection, page); });
  }

  std::vector<core::Queue> list_queues(const std::string& ns) override {
    return read([&](Connection& connection) { return sqlite::list_queues(connection, ns, clock_.now()); });
  }

  std::vector<core::Checkpoint> list_checkpoints(const CheckpointFilter& filter) override {
    return read([&](Connection& connection) { return sqlite::list_checkpoints(connection, filter); });
  }

  core::CheckpointSummary summarize_checkpoints(const core::Uuid& owner) override {
    return read([&](Connection& connection) { return sqlite::summarize_checkpoints(connection, owner); });
  }

  std::vector<core::Record> select_records(const RecordSelection& selection) override {
    return read(
        [&](Connection& connection) { return sqlite::select_records(connection, selection, clock_.now()); });
  }

  FinishedTasks list_finished(const FinishedPage& page) override {
    return read([&](Connection& connection) { return sqlite::list_finished(connection, lanes_, page); });
  }

  RowCounts count_rows(const core::Uuid& before) override {
    return read([&](Connection& connection) { return sqlite::count_rows(connection, before); });
  }

  std::vector<core::Verdict> check_tables() override {
    return read([](Connection& connection) { return sqlite::check_tables(connection); });
  }

  core::StoreVitals vitals() override {
    core::StoreVitals vitals = read([&](Connection& connection) { return sqlite::vitals_of(connection); });
    vitals.now = clock_.now();
    vitals.clock = *clock_.state();
    std::error_code none;  // no log: nothing was written since the last checkpoint
    const std::uintmax_t log_bytes = std::filesystem::file_size(log_path_, none);
    vitals.log_bytes = none ? 0 : static_cast<std::int64_t>(log_bytes);
    return vitals;
  }

  std::vector<core::AuditEntry> list_audit(const AuditPage& page) override {
    return read([&](Connection& connection) { return sqlite::list_audit(connection, page); });
  }

  Due find_due(const DueLimits& limits) override {
    return read([&](Connection& connection) { return sqlite::find_due(connection, limits, clock_.now()); });
  }

  std::optional<StoredRun> find_run(const core::RunId& id, RunParts parts) override {
    return read([&](Connection& connection) { return sqlite::find_run(connection, id, parts); });
  }

  std::vector<core::Run> list_runs(const RunPage& page) override {
    return read([&](Connection& connection) { return sqlite::list_runs(connection, page); });
  }

  std::vector<StoredEvent> list_run_events(const core::RunId& run, std::int64_t after,
                                           std::size_t limit) override {
    return read(
        [&](Connection& connection) { return sqlite::list_run_events(connection, run, after, limit); });
  }

  // Uses the write connection, because any other one would count our own commits as foreign. If a transaction
  // has the connection, its beginning has already checked.
  bool may_have_changed() override {
    if (const std::unique_lock turn{writer_turn_, std::try_to_lock}; turn.owns_lock())
      notice_foreign_commits();
    return was_changed_.exchange(false);
  }

  // The checkpointer copies the log into the database as it grows. But while readers always overlap, the log
  // never restarts from its beginning.
  void maintain() override {
    std::error_code absent;
    const auto bytes = std::filesystem::file_size(log_path_, absent);
    if (!absent && bytes >= kLogBytesMax) {
      const std::unique_lock turn{writer_turn_};
      if (!writer_->restart_log()) flusher_.distrust(writer_->path() + ": cannot be flushed");
      mark_->note_copy();
    }
    if (mark_->is_due_after_copy()) (void)begin_transaction()->commit_soon({});
  }

  // A new connection reads the files, not the caches of the other connections.
  void check_ready() override {
    flusher_.check();
    files_.check();
    Connection fresh{{.path = writer_->path()}};
    sqlite::Rows rows = fresh.statement(sqlite::sql::touch_tables).rows();
    (void)rows.next();
  }

  [[nodiscard]] StoreTraits traits() const override { return {.flushes_apart = true, .has_sql = true}; }
  void await_durable(CommitNumber number) override {
    flusher_.await_durable(number);
    mark_->note_durable(number);
  }

 private:
  std::unique_ptr<sqlite::SqliteTransaction> begin_transaction() {
    flusher_.check();
    std::unique_lock turn{writer_turn_};
    begin_writing();
    auto transaction = std::make_unique<sqlite::SqliteTransaction>(
        std::move(turn), sqlite::SqliteTransaction::Around{.connection = *writer_,
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

  // Records new clock steps, inside a write transaction; repeated until such a transaction has been
  // committed.
  void share_clock(const core::ClockState& clock) {
    clock_steps_saved_ = sqlite::load_clock(*writer_).steps;
    if (clock.steps > clock_steps_saved_) sqlite::save_clock(*writer_, clock, clock.since);
  }

  // Returns nothing that a power failure could still undo.
  template <typename Read>
  std::invoke_result_t<Read, Connection&> read(Read work) {
    CommitNumber seen = kDurable;
    auto found = read_snapshot(work, seen);
    if (!core::planted(core::Canary::read_not_flushed)) flusher_.await_durable(seen);
    return found;
  }

  template <typename Read>
  std::invoke_result_t<Read, Connection&> read_snapshot(Read& work, CommitNumber& seen) {
    ReaderPool::Snapshot snapshot = readers_.snapshot();
    Connection& connection = snapshot.connection();
    connection.begin();
    if (!core::planted(core::Canary::lanes_of_others_not_learned))
      learn_lanes(connection, lanes_);  // another process may have just created lanes with rows
    seen = seen_by_snapshot();
    return work(connection);
  }

  // Covers all commits, including those of other processes, that a snapshot taken before this call may
  // contain. During a write transaction there are no foreign commits that its beginning has not noticed.
  CommitNumber seen_by_snapshot() {
    if (is_writing_) return flusher_.last();
    if (const std::unique_lock turn{writer_turn_, std::try_to_lock}; turn.owns_lock()) {
      notice_foreign_commits();
      return flusher_.last();
    }
    return flusher_.note_foreign();
  }

  [[nodiscard]] bool knows(std::span<const LaneKey> keys) const {
    for (const LaneKey& key : keys) {
      if (lanes_.find(key) == nullptr) return false;
    }
    return true;
  }

  void make_lanes(std::span<const LaneKey> keys) {
    files_.check();
    const std::unique_lock turn{writer_turn_};
    Scope scope{*writer_, Scope::Kind::write};
    notice_foreign_commits();
    expect_schema(schema_found_, kSchemaVersion);
    sqlite::Statement& insert = writer_->statement(sqlite::sql::insert_lane);
    for (const LaneKey& key : keys) {
      if (lanes_.find(key) != nullptr) continue;
      insert.run(key.ns, key.queue, key.type, key.priority, key.of_runs, key.fair);
    }
    scope.commit();
    learn_lanes(*writer_, lanes_);
  }

  // The caller holds the writer's turn.
  void begin_writing() {
    const sqlite::Turnstile::Pass pass{turnstile_};
    writer_->begin_immediate();
  }

  // The caller holds the writer's turn.
  void notice_foreign_commits() {
    const std::int64_t version = writer_->data_version();
    if (version == foreign_version_) return;
    (void)flusher_.note_foreign();  // results that depend on them wait for a flush
    if (!core::planted(core::Canary::lanes_of_others_not_learned)) learn_lanes(*writer_, lanes_);
    if (!core::planted(core::Canary::leases_kept_after_foreign_commit)) remembered_.forget_all();
    schema_found_ = find_schema();
    clock_.adopt(sqlite::load_clock(*writer_));
    foreign_version_ = version;
    was_changed_ = true;
  }

  // The caller holds the writer's turn. Another program may migrate the file, which shows as a foreign
  // commit.
  [[nodiscard]] int find_schema() {
    sqlite::Rows row = writer_->statement(sqlite::sql::schema_version).rows();
    return row.next() ? row.int32() : 0;
  }

  BridgedClock clock_;
  std::string log_path_;
  sqlite::Flusher flusher_;
  const sqlite::FileWatch files_;
  std::unique_ptr<sqlite::LogMark> mark_;
  sqlite::RememberedTasks remembered_;
  LaneCache lanes_;
  std::mutex writer_turn_;
  sqlite::Turnstile turnstile_;
  std::unique_ptr<Connection> writer_;
  std::int64_t foreign_version_ = 0;
  int schema_found_ = 0;
  std::int64_t clock_steps_saved_ = 0;
  std::atomic<bool> was_changed_ = false;
  std::atomic<bool> is_writing_ = false;  // the write lock is held, and foreign commits were noticed
  ReaderPool readers_;
  sqlite::Checkpointer checkpointer_;
};

}  // namespace

std::unique_ptr<Store> open_sqlite(const SqliteOptions& options) {
  PAWL_ENSURE(options.clock != nullptr && options.random != nullptr, "SqliteOptions needs clock and random");
  std::error_code unknown;  // ignored: opening the file reports the cause
  const auto real_path = std::filesystem::weakly_canonical(options.path, unknown);
  auto mark = std::make_unique<sqlite::LogMark>(real_path.string(), options.random->next());
  auto writer = connect(options, true);
  mark->check(*writer);
  sqlite::SqliteMigrations target{*writer, options.clock->now(), options.migration};
  migrate(target, sqlite::sql::kMigrations);
  sqlite::LogMark::prepare(*writer);
  std::vector<std::unique_ptr<Connection>> readers;
  for (int i = 0; i < options.readers; ++i) readers.push_back(connect(options, false));
  return std::make_unique<SqliteStore>(options, std::move(mark), std::move(writer), std::move(readers));
}

std::vector<MigrationState> sqlite_migration_status(const std::string& path) {
  Connection connection{{.path = path}};
  sqlite::SqliteMigrations target{connection, {}};
  return migration_status(target, sqlite::sql::kMigrations);
}

}  // namespace pawl::store
