#pragma once
// A transaction of the memory store: it holds the store's lock and changes nothing before `commit`.

#include <mutex>
#include <set>

#include "store/memory/state.hpp"

namespace pawl::store::memory {

class MemoryTransaction final : public Transaction {
 public:
  MemoryTransaction(State& state, std::unique_lock<std::recursive_mutex> lock, core::TimePoint now,
                    std::shared_ptr<const core::ClockState> clock)
      : state_(state),
        lock_(std::move(lock)),
        start_{.now = now, .claims_at = now, .clock = std::move(clock)} {}

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
  CommitNumber write(const WriteSet& writes, Durability durability) override;

 private:
  [[nodiscard]] std::vector<std::optional<core::Attempt>> read_attempts(std::span<const core::LeaseRef> refs);
  [[nodiscard]] std::vector<std::optional<core::RunId>> read_run_keys(std::span<const RunKeyRef> refs);
  [[nodiscard]] std::vector<std::int64_t> read_last_checkpoints(std::span<const core::Uuid> owners);
  void check_guards(const WriteSet& writes) const;
  void check_records(const WriteSet& writes) const;
  void write_task(const TaskWrite& write);
  void write_turns(const TurnsWrite& write);
  void write_records(const WriteSet& writes);
  void check_runs(const WriteSet& writes) const;
  void write_runs(const WriteSet& writes);
  void append(const core::Uuid& owner, core::Checkpoint checkpoint);
  void check_erased(const WriteSet& writes) const;
  void erase(const WriteSet& writes);

  State& state_;
  std::unique_lock<std::recursive_mutex> lock_;
  Start start_;
  std::set<core::TaskId> taken_;
};

}  // namespace pawl::store::memory
