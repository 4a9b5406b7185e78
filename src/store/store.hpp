#pragma once
// What the engine needs of a database, as domain verbs. One implementation each in memory/ (the model),
// sqlite/ and postgres/; the conformance suite holds them to the same behaviour.
//
// A write is one Transaction: it loads what a group of commands touches (locked), the engine decides, and
// `commit` writes all changes and commits. Nothing is written before `commit` but what `take_ready` takes,
// and nothing survives a transaction that is destroyed without it. Guards are compare-and-set: a row that is
// not at the place and fence it was loaded at makes `commit` throw StoreError of kind `retry`.
//
// Reads run on their own connections and see the last committed state. A Store may be used from any thread; a
// Transaction belongs to one.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/command.hpp"
#include "core/maintenance.hpp"
#include "core/queue.hpp"
#include "core/record.hpp"
#include "core/retention.hpp"
#include "core/store_clock.hpp"
#include "core/task.hpp"
#include "core/vitals.hpp"
#include "store/runs.hpp"
#include "store/sql.hpp"

namespace pawl::store {

// What ends the unit of work; thrown.
class StoreError : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t {
    retry,        // deadlock, serialization, a lost race: the same work may be tried again at once
    unavailable,  // cannot be reached, disk full, read-only: later
    timeout,      // it took too long, and was ended
    unknown,      // the commit was sent and its outcome could not be learned
    conflict,     // a unique constraint that the engine does not know
    invalid,      // a foreign key
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

// Idempotent enqueue is per namespace and type.
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

// The line of the tasks of one entity. `head` is the one that may run (ready, scheduled or leased); the
// others stand in the waiting place, by position, then id. A line with no head does not exist in the store.
struct LineRef {
  std::string ns;
  std::string queue;
  std::string key;

  auto operator<=>(const LineRef&) const = default;
};
struct Line {
  std::optional<core::TaskId> head = {};
  std::int64_t tail = 0;  // the position given last
};
// Positions that are nobody's own, which begin with 1.
constexpr std::int64_t kBeforeOthers = -1;  // core::has_had_turn
constexpr std::int64_t kHeldByRun = 0;      // in no line

struct LoadTask {
  core::TaskId id;
  bool facts = false;  // retry policy, payload and so on, not only what the narrow tables hold (and the key)
  // Set where the task is only looked at to end this lease of it. A copy of the lease will do, unlocked and
  // perhaps out of date: if it is the one that is held, the task is written, and the commit compares it.
  struct HeldLease {
    std::int64_t fence = 0;
    std::string_view worker_id = {};

    bool operator==(const HeldLease&) const = default;
  };
  std::optional<HeldLease> only_to_end = {};
  // Set where the task is only looked at to see that it is held with this fence, for the sake of something
  // else that is written. A copy will do here too: the commit compares it (`WriteSet::compares_leases`).
  std::optional<std::int64_t> only_to_hold = {};
};

struct LoadRequest {
  std::vector<LoadTask> tasks = {};  // distinct
  std::vector<IdempotencyRef> idempotency = {};
  std::vector<QueueRef> queues = {};
};
// In the order of the request.
struct Loaded {
  std::vector<std::optional<core::TaskRecord>> tasks = {};
  std::vector<std::optional<core::TaskId>> idempotency = {};
  std::vector<core::QueueSettings> queues = {};  // defaults where nothing was set
};

struct HeldInLane {
  const core::Lane* lane = nullptr;
  std::int64_t held = 0;  // claimed and running
};
struct LockedQueue {
  core::QueueSettings settings = {};
  std::vector<HeldInLane> held = {};
};

// A fair lane, and the keys whose tasks are about to be given turns in it, sorted and distinct.
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
  std::int64_t max = 0;  // at most so many from this lane
};

// One task after the decisions of a group.
struct TaskWrite {
  bool is_new = false;                      // the facts are to be stored too
  core::Place from = core::Place::nowhere;  // where it was loaded; nowhere for a new task and a taken one
  std::int64_t fence_before = 0;            // what it was loaded at; compared when `from` is left
  const core::TaskRecord* record = nullptr;
  std::int64_t line_position = kHeldByRun;  // for the waiting place; kBeforeOthers, or its own
  std::vector<core::Attempt> attempts = {};
  std::vector<core::RawJson> error_boundaries = {};
};
struct LineWrite {
  LineRef ref;
  Line line;  // no head: the line is gone
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
// One record after the decisions of a group; compared with what it was loaded at.
struct RecordWrite {
  core::RecordRef ref = {};
  std::int64_t version_before = 0;          // 0: there must be none
  std::optional<core::Record> record = {};  // none: erased
};
struct CheckpointWrite {
  core::Uuid owner = {};  // a task or a run
  core::Checkpoint checkpoint = {};
  std::int64_t kept = core::kCheckpointsKept;  // of the owner's, with this one
};
// A run that goes, with its nodes, signals, events and checkpoints; its tasks are named apart.
struct RunErase {
  core::RunId id = {};
  std::int64_t sequence = 0;          // compared
  std::optional<RunKeyRef> key = {};  // goes if it still names the run
};
struct WriteSet {
  std::vector<TaskWrite> tasks = {};
  std::vector<LineWrite> lines = {};
  std::vector<TurnsWrite> turns = {};  // as they were locked, with what was given since
  std::vector<CountsWrite> counts = {};
  std::vector<QueueWrite> queues = {};
  std::vector<RecordWrite> records = {};
  std::vector<CheckpointWrite> checkpoints = {};  // those that were appended; stored before error boundaries
  std::vector<core::AuditEntry> audit = {};
  std::vector<RunWrite> runs = {};
  std::vector<RunAt> runs_seen = {};  // an answer rests on it that they are there
  std::vector<RunKeyWrite> run_keys = {};
  // Whatever is known of them goes. They are finished, and locked by `lock_finished`.
  std::vector<core::FinishedTask> erased_tasks = {};
  std::vector<RunErase> erased_runs = {};
  std::optional<std::int64_t> audit_erased_to = {};  // all entries up to this one
  bool compares_leases = false;  // an answer rests on a task that was loaded `only_to_hold`

