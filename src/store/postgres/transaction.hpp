#pragma once
// A write transaction on a borrowed connection. store.hpp describes the calls. Begin and commit are in
// transaction.cpp; each other file has the calls of its noun, reads and writes apart where both are long:
// task_load.cpp, task_claim.cpp, task_writes.cpp, run_load.cpp, run_writes.cpp, lines.cpp, fair.cpp,
// queues.cpp, records.cpp, erase.cpp.

#include <map>
#include <vector>

#include "store/postgres/pool.hpp"
#include "store/postgres/shared.hpp"
#include "store/postgres/task_writes.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

class PostgresTransaction final : public Transaction {
 public:
  struct Begun {
    ServerClock::Time time;
    std::uint64_t life = 0;
    std::int64_t number = 0;  // the server's transaction id, for looking up a lost commit; 0: not known yet
    bool is_synchronous = false;  // commits wait for a standby
    bool is_guessed = false;      // the time is an estimate; the group may be repeated
    std::map<QueueRef, core::QueueSettings> queues = {};
    std::map<core::RecordRef, std::optional<core::Record>> records = {};
    std::map<HolderRef, std::int64_t> held = {};  // their records are locked
  };
  PostgresTransaction(Shared& shared, Pool::Loan connection, Begun begun)
      : shared_(shared),
        connection_(std::move(connection)),
        start_{.now = begun.time.now,
               .claims_at = begun.time.now,
               .now_behind_max = behind_max(shared, begun),
               .clock = std::move(begun.time.state),
               .life = begun.life},
        number_(begun.number),
        is_synchronous_(begun.is_synchronous),
        is_guessed_(begun.is_guessed),
        queues_(std::move(begun.queues)),
        records_(std::move(begun.records)),
        counted_(std::move(begun.held)) {}
  PostgresTransaction(const PostgresTransaction&) = delete;
  PostgresTransaction& operator=(const PostgresTransaction&) = delete;
  ~PostgresTransaction() override;

  // For a transaction that began with an estimate, once the server has replied.
  void set_begun(std::int64_t number, bool is_synchronous) {
    number_ = number;
    is_synchronous_ = is_synchronous;
  }

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
  [[nodiscard]] CommitNumber seen() override {
    return is_synchronous_ ? shared_.replication.next_commit() : kDurable;
  }
  CommitNumber write(const WriteSet& writes, Durability durability) override;

 private:
  // The server rejects the group if the difference is larger.
  [[nodiscard]] static core::Duration behind_max(const Shared& shared, const Begun& begun) {
    const bool may_be_wrong = begun.is_guessed && shared.options.clock == nullptr;
    return may_be_wrong ? HeardClock::kLateMax : core::Duration{0};
  }

  [[nodiscard]] std::vector<std::optional<core::Attempt>> read_attempts(std::span<const core::LeaseRef> refs);
  [[nodiscard]] std::vector<std::optional<core::RunId>> read_run_keys(std::span<const RunKeyRef> refs);
  [[nodiscard]] std::vector<std::int64_t> read_last_checkpoints(std::span<const core::Uuid> owners);
  [[nodiscard]] std::vector<std::optional<core::Record>> read_records(std::span<const core::RecordRef> refs);
  // The first task that a claim took out of a lane; lowers the lane's mark if the claim does not commit.
  struct Taken {
    const core::Lane* lane = nullptr;
    Position first = {};
  };
  // A lane of the current claim.
  struct Source {
    LaneShare share;
    ReadyMarks::Start start;
    std::int64_t taken = 0;
  };

  [[nodiscard]] bool knows(std::span<const QueueRef> queues) const;
  // Reads the answer to `sql::now`, which was sent after a lock.
  void note_locked(const Rows& answer);
  bool try_lock_lines(std::span<const LineRef> refs, std::vector<Line>& lines);
  std::vector<core::TaskRecord> take_from(std::span<Source> sources, std::size_t max);
  void ask_for_ready(std::span<const Source> sources, std::size_t max);
  void ask_for_turns(std::span<const Source> sources);
  void ask_for_ranks(std::span<const Source> sources, std::size_t max);
  void fill_in_facts(std::vector<core::TaskRecord>& records);
  void note_taken(std::span<Source> sources, const std::vector<core::TaskRecord>& records, std::size_t max);

  // How run events are inserted: with the other writes, where a lost race is a server error (all_or_error);
  // alone, where a lost race inserts none (may_be_none); before the other writes (appended). Comparing has a
  // cost: groups with many events are compared only if a race was lost recently.
  enum class Events : std::uint8_t { all_or_error, may_be_none, appended };
  [[nodiscard]] Events events_of(const WriteSet& writes) const;
  // Only events are written, so that a commit that inserts none of them changes nothing.
  [[nodiscard]] static bool appends_alone(const WriteSet& writes);
  // In a separate round trip, so that a lost race shows before the other writes are sent.
  void append_events_first(const WriteSet& writes);
  // Reads the reply to send_append.
  [[nodiscard]] static bool has_appended(const Rows& answer);
  [[noreturn]] void lost_run_race();
  [[nodiscard]] FirstLeases send_writes(const WriteSet& writes, Events events);
  void send_held();
  void send_lines(const std::vector<LineWrite>& lines);
  void send_turns(const std::vector<TurnsWrite>& writes);
  void send_queues(const std::vector<QueueWrite>& queues);
  void send_records(const std::vector<RecordWrite>& writes);
  void send_record_locks(std::span<const core::RecordRef> refs);
  void send_runs_seen(const std::vector<RunAt>& seen);
  void send_runs(const WriteSet& writes, Events events);
  void send_checkpoints(const std::vector<CheckpointWrite>& writes);
  void send_audit(const std::vector<core::AuditEntry>& entries);
  void send_erased(const WriteSet& writes);
  // Throws `retry` if a lane's id is from an earlier life and may mean another lane.
  void check_lanes(const WriteSet& writes) const;
  // No new life has begun, so the results of this transaction may be cached.
  [[nodiscard]] bool is_current() const { return start_.life == shared_.server.lives.current(); }
  void settle_lost_commit(const Failure& failure, Events events);
  void note_committed(const WriteSet& writes);
  void remember(const WriteSet& writes, const FirstLeases& leases, const std::vector<Rows>& answers);

  Shared& shared_;
  Pool::Loan connection_;
  Start start_;
  std::int64_t number_;
  bool is_synchronous_;
  const bool is_guessed_;
  const std::map<QueueRef, core::QueueSettings> queues_;                  // as of the start
  const std::map<core::RecordRef, std::optional<core::Record>> records_;  // as of the start
  const std::map<HolderRef, std::int64_t> counted_;                       // as of the start, and locked
  bool is_open_ = true;
  std::vector<Taken> taken_;
  Addresses addresses_;                      // of loaded and locked rows
  std::vector<core::TaskId> held_;           // loaded from the cache: the commit compares them
  std::vector<LineRef> lines_without_head_;  // locked by this transaction
};

}  // namespace pawl::store::postgres
