#pragma once
// The interface between the engine and a database, as domain verbs. memory/ (the model), sqlite/ and
// postgres/ implement it; the conformance suite holds them to the same behavior.
//
// A write is one Transaction: it loads and locks the rows that a group of commands touches, the engine
// decides, and `commit` writes all changes and commits. Only `take_ready` writes before `commit`. Destroying
// a transaction without `commit` rolls everything back. Guards are compare-and-set: if a row has left the
// place or the fence it was loaded at, `commit` throws StoreError of kind `retry`.
//
// Reads use their own connections and see the last committed state. A Store is thread-safe; a Transaction
// belongs to one thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/store_clock.hpp"
#include "core/base/vitals.hpp"
#include "core/queue/queue.hpp"
#include "core/records/maintenance.hpp"
#include "core/records/record.hpp"
#include "core/records/retention.hpp"
#include "core/task/command.hpp"
#include "core/task/task.hpp"
#include "store/runs.hpp"
#include "store/sql.hpp"

namespace pawl::store {

// An error that ends the unit of work.
class StoreError : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t {
    retry,        // deadlock, serialization failure or lost race: the same work may be retried immediately
    unavailable,  // unreachable, disk full or read-only: retry later
    timeout,      // took too long and was aborted
    unknown,      // the commit was sent and its outcome is unknown
    conflict,     // a unique constraint that the engine does not expect
    invalid,      // a foreign key violation
    schema,       // migrations are missing, newer than this binary, or changed
    internal,     // our SQL is wrong, or the file is corrupt
  };
  StoreError(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] core::Problem problem() const;

 private:
  Kind kind_;
};

struct LaneKey {
  std::string ns;
  std::string queue;
  std::string type;
  std::int32_t priority = 0;
  bool of_runs = false;
  bool fair = false;

  auto operator<=>(const LaneKey&) const = default;
};

// Enqueue is idempotent per namespace and type.
struct IdempotencyRef {
  std::string ns;
  std::string type;
  std::string key;

  auto operator<=>(const IdempotencyRef&) const = default;
};

struct QueueRef {
  std::string ns;
  std::string name;

  auto operator<=>(const QueueRef&) const = default;
};

// The key line: the tasks of one entity. `head` is the one that may run (ready, scheduled or leased); the
// others are in the waiting table, ordered by position, then id. The store has no row for a line without a
// head.
struct LineRef {
  std::string ns;
  std::string queue;
  std::string key;

  auto operator<=>(const LineRef&) const = default;
};
struct Line {
  std::optional<core::TaskId> head = {};
  std::int64_t tail = 0;  // the last assigned position
};
// Special positions. Assigned positions start at 1.
constexpr std::int64_t kBeforeOthers = -1;  // precedes the others: core::has_had_turn
constexpr std::int64_t kHeldByRun = 0;      // in no line

struct LoadTask {
  core::TaskId id;
  bool facts = false;  // load the facts too (retry policy, payload, …), not only the narrow tables and key
  struct HeldLease {
    std::int64_t fence = 0;
    std::string_view worker_id = {};

    bool operator==(const HeldLease&) const = default;
  };
  // What the task is loaded for. Without a hint it is locked and current, which is always correct. With one,
  // an unlocked and possibly stale copy of its lease suffices, because `write` compares the lease.
  struct Hints {
    // Only to end this lease. If it is current, the task is written.
    std::optional<HeldLease> ended_lease = {};
    // Only to check that the task is held with this fence, because another write depends on it
    // (WriteSet::DependsOn).
    std::optional<std::int64_t> expected_fence = {};
  };
  Hints hints = {};
};

// Tasks to lock, and rows to look up by their keys. The spans must outlive the call.
struct LoadRequest {
  std::vector<LoadTask> tasks = {};  // distinct
  std::vector<IdempotencyRef> idempotency = {};
  std::vector<QueueRef> queues = {};
  std::span<const core::LeaseRef> attempts = {};
  std::span<const RunKeyRef> run_keys = {};
  std::span<const core::Uuid> checkpoint_owners = {};
  std::span<const core::RecordRef> records = {};  // not locked: they never change or may be slightly stale
};
// In the order of the request.
struct Loaded {
  std::vector<std::optional<core::TaskRecord>> tasks = {};
  std::vector<std::optional<core::TaskId>> idempotency = {};
  std::vector<core::QueueSettings> queues = {};             // defaults for queues without settings
  std::vector<std::optional<core::Attempt>> attempts = {};  // the stored attempt of each (task, fence)
  // If two groups assign the same key, one of them gets `retry`.
  std::vector<std::optional<core::RunId>> run_keys = {};
  std::vector<std::int64_t> last_checkpoints = {};  // the last assigned sequence of each owner, 0 if none
  std::vector<std::optional<core::Record>> records = {};
};

