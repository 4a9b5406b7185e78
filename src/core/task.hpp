#pragma once
// A task: one unit of leased work. What was asked never changes (TaskFacts); where it stands now is a
// TaskRecord; what callers are shown is a Task.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fairness.hpp"
#include "core/ids.hpp"
#include "core/json.hpp"
#include "core/node_key.hpp"
#include "core/retry.hpp"
#include "core/time.hpp"

namespace pawl::core {

enum class TaskStatus : std::uint8_t {
  blocked,      // waits for its key's turn, or is held by its run
  pending,      // claimable at or after available_at
  claimed,      // leased, not started
  running,      // leased, its handler runs
  completed,    // terminal from here on
  failed,       // not retryable
  dead_letter,  // attempts used up
  cancelled,
};
inline constexpr int kTaskStatusCount = 8;

[[nodiscard]] std::string_view to_string(TaskStatus status);
[[nodiscard]] std::optional<TaskStatus> task_status_from(std::string_view name);
[[nodiscard]] constexpr bool is_terminal(TaskStatus status) { return status >= TaskStatus::completed; }
[[nodiscard]] constexpr bool is_leased(TaskStatus status) {
  return status == TaskStatus::claimed || status == TaskStatus::running;
}

enum class AttemptOutcome : std::uint8_t { completed, failed, timed_out, lease_expired, released, cancelled };

[[nodiscard]] std::string_view to_string(AttemptOutcome outcome);
[[nodiscard]] std::optional<AttemptOutcome> attempt_outcome_from(std::string_view name);

struct TaskError {
  std::string code;
  std::string message;
  bool retryable = true;

  bool operator==(const TaskError&) const = default;
};

using Labels = std::map<std::string, std::string>;

// Where claimable tasks of one kind stand in line. Interned by the store and never changed: a Lane's address
// stands for it as long as the store lives.
struct Lane {
  std::int32_t id = 0;
  std::string ns = {};
  std::string queue = {};
  std::string type = {};
  std::int32_t priority = 0;
  bool of_runs = false;    // its tasks are parts of runs
  bool fair = false;       // its tasks have fairness keys, and are claimed by their turns
  std::uint64_t life = 0;  // of the database in which the id has this meaning (store::Store::life)
};

// Which task of which run it is.
struct TaskRun {
  RunId run_id = {};
  NodeKey node = {};
  std::string node_id = {};
  std::string traceparent = {};  // of the run, as W3C has it; empty: of no trace

  bool operator==(const TaskRun&) const = default;
};

// Says what of a task's facts cannot be read in the store, and is at its default instead.
inline constexpr std::string_view kUnreadableLabel = "pawl.unreadable";

// What was asked for; immutable once stored.

struct TaskFacts {
  std::optional<std::string> key = {};
  std::optional<std::string> idempotency_key = {};
  RawJson payload = {};
  // The payload is the input of its run and is stored there alone: empty here until a reader fills it in.
  bool takes_run_input = false;
  RetryPolicy retry = {};
  std::optional<Duration> timeout = {};  // of one attempt
  Labels labels = {};
  TimePoint created_at = {};
  std::optional<TaskRun> run = {};        // iff its lane is of runs
  std::optional<Fairness> fairness = {};  // iff its lane is fair

  bool operator==(const TaskFacts&) const = default;
};

struct Lease {
  std::string worker_id = {};
  TimePoint acquired_at = {};
  TimePoint expires_at = {};
  std::optional<TimePoint> heartbeat_at = {};
  std::optional<TimePoint> started_at = {};
  std::optional<TimePoint> timeout_at = {};  // when this attempt has run too long
  std::optional<Duration> timeout = {};      // copied from the facts, so that a start needs no further look
  int renewals = 0;
  bool cancel_requested = false;

  bool operator==(const Lease&) const = default;
};

// When its holder was last heard of by it.
[[nodiscard]] inline TimePoint last_sign_of(const Lease& lease) {
  return lease.heartbeat_at.value_or(lease.acquired_at);
}

// How a task ended.
struct TaskEnd {
  std::string worker_id = {};  // who ended it; empty if nobody held it
  std::int64_t fence = 0;      // of the attempt that ended it
  std::optional<TimePoint> claimed_at = {};
  std::optional<TimePoint> started_at = {};
  TimePoint finished_at = {};
  RawJson output = {};
  std::optional<TaskError> error = {};

  bool operator==(const TaskEnd&) const = default;
};

// Counters that only rise. `attempt` counts claims less releases; `fence` rises at every claim and every
// forced release; attempts above `budget_from` count against max_attempts (an operator's retry moves it up).
struct Progress {
  int attempt = 0;
  std::int64_t fence = 0;
  int budget_from = 0;