  // Nothing is to be stored.
  [[nodiscard]] bool is_nothing() const {
    return tasks.empty() && lines.empty() && queues.empty() && records.empty() && checkpoints.empty() &&
           audit.empty() && runs.empty() && erased_tasks.empty() && erased_runs.empty() && !audit_erased_to;
  }
};

// What a transaction is likely to ask for: a store that is far away reads it along with the start.
struct Foreseen {
  std::vector<QueueRef> queues = {};          // to be loaded
  std::vector<core::RecordRef> records = {};  // to be peeked at
  std::optional<HolderRef> holder = {};       // to be counted, unless another transaction is at it
  // What it is for may be done once more if nobody can tell whether it was committed.
  bool may_be_repeated = false;

  // To be read.
  [[nodiscard]] bool is_nothing() const { return queues.empty() && records.empty() && !holder; }
};

// Commits are numbered in their order.
using CommitNumber = std::uint64_t;
constexpr CommitNumber kDurable = 0;

class Transaction : public RunVerbs {
 public:
  // Destroying it rolls back what was not committed.

  // The store's clock, read once when the transaction began.
  [[nodiscard]] virtual core::TimePoint now() const = 0;
  // The steps of that clock, over which `now` was bridged.
  [[nodiscard]] virtual const core::ClockState& clock() const = 0;
  // How far the clock may have been beyond `now` then: not at all, unless it was guessed.
  [[nodiscard]] virtual core::Duration now_behind_max() const { return core::Duration{0}; }
  // When claims begin: the store's clock as read after the last lock that `lock_queues` or `count_held` may
  // have waited for. Without such a lock it is `now`.
  [[nodiscard]] virtual core::TimePoint claims_at() const { return now(); }

  // Tasks are locked until the end; a task that does not exist is nothing. Queues are read, not locked.
  [[nodiscard]] virtual Loaded load(const LoadRequest& request) = 0;

  // The stored attempt of each (task, fence), if any.
  [[nodiscard]] virtual std::vector<std::optional<core::Attempt>> find_attempts(
      std::span<const core::LeaseRef> refs) = 0;

  // Locks lines, existing or not; `refs` are sorted and distinct.
  [[nodiscard]] virtual std::vector<Line> lock_lines(std::span<const LineRef> refs) = 0;

  // The first `count` waiting tasks of a line that is locked, in order, locked and with facts.
  [[nodiscard]] virtual std::vector<core::TaskRecord> first_waiting(const LineRef& ref,
                                                                    std::size_t count) = 0;

  // Locks what was given of turns in fair lanes; `refs` are sorted by their lanes' ids, and distinct.
  [[nodiscard]] virtual std::vector<core::LaneTurns> lock_turns(std::span<const TurnsRef> refs) = 0;

  // Locks queues that have limits against claims of other nodes, and says what is held now in each of their
  // lanes. `refs` are sorted and distinct.
  [[nodiscard]] virtual std::vector<LockedQueue> lock_queues(std::span<const QueueRef> refs) = 0;

  // How many leases each worker has now. Locks the workers' records, where the claims of one on all nodes
  // queue up: each counts what the one before has committed. `holders` are sorted and distinct.
  [[nodiscard]] virtual std::vector<std::int64_t> count_held(std::span<const HolderRef> holders) = 0;