struct HeldInLane {
  const core::Lane* lane = nullptr;
  std::int64_t held = 0;  // claimed and running
};
struct LockedQueue {
  core::QueueSettings settings = {};
  std::vector<HeldInLane> held = {};
};

// A fair lane and the fairness keys whose tasks are about to get turns in it, sorted and distinct.
struct TurnsRef {
  const core::Lane* lane = nullptr;
  std::vector<std::string> keys = {};
};

struct HolderRef {
  std::string ns;
  std::string worker_id;

  auto operator<=>(const HolderRef&) const = default;
};

struct LaneShare {
  const core::Lane* lane = nullptr;
  std::int64_t max = 0;  // take at most this many from this lane
};

// A task after the group's decisions.
struct TaskWrite {
  bool is_new = false;                      // store the facts too
  bool has_key = false;                     // its idempotency key already names it
  core::Place from = core::Place::nowhere;  // where it was loaded; nowhere if new or from take_ready
  std::int64_t fence_before = 0;            // the fence it was loaded at; compared when it leaves `from`
  const core::TaskRecord* record = nullptr;
  std::int64_t line_position = kHeldByRun;  // for the waiting table: kBeforeOthers or an assigned position
  std::vector<core::Attempt> attempts = {};
  std::vector<core::RawJson> error_boundaries = {};
};
struct LineWrite {
  LineRef ref;
  Line line;  // without a head: the line is deleted
};
struct TurnsWrite {
  const core::Lane* lane = nullptr;
  core::LaneTurns turns = {};
};
struct CountsWrite {
  const core::Lane* lane = nullptr;
  core::QueueCounts delta = {};
};
struct QueueWrite {
  QueueRef ref;
  core::QueueSettings settings;
};
// A record after the group's decisions; `commit` compares the version that was loaded.
struct RecordWrite {
  core::RecordRef ref = {};
  std::int64_t version_before = 0;          // 0: the record must not exist
  std::optional<core::Record> record = {};  // none: delete the record
};
struct CheckpointWrite {
  core::Uuid owner = {};  // a task or a run
  core::Checkpoint checkpoint = {};
  std::int64_t kept = core::kCheckpointsKept;  // checkpoints to keep for this owner, including this one
};
// Deletes a run with its nodes, signals, events and checkpoints. Its tasks are listed separately.
struct RunErase {
  core::RunId id = {};
  std::int64_t sequence = 0;          // compared
  std::optional<RunKeyRef> key = {};  // deleted if it still names the run
};
struct WriteSet {
  // What a result depends on, although it is not written: compared even if there is nothing to store.
  struct DependsOn {
    std::vector<RunAt> runs = {};  // these runs are unchanged
    bool leases = false;           // tasks that were loaded with an expected fence are still held with it
  };

  std::vector<TaskWrite> tasks = {};
  std::vector<LineWrite> lines = {};
  std::vector<TurnsWrite> turns = {};  // as locked, plus the turns given since
  std::vector<CountsWrite> counts = {};
  std::vector<QueueWrite> queues = {};
  std::vector<RecordWrite> records = {};
  std::vector<CheckpointWrite> checkpoints = {};  // appended ones; stored before error boundaries
  std::vector<core::AuditEntry> audit = {};
  std::vector<RunWrite> runs = {};
  std::vector<RunKeyWrite> run_keys = {};
  // All rows of these tasks are deleted. They are finished, and locked by `lock_finished`.
  std::vector<core::FinishedTask> erased_tasks = {};
  std::vector<RunErase> erased_runs = {};
  std::optional<std::int64_t> audit_erased_to = {};  // delete all entries up to this one
  DependsOn depends_on = {};

  // True if there is nothing to store.
  [[nodiscard]] bool is_nothing() const {
    return tasks.empty() && lines.empty() && queues.empty() && records.empty() && checkpoints.empty() &&
           audit.empty() && runs.empty() && erased_tasks.empty() && erased_runs.empty() && !audit_erased_to;
  }
};

// Hints about a transaction that is about to begin. They save round trips and never change a result; the
// defaults are always correct. A remote store prefetches what will probably be read in the round trip that
// begins the transaction, and omits that round trip if the group may be repeated.
struct Hints {
  std::vector<QueueRef> queues = {};          // will probably be loaded
  std::vector<core::RecordRef> records = {};  // will probably be loaded
  std::optional<HolderRef> holder = {};       // its leases will be counted, unless its record is locked
  // The group may run again if the outcome of its commit is unknown.
  bool may_be_repeated = false;

