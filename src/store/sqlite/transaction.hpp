#pragma once
// A write transaction: it holds the only write connection from BEGIN IMMEDIATE to the commit or its
// destruction. With one writer at a time, a row that was read cannot change before the commit, so no other
// locks are needed.

#include <atomic>
#include <mutex>
#include <vector>

#include "core/base/env.hpp"
#include "store/bridged_clock.hpp"
#include "store/lanes.hpp"
#include "store/sqlite/checkpointer.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/file_watch.hpp"
#include "store/sqlite/flusher.hpp"
#include "store/sqlite/log_mark.hpp"
#include "store/sqlite/remembered.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

class SqliteTransaction final : public Transaction {
 public:
  // The connection has begun a transaction and belongs to this object until it ends.
  struct Around {
    Connection& connection;
    Flusher& flusher;
    Checkpointer& checkpointer;
    RememberedTasks& remembered;
    const LaneCache& lanes;
    const FileWatch& files;
    LogMark& mark;
    std::atomic<bool>& is_writing;
  };
  SqliteTransaction(std::unique_lock<std::mutex> turn, const Around& around)
      : turn_(std::move(turn)),
        connection_(around.connection),
        flusher_(around.flusher),
        checkpointer_(around.checkpointer),
        remembered_(around.remembered),
        lanes_(around.lanes),
        files_(around.files),
        mark_(around.mark),
        is_writing_(around.is_writing) {}
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;
  ~SqliteTransaction() override;

  void read_clock(BridgedClock& clock);
  // Runs the user's statements before anything else; `now` is read after them.
  [[nodiscard]] bool begin_with(const SqlWork& work, BridgedClock& clock);

  [[nodiscard]] const Start& start() const override { return start_; }
  [[nodiscard]] Loaded load(const LoadRequest& request) override;
  [[nodiscard]] std::vector<Line> lock_lines(std::span<const LineRef> refs) override;
  [[nodiscard]] std::vector<core::TaskRecord> first_waiting(const LineRef& ref, std::size_t count) override;
  [[nodiscard]] std::vector<core::LaneTurns> lock_turns(std::span<const TurnsRef> refs) override;
  [[nodiscard]] std::vector<LockedQueue> lock_queues(std::span<const QueueRef> refs) override;
  [[nodiscard]] std::vector<std::int64_t> count_held(std::span<const HolderRef> holders) override;
  [[nodiscard]] std::vector<std::optional<core::Record>> lock_records(
      std::span<const core::RecordRef> refs) override;
  [[nodiscard]] std::vector<core::FinishedTask> lock_finished(std::span<const core::TaskId> ids) override;
  [[nodiscard]] std::vector<core::TaskRecord> take_ready(std::span<const LaneShare> lanes,
                                                         std::size_t max) override;
  [[nodiscard]] std::vector<std::optional<StoredRun>> lock_runs(std::span<const core::RunId> ids) override;
  [[nodiscard]] std::vector<std::optional<StoredRun>> peek_runs(std::span<const PeekRun> peeks) override;
  [[nodiscard]] std::vector<std::optional<core::Node>> load_nodes(std::span<const NodeRef> refs) override;
  [[nodiscard]] std::vector<core::Node> list_nodes(const core::RunId& run, NodeFilter filter) override;
  [[nodiscard]] std::vector<core::Signal> list_signals(const core::RunId& run,
                                                       const SignalFilter& filter) override;
  [[nodiscard]] std::vector<RunTask> list_run_tasks(const core::RunId& run,
                                                    const core::TaskId* only) override;
  [[nodiscard]] CommitNumber seen() override { return flusher_.last(); }
  CommitNumber write(const WriteSet& writes, Durability durability) override;

 private:
  [[nodiscard]] std::vector<std::optional<core::Attempt>> read_attempts(std::span<const core::LeaseRef> refs);
  [[nodiscard]] std::vector<std::optional<core::RunId>> read_run_keys(std::span<const RunKeyRef> refs);
  [[nodiscard]] std::vector<std::int64_t> read_last_checkpoints(std::span<const core::Uuid> owners);
  [[nodiscard]] std::vector<std::optional<core::Record>> read_records(std::span<const core::RecordRef> refs);
  [[nodiscard]] core::QueueSettings find_settings(const QueueRef& ref);

  std::unique_lock<std::mutex> turn_;
  Connection& connection_;
  Flusher& flusher_;
  Checkpointer& checkpointer_;
  RememberedTasks& remembered_;
  bool has_user_sql_ = false;
  bool is_committing_ = false;
  const LaneCache& lanes_;
  const FileWatch& files_;
  LogMark& mark_;
  std::atomic<bool>& is_writing_;
  bool has_advanced_mark_ = false;
  Start start_;
};

}  // namespace pawl::store::sqlite