  // Locks those that exist; `refs` are sorted and distinct. Of two groups that make the same record one is
  // told to retry.
  [[nodiscard]] virtual std::vector<std::optional<core::Record>> lock_records(
      std::span<const core::RecordRef> refs) = 0;
  // Not locked: for what never changes, or may be a moment old.
  [[nodiscard]] virtual std::optional<core::Record> peek_record(const core::RecordRef& ref) = 0;

  // The sequence given last to each owner, 0 if none.
  [[nodiscard]] virtual std::vector<std::int64_t> last_checkpoints(std::span<const core::Uuid> owners) = 0;

  // Locks those of the tasks that have ended; `ids` are sorted and distinct.
  [[nodiscard]] virtual std::vector<core::FinishedTask> lock_finished(std::span<const core::TaskId> ids) = 0;

  // Takes up to `max` claimable tasks out of the ready place: by priority, then core::lane_time, then id,
  // over all the lanes together; all of them are fair, with shares that come to `max`, or none is. With
  // facts, and with place = nowhere: each must be written to a place before the commit, back to the ready one
  // if it was not claimed after all.
  [[nodiscard]] virtual std::vector<core::TaskRecord> take_ready(std::span<const LaneShare> lanes,
                                                                 std::size_t max) = 0;

  // The store's life that it belongs to. Nothing that was read in an earlier one may be used in it.
  [[nodiscard]] virtual std::uint64_t life() const { return 0; }

  // The last commit that it can see so far: what was read here may be replied when that one is durable.
  [[nodiscard]] virtual CommitNumber seen() { return kDurable; }

  // Writes and commits. After it returns, all is durable; after it throws, nothing is stored, except for the
  // kind `unknown`.
  virtual void commit(const WriteSet& writes) = 0;
  // The same, but durable only when Store::await_durable has returned for its number. Until then it must not
  // be told to anybody.
  [[nodiscard]] virtual CommitNumber commit_soon(const WriteSet& writes) {
    commit(writes);
    return kDurable;
  }
};

struct StoredTask {
  core::TaskRecord record;
  std::vector<core::Attempt> attempts;  // oldest first
};

struct TaskFilter {
  std::string ns;
  std::vector<core::TaskStatus> statuses = {};  // none: all
  std::optional<std::string> queue = {};
  std::optional<std::string> type = {};
  std::optional<std::string> key = {};
  std::optional<std::string> worker_id = {};  // of the present lease
  std::optional<core::RunId> run = {};
  std::optional<std::pair<std::string, std::string>> label = {};
  std::optional<core::TimePoint> created_after = {};   // excluded
  std::optional<core::TimePoint> created_before = {};  // excluded
};

struct TaskPage {
  TaskFilter filter;
  bool newest_first = true;
  std::optional<core::TaskId> after = {};  // the last id of the page before
  std::size_t limit = 50;
};

struct DueTasks {
  std::vector<core::TaskId> ids = {};
  std::optional<core::TimePoint> next = {};  // when the next one after those is due
};

struct CheckpointFilter {
  core::Uuid owner = {};
  std::optional<std::string> type = {};
  bool latest = false;  // only the last one
};

struct RecordPage {
  core::RecordKind kind = core::RecordKind::lock;
  std::string ns = {};
  std::string after_key = {};  // excluded
  std::size_t limit = 50;
};

// A walk over finished tasks in the order of their ids, which is that of their creation.
struct FinishedPage {
  core::TaskId after = {};   // excluded
  core::TaskId before = {};  // excluded
  std::size_t limit = 500;   // how many rows are looked at, finished or not
};
struct FinishedTasks {
  std::vector<core::FinishedTask> tasks = {};
  std::optional<core::TaskId> next = {};  // where to go on; none: at the end
};

struct RowCounts {
  std::int64_t tasks = 0;
  std::int64_t runs = 0;
};

class Store : public RunReads {
 public:
  // Lanes are made once and kept; making one is a commit of its own.
  [[nodiscard]] virtual std::vector<const core::Lane*> intern_lanes(std::span<const LaneKey> keys) = 0;
  // Known so far; a transaction's start learns of those that other nodes made.
  [[nodiscard]] virtual std::vector<const core::Lane*> lanes_of(const QueueRef& queue) = 0;
  // Nothing was claimable there a moment ago, and this node has put nothing there since.
  [[nodiscard]] virtual bool is_known_empty(const core::Lane& /*lane*/) { return false; }
  // Null for one that is not known.
  [[nodiscard]] virtual const core::Lane* find_lane(const LaneKey& key) = 0;
  // Of the lanes known so far, sorted.
  [[nodiscard]] virtual std::vector<std::string> namespaces() = 0;
  // Reads the lanes that other nodes made. A process that begins no transaction knows of none before.
  virtual void refresh_lanes() {}