  // True if there is nothing to prefetch.
  [[nodiscard]] bool is_nothing() const { return queues.empty() && records.empty() && !holder; }
};

// Commits are numbered in commit order.
using CommitNumber = std::uint64_t;
constexpr CommitNumber kDurable = 0;

// What a transaction knows from its beginning.
struct Start {
  core::TimePoint now = {};  // store time, read once
  // Start time for claims: store time as read after the last lock that `lock_queues` or `count_held` may have
  // waited for. Without such a lock it is `now`.
  core::TimePoint claims_at = {};
  // How far the clock may have been ahead of `now` at that moment: zero, unless `now` was estimated.
  core::Duration now_behind_max = core::Duration{0};
  // The recorded clock steps that `now` was bridged over. Shared with the store, which replaces it at a step.
  std::shared_ptr<const core::ClockState> clock = {};
  // The store's life that this transaction belongs to. Data read in an earlier life must not be used in it.
  std::uint64_t life = 0;
};

enum class Durability : std::uint8_t {
  on_return,  // everything is durable when the call returns
  // Durable when Store::await_durable has returned for the number. Until then no reply may reveal it.
  awaited,
};

class Transaction : public RunVerbs {
 public:
  // The destructor rolls back uncommitted writes.

  [[nodiscard]] virtual const Start& start() const = 0;
  [[nodiscard]] core::TimePoint now() const { return start().now; }
  [[nodiscard]] core::TimePoint claims_at() const { return start().claims_at; }
  [[nodiscard]] core::Duration now_behind_max() const { return start().now_behind_max; }
  [[nodiscard]] const core::ClockState& clock() const { return *start().clock; }
  [[nodiscard]] std::uint64_t life() const { return start().life; }

  // Locks the tasks until the end; a missing task is nullopt. Other rows are read, not locked.
  [[nodiscard]] virtual Loaded load(const LoadRequest& request) = 0;

  // Locks lines, existing or not; `refs` are sorted and distinct.
  [[nodiscard]] virtual std::vector<Line> lock_lines(std::span<const LineRef> refs) = 0;

  // The first `count` waiting tasks of a locked line, in order, locked and with facts.
  [[nodiscard]] virtual std::vector<core::TaskRecord> first_waiting(const LineRef& ref,
                                                                    std::size_t count) = 0;

  // Locks the turns given so far in fair lanes; `refs` are sorted by lane id and distinct.
  [[nodiscard]] virtual std::vector<core::LaneTurns> lock_turns(std::span<const TurnsRef> refs) = 0;

  // Locks queues with limits against claims of other nodes, and returns how many tasks are held in each of
  // their lanes. `refs` are sorted and distinct.
  [[nodiscard]] virtual std::vector<LockedQueue> lock_queues(std::span<const QueueRef> refs) = 0;

  // Counts the leases of each worker. Locks the workers' records, so that claims for one worker on all nodes
  // are serialized: each counts what the one before has committed. `holders` are sorted and distinct.
  [[nodiscard]] virtual std::vector<std::int64_t> count_held(std::span<const HolderRef> holders) = 0;

  // Locks the records that exist; `refs` are sorted and distinct. If two groups create the same record, one
  // of them gets `retry`.
  [[nodiscard]] virtual std::vector<std::optional<core::Record>> lock_records(
      std::span<const core::RecordRef> refs) = 0;

  // Locks the finished ones among the tasks; `ids` are sorted and distinct.
  [[nodiscard]] virtual std::vector<core::FinishedTask> lock_finished(std::span<const core::TaskId> ids) = 0;

  // Takes up to `max` claimable tasks out of the ready table, ordered by priority, then core::lane_time, then
  // id, over all lanes together. Either all lanes are fair, with shares that add up to `max`, or none is. The
  // records have facts and place = nowhere: each must be written to a place before the commit, back to ready
  // if it was not claimed.
  [[nodiscard]] virtual std::vector<core::TaskRecord> take_ready(std::span<const LaneShare> lanes,
                                                                 std::size_t max) = 0;

  // The last commit that this transaction can see so far. Results of its reads may be replied once that
  // commit is durable.
  [[nodiscard]] virtual CommitNumber seen() { return kDurable; }

  // Writes and commits. On an exception nothing is stored, except for kind `unknown`.
  void commit(const WriteSet& writes) { (void)write(writes, Durability::on_return); }
  [[nodiscard]] CommitNumber commit_soon(const WriteSet& writes) {
    return write(writes, Durability::awaited);
  }
  // A store may be durable earlier than required: it returns kDurable then.
  virtual CommitNumber write(const WriteSet& writes, Durability durability) = 0;
};

