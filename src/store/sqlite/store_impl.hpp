#pragma once
// The store: one write connection, which transactions take in turns, and a pool of readers.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/canary.hpp"
#include "store/bridged_clock.hpp"
#include "store/lanes.hpp"
#include "store/sqlite/checkpointer.hpp"
#include "store/sqlite/file_watch.hpp"
#include "store/sqlite/flusher.hpp"
#include "store/sqlite/lanes.hpp"
#include "store/sqlite/log_mark.hpp"
#include "store/sqlite/pool.hpp"
#include "store/sqlite/remembered.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "store/sqlite/transaction.hpp"
#include "store/sqlite/turnstile.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] std::unique_ptr<Connection> connect(const SqliteOptions& options, bool is_writer);

class SqliteStore final : public Store {
 public:
  SqliteStore(const SqliteOptions& options, std::unique_ptr<LogMark> mark, std::unique_ptr<Connection> writer,
              std::vector<std::unique_ptr<Connection>> readers);

  [[nodiscard]] std::vector<const core::Lane*> intern_lanes(std::span<const LaneKey> keys) override;
  [[nodiscard]] const LaneCache& lanes() const override { return lanes_; }
  [[nodiscard]] std::unique_ptr<Transaction> begin_after(const Hints& hints, const SqlWork* work) override;

  core::TimePoint now() override { return clock_.now(); }
  core::ClockState clock_state() override { return *clock_.state(); }
  [[nodiscard]] std::optional<StoredTask> find_task(const core::TaskId& id) override;
  [[nodiscard]] std::vector<StoredTask> list_tasks(const TaskPage& page) override;
  [[nodiscard]] std::vector<core::TaskId> list_task_ids(const TaskPage& page) override;
  [[nodiscard]] std::vector<core::Queue> list_queues(const std::string& ns) override;
  [[nodiscard]] std::vector<core::Checkpoint> list_checkpoints(const CheckpointFilter& filter) override;
  [[nodiscard]] core::CheckpointSummary summarize_checkpoints(const core::Uuid& owner) override;
  [[nodiscard]] std::vector<core::Record> select_records(const RecordSelection& selection) override;
  [[nodiscard]] FinishedTasks list_finished(const FinishedPage& page) override;
  [[nodiscard]] RowCounts count_rows(const core::Uuid& before) override;
  [[nodiscard]] std::vector<core::Verdict> check_tables() override;
  [[nodiscard]] core::StoreVitals vitals() override;
  [[nodiscard]] std::vector<core::AuditEntry> list_audit(const AuditPage& page) override;
  [[nodiscard]] Due find_due(const DueLimits& limits) override;

  [[nodiscard]] std::optional<StoredRun> find_run(const core::RunId& id, RunParts parts) override;
  [[nodiscard]] std::vector<core::Run> list_runs(const RunPage& page) override;
  [[nodiscard]] std::vector<StoredEvent> list_run_events(const core::RunId& run, std::int64_t after,
                                                         std::size_t limit) override;

  // Uses the write connection, because any other one would count our own commits as foreign. If a transaction
  // has the connection, its beginning has already checked.
  [[nodiscard]] bool may_have_changed() override;
  // The checkpointer copies the log into the database as it grows. But while readers always overlap, the log
  // never restarts from its beginning.
  void maintain() override;
  // A new connection reads the files, not the caches of the other connections.
  void check_ready() override;
  [[nodiscard]] StoreTraits traits() const override { return {.flushes_apart = true, .has_sql = true}; }
  void await_durable(CommitNumber number) override;

 private:
  [[nodiscard]] std::unique_ptr<SqliteTransaction> begin_transaction();

  // Records new clock steps, inside a write transaction; repeated until such a transaction has been
  // committed.
  void share_clock(const core::ClockState& clock);

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
  [[nodiscard]] CommitNumber seen_by_snapshot();
  [[nodiscard]] bool knows(std::span<const LaneKey> keys) const;
  void make_lanes(std::span<const LaneKey> keys);
  // The caller holds the writer's turn.
  void begin_writing();
  // The caller holds the writer's turn.
  void notice_foreign_commits();
  // The caller holds the writer's turn. Another program may migrate the file, which shows as a foreign
  // commit.
  [[nodiscard]] int find_schema();

  BridgedClock clock_;
  std::string log_path_;
  Flusher flusher_;
  const FileWatch files_;
  std::unique_ptr<LogMark> mark_;
  RememberedTasks remembered_;
  LaneCache lanes_;
  std::mutex writer_turn_;
  Turnstile turnstile_;
  std::unique_ptr<Connection> writer_;
  std::int64_t foreign_version_ = 0;
  int schema_found_ = 0;
  std::int64_t clock_steps_saved_ = 0;
  std::atomic<bool> was_changed_ = false;
  std::atomic<bool> is_writing_ = false;  // the write lock is held, and foreign commits were noticed
  ReaderPool readers_;
  Checkpointer checkpointer_;
};

}  // namespace pawl::store::sqlite