  // May block until the writer's place is free.
  [[nodiscard]] virtual std::unique_ptr<Transaction> begin(const Foreseen& foreseen) = 0;
  [[nodiscard]] std::unique_ptr<Transaction> begin() { return begin({}); }

  [[nodiscard]] virtual core::TimePoint now() = 0;
  // The steps of its clock that were recorded, as this node last read them.
  [[nodiscard]] virtual core::ClockState clock_state() = 0;
  [[nodiscard]] virtual std::optional<StoredTask> find_task(const core::TaskId& id) = 0;
  [[nodiscard]] virtual std::vector<StoredTask> list_tasks(const TaskPage& page) = 0;
  [[nodiscard]] virtual std::vector<core::TaskId> list_task_ids(const TaskPage& page) = 0;
  [[nodiscard]] virtual std::vector<core::Queue> list_queues(const std::string& ns) = 0;
  // Oldest first.
  [[nodiscard]] virtual std::vector<core::Checkpoint> list_checkpoints(const CheckpointFilter& filter) = 0;
  [[nodiscard]] virtual core::CheckpointSummary summarize_checkpoints(const core::Uuid& owner) = 0;
  [[nodiscard]] virtual std::optional<core::Record> find_record(const core::RecordRef& ref) = 0;
  // By key, bytewise.
  [[nodiscard]] virtual std::vector<core::Record> list_records(const RecordPage& page) = 0;
  // The same of all namespaces, by namespace and key, from behind `after`.
  [[nodiscard]] virtual std::vector<core::Record> list_all_records(const core::RecordRef& after,
                                                                   std::size_t limit) = 0;
  // Newest first; only those before the number `before`, if given.
  [[nodiscard]] virtual std::vector<core::AuditEntry> list_audit(std::optional<std::int64_t> before,
                                                                 std::size_t limit) = 0;

  // For the ticker, by store time; ordered by when they fell due. No locks: the commands compare again.
  [[nodiscard]] virtual std::vector<core::LeaseRef> due_leases(std::size_t limit) = 0;
  [[nodiscard]] virtual DueTasks due_tasks(std::size_t limit) = 0;
  [[nodiscard]] virtual std::vector<core::Record> due_records(core::RecordKind kind, std::size_t limit) = 0;

  // For retention; no locks either.
  [[nodiscard]] virtual FinishedTasks list_finished(const FinishedPage& page) = 0;
  [[nodiscard]] virtual std::vector<core::AuditEntry> list_oldest_audit(std::int64_t after,
                                                                        std::size_t limit) = 0;

  [[nodiscard]] virtual core::StoreVitals vitals() = 0;
  // For `verify`: counted and compared by the database, and not by what the other reads find.
  // Those with a lower id.
  [[nodiscard]] virtual RowCounts count_rows(const core::Uuid& before) = 0;
  [[nodiscard]] virtual std::vector<core::Verdict> check_tables() { return {}; }

  // The same with statements of a user's own in front, in the same transaction; only where the store has SQL.
  // None: `work` wants nothing to come of it. Throws what `work` throws.
  [[nodiscard]] virtual std::unique_ptr<Transaction> begin_with(const SqlWork& work);
  [[nodiscard]] virtual bool has_sql() const { return false; }
  // Whether its schema has functions that leave calls in the inbox.
  [[nodiscard]] virtual bool has_inbox() const { return false; }

  // A number that rises when the database may have lost commits that this node has seen: another server took
  // over, it crashed, or it was restored. What was read before may not be there any more.
  [[nodiscard]] virtual std::uint64_t life() const { return 0; }

  // Whether another process or node may have committed since the last call.
  [[nodiscard]] virtual bool may_have_changed() = 0;
  // Housekeeping that keeps the cost of a task flat; called every second or so, beside the commit loops.
  virtual void maintain() = 0;
  // How many commit loops help.
  [[nodiscard]] virtual int writers() const = 0;
  // Whether a commit takes part of its time after commit_soon has returned.
  [[nodiscard]] virtual bool flushes_apart() const { return false; }
  // Of what commit_soon has returned, and of all before it. Throws StoreError: `unknown`.
  virtual void await_durable(CommitNumber /*number*/) {}
  // Throws StoreError where the store cannot serve although a read may succeed: a file that was replaced or
  // is damaged, say. Takes a millisecond or so.
  virtual void check_ready() {}
};

}  // namespace pawl::store