struct StoredTask {
  core::TaskRecord record;
  std::vector<core::Attempt> attempts;  // oldest first
};

struct TaskFilter {
  std::string ns;
  std::vector<core::TaskStatus> statuses = {};  // empty: all
  std::optional<std::string> queue = {};
  std::optional<std::string> type = {};
  std::optional<std::string> key = {};
  std::optional<std::string> worker_id = {};  // of the current lease
  std::optional<core::RunId> run = {};
  std::optional<std::pair<std::string, std::string>> label = {};
  std::optional<core::TimePoint> created_after = {};   // exclusive
  std::optional<core::TimePoint> created_before = {};  // exclusive
};

struct TaskPage {
  TaskFilter filter;
  bool newest_first = true;
  std::optional<core::TaskId> after = {};  // the last id of the previous page
  std::size_t limit = 50;
};

struct DueTasks {
  std::vector<core::TaskId> ids = {};
  std::optional<core::TimePoint> next = {};  // due time of the first task after those
};

// How many rows of each kind of due work to read. None are read where the limit is 0.
struct DueLimits {
  std::size_t leases = 0;
  std::size_t tasks = 0;
  std::size_t runs = 0;
  std::size_t stuck_runs = 0;
  core::Duration stuck_after = {};  // a running run is stuck if it has not changed for so long
};
// Ordered by due time; stuck runs by id.
struct Due {
  std::vector<core::LeaseRef> leases = {};
  DueTasks tasks = {};
  DueRuns runs = {};  // runs that are already ending have no deadline
  std::vector<core::RunId> stuck_runs = {};
};

struct CheckpointFilter {
  core::Uuid owner = {};
  std::optional<std::string> type = {};
  bool latest = false;  // only the last one
};

struct RecordPage {
  core::RecordKind kind = core::RecordKind::lock;
  std::string ns = {};
  std::string after_key = {};  // exclusive
  std::size_t limit = 50;
};
struct AllRecords {
  core::RecordRef after = {};  // exclusive
  std::size_t limit = 50;
};
struct DueRecords {
  core::RecordKind kind = core::RecordKind::lock;
  std::size_t limit = 50;
};
// The record with a name; the records of a kind and namespace, ordered by key, bytewise; those of all kinds
// and namespaces, ordered by kind, namespace and key; or those of a kind that have expired by store time,
// ordered by that time.
using RecordSelection = std::variant<core::RecordRef, RecordPage, AllRecords, DueRecords>;

struct AuditPage {
  bool newest_first = true;
  std::optional<std::int64_t> after = {};  // the number of the last entry of the previous page
  std::size_t limit = 50;
};

// A scan of finished tasks in id order, which is creation order.
struct FinishedPage {
  core::TaskId after = {};   // exclusive
  core::TaskId before = {};  // exclusive
  std::size_t limit = 500;   // how many rows to scan, finished or not
};
struct FinishedTasks {
  std::vector<core::FinishedTask> tasks = {};
  std::optional<core::TaskId> next = {};  // where to continue; none: at the end
};

// What kind of store this is.
struct StoreTraits {
  int writers = 1;             // how many commit loops are useful
  bool flushes_apart = false;  // a commit does part of its work after `commit_soon` has returned
  bool has_sql = false;        // `begin_with` is possible
  bool has_inbox = false;      // the schema has SQL functions that leave calls in the inbox
  // Rises when the database may have lost commits that this node has seen: a failover, a crash or a restore.
  // Data that was read before may no longer exist.
  std::uint64_t life = 0;
};

struct RowCounts {
  std::int64_t tasks = 0;
  std::int64_t runs = 0;
};

class LaneCache;

class Store : public RunReads {
 public:
  // Lanes are created once and kept; creating one is a commit of its own.
  [[nodiscard]] virtual std::vector<const core::Lane*> intern_lanes(std::span<const LaneKey> keys) = 0;
  // The cached lanes; beginning a transaction also loads the lanes that other nodes created.
  [[nodiscard]] virtual const LaneCache& lanes() const = 0;
  [[nodiscard]] std::vector<const core::Lane*> lanes_of(const QueueRef& queue) const;
  [[nodiscard]] const core::Lane* find_lane(const LaneKey& key) const;  // null if it is not cached
  [[nodiscard]] std::vector<std::string> namespaces() const;            // sorted
  // A hint that saves reads. False only if nothing was claimable in the lane a moment ago and this node has
  // put nothing there since.
  [[nodiscard]] virtual bool may_be_claimable(const core::Lane& /*lane*/) const { return true; }