  bool operator==(const Progress&) const = default;
};

// Which narrow table a task stands in. One at a time.
enum class Place : std::uint8_t { nowhere, ready, scheduled, waiting, leased, finished };

// The working state of one task, as decisions see it.
struct TaskRecord {
  TaskId id = {};
  const Lane* lane = nullptr;
  TaskFacts facts = {};  // key, run and fairness always; the rest only when the load asked for facts
  bool has_facts = false;
  Place place = Place::nowhere;
  TaskStatus status = TaskStatus::pending;
  Progress progress = {};
  TimePoint available_at = {};
  std::optional<Turn> turn = {};    // iff ready in a fair lane, as far as it was looked up
  std::optional<Lease> lease = {};  // iff leased
  std::optional<TaskEnd> end = {};  // iff finished
};

// In the line of a key, a task that has had its turn and was sent back by hand stands before all that have
// not, and among its like by its creation. The others stand as they came.
[[nodiscard]] inline bool has_had_turn(const TaskRecord& record) { return record.progress.fence > 0; }
// Whether a task that joins a line stands before one that was there already.
[[nodiscard]] bool overtakes(const TaskRecord& joining, const TaskRecord& waiting);

// What the tasks of one lane are ordered by, before their ids: when they became available, or their turn,
// read as a time.
[[nodiscard]] TimePoint lane_time(const TaskRecord& record);
// Of two ready tasks that are in one lane, or neither in a fair one.
[[nodiscard]] bool stands_before(const TaskRecord& a, const TaskRecord& b);

// One claim of a task to its end. Stored for those that did not complete.
struct Attempt {
  int attempt = 0;
  std::int64_t fence = 0;
  std::string worker_id = {};
  TimePoint claimed_at = {};
  std::optional<TimePoint> started_at = {};
  TimePoint finished_at = {};
  AttemptOutcome outcome = AttemptOutcome::failed;
  TaskStatus status_after = TaskStatus::pending;  // so that a repeated report gets the same answer
  std::optional<TaskError> error = {};

  bool operator==(const Attempt&) const = default;
};

// Evidence of a run or a task, append-only.
struct Checkpoint {
  std::int64_t sequence = 0;
  std::string type = {};
  RawJson snapshot = {};
  RawJson metadata = {};
  TimePoint created_at = {};

  bool operator==(const Checkpoint&) const = default;
};

struct LeaseView {
  std::string worker_id = {};
  std::int64_t fence = 0;
  TimePoint acquired_at = {};
  TimePoint expires_at = {};
  std::optional<TimePoint> heartbeat_at = {};
  int renewals = 0;

  bool operator==(const LeaseView&) const = default;
};

// A task as callers see it.
struct Task {
  TaskId id = {};
  std::string ns = {};
  std::string queue = {};
  std::string type = {};
  TaskStatus status = TaskStatus::pending;
  std::int32_t priority = 0;
  std::optional<std::string> key = {};
  std::optional<std::string> idempotency_key = {};
  std::optional<Fairness> fairness = {};
  RawJson payload = {};
  RawJson output = {};
  std::optional<TaskError> error = {};
  int attempt = 0;
  RetryPolicy retry = {};
  std::optional<Duration> timeout = {};
  std::optional<RunId> run_id = {};
  std::optional<std::string> node_id = {};
  std::string traceparent = {};  // handed on to whoever claims it
  Labels labels = {};
  std::optional<LeaseView> lease = {};
  bool cancel_requested = false;
  TimePoint available_at = {};
  TimePoint created_at = {};
  std::optional<TimePoint> claimed_at = {};
  std::optional<TimePoint> started_at = {};
  std::optional<TimePoint> finished_at = {};
  TimePoint updated_at = {};

  bool operator==(const Task&) const = default;
};

// The idempotency key for the outside calls of a task: the same for every attempt. In a run it names the
// node, so that it also stays the same when a retried run makes a new task for the node.
[[nodiscard]] std::string operation_key(const Task& task);
// Names one attempt.
[[nodiscard]] std::string execution_key(const TaskId& id, int attempt);
// The same of a task that may be part of a run.
[[nodiscard]] std::string execution_key(const Task& task, int attempt);

// What callers see of `record` (with its facts) and its attempts so far, oldest first.
// Something of it cannot be read: it is not given to a worker.
[[nodiscard]] inline bool is_damaged(const TaskRecord& record) {
  return !record.facts.labels.empty() && record.facts.labels.contains(std::string{kUnreadableLabel});
}

[[nodiscard]] Task view_of(const TaskRecord& record, const std::vector<Attempt>& attempts);

// All attempts that have ended: the stored ones and, for a completed task, the one that completed it.
[[nodiscard]] std::vector<Attempt> ended_attempts(const TaskRecord& record, std::vector<Attempt> stored);

}  // namespace pawl::core