  // May block until the write lock is free.
  [[nodiscard]] std::unique_ptr<Transaction> begin() { return begin(Hints{}); }
  [[nodiscard]] std::unique_ptr<Transaction> begin(const Hints& hints) { return begin_after(hints, nullptr); }
  // Runs the user's statements first, in the same transaction; only where the store has SQL. Null if `work`
  // returns false. Throws what `work` throws.
  [[nodiscard]] std::unique_ptr<Transaction> begin_with(const SqlWork& work) {
    return begin_after(Hints{}, &work);
  }
  // Both of these; `work` is null or comes with default hints.
  [[nodiscard]] virtual std::unique_ptr<Transaction> begin_after(const Hints& hints, const SqlWork* work) = 0;

  [[nodiscard]] virtual core::TimePoint now() = 0;
  // The recorded clock steps, as this node last read them.
  [[nodiscard]] virtual core::ClockState clock_state() = 0;
  [[nodiscard]] virtual std::optional<StoredTask> find_task(const core::TaskId& id) = 0;
  [[nodiscard]] virtual std::vector<StoredTask> list_tasks(const TaskPage& page) = 0;
  [[nodiscard]] virtual std::vector<core::TaskId> list_task_ids(const TaskPage& page) = 0;
  [[nodiscard]] virtual std::vector<core::Queue> list_queues(const std::string& ns) = 0;
  // Oldest first.
  [[nodiscard]] virtual std::vector<core::Checkpoint> list_checkpoints(const CheckpointFilter& filter) = 0;
  [[nodiscard]] virtual core::CheckpointSummary summarize_checkpoints(const core::Uuid& owner) = 0;
  [[nodiscard]] virtual std::vector<core::Record> select_records(const RecordSelection& selection) = 0;
  [[nodiscard]] std::optional<core::Record> find_record(const core::RecordRef& ref);
  [[nodiscard]] std::vector<core::Record> list_records(const RecordPage& page) {
    return select_records(page);
  }
  [[nodiscard]] std::vector<core::Record> due_records(core::RecordKind kind, std::size_t limit) {
    return select_records(DueRecords{.kind = kind, .limit = limit});
  }
  [[nodiscard]] virtual std::vector<core::AuditEntry> list_audit(const AuditPage& page) = 0;

  // Due work for the ticker, by store time. Not locked: the commands check again.
  [[nodiscard]] virtual Due find_due(const DueLimits& limits) = 0;
  [[nodiscard]] std::vector<core::LeaseRef> due_leases(std::size_t limit) {
    return find_due({.leases = limit}).leases;
  }
  [[nodiscard]] DueTasks due_tasks(std::size_t limit) { return find_due({.tasks = limit}).tasks; }
  [[nodiscard]] DueRuns due_runs(std::size_t limit) { return find_due({.runs = limit}).runs; }

  // For retention; not locked either.
  [[nodiscard]] virtual FinishedTasks list_finished(const FinishedPage& page) = 0;

  [[nodiscard]] virtual core::StoreVitals vitals() = 0;
  // For `verify`: counted and compared by the database, independently of what the other reads return.
  // `count_rows` counts rows with a lower id, then loads the lanes that other nodes created.
  [[nodiscard]] virtual RowCounts count_rows(const core::Uuid& before) = 0;
  [[nodiscard]] virtual std::vector<core::Verdict> check_tables() { return {}; }

  [[nodiscard]] virtual StoreTraits traits() const = 0;
  [[nodiscard]] int writers() const { return traits().writers; }
  [[nodiscard]] bool flushes_apart() const { return traits().flushes_apart; }
  [[nodiscard]] bool has_sql() const { return traits().has_sql; }
  [[nodiscard]] bool has_inbox() const { return traits().has_inbox; }
  [[nodiscard]] std::uint64_t life() const { return traits().life; }

  // Whether another process or node may have committed since the last call.
  [[nodiscard]] virtual bool may_have_changed() = 0;
  // Housekeeping that keeps the cost of a task constant; called about once a second, in parallel with the
  // commit loops.
  virtual void maintain() = 0;
  // Waits until this commit and all before it are durable. Throws StoreError of kind `unknown`.
  virtual void await_durable(CommitNumber /*number*/) {}
  // Throws StoreError if the store cannot serve although a read may succeed, for example because its file was
  // replaced or is damaged. Takes about a millisecond.
  virtual void check_ready() {}
};

}  // namespace pawl::store
