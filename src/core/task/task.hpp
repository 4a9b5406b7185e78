#pragma once
// A task: one unit of leased work. TaskFacts is the request, which never changes; TaskRecord is the current
// state; Task is the view that callers get.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/boxed.hpp"
#include "core/base/ids.hpp"
#include "core/base/time.hpp"
#include "core/json/json.hpp"
#include "core/queue/fairness.hpp"
#include "core/run/node_key.hpp"
#include "core/task/retry.hpp"

namespace pawl::core {

enum class TaskStatus : std::uint8_t {
  blocked,      // waits for its key's turn, or is held by its run
  pending,      // claimable at or after available_at
  claimed,      // leased, not started
  running,      // leased, its handler runs
  completed,    // terminal from here on
  failed,       // not retryable
  dead_letter,  // no attempts remain
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

// Priorities between this one and its negative have lanes of their own. Tasks with other priorities share two
// lanes for each queue and type, in which they are ordered by rank: the number of lanes does not grow with
// the number of distinct priorities (docs/adr/0081-priorities-beyond-lanes.md).
inline constexpr std::int32_t kLanePriorityMax = 100;
inline constexpr std::int32_t kRankedAbove = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int32_t kRankedBelow = std::numeric_limits<std::int32_t>::min();

// The line of claimable tasks of one kind. Interned by the store and never changed: the address of a Lane
// identifies it as long as the store lives.
struct Lane {
  std::int32_t id = 0;
  std::string ns = {};
  std::string queue = {};
  std::string type = {};
  std::int32_t priority = 0;
  bool of_runs = false;    // its tasks belong to runs
  bool fair = false;       // its tasks are claimed in the order of their turns
  std::uint64_t life = 0;  // the life of the database in which the id is valid (store::Store::life)

  // Whether each of its tasks has a priority of its own, which determines its turn.
  [[nodiscard]] bool is_ranked() const {
    return fair && (priority == kRankedAbove || priority == kRankedBelow);
  }
  // Whether its tasks have fairness keys.
  [[nodiscard]] bool is_shared() const { return fair && !is_ranked(); }
};

// The part of a lane that a task's priority and fairness key determine.
struct LanePlace {
  std::int32_t priority = 0;
  bool fair = false;

  bool operator==(const LanePlace&) const = default;
};
[[nodiscard]] LanePlace lane_place(std::int32_t priority, bool has_fairness_key);
// Lanes with a higher rank are claimed first. Ranked lanes come before or after all lanes whose priority is
// within ±kLanePriorityMax.
[[nodiscard]] std::int64_t claim_rank(const Lane& lane);
// The turn of a task in a ranked lane: by priority, then by when it became available, in seconds.
[[nodiscard]] Turn turn_of_rank(std::int32_t priority, TimePoint available_at);

// The run of a task, and the node in it.
struct TaskRun {
  RunId run_id = {};
  NodeKey node = {};
  std::string node_id = {};
  std::string traceparent = {};  // of the run, in W3C format; empty: no trace

  bool operator==(const TaskRun&) const = default;
};

// The label that names the facts of a task that cannot be read from the store and have their defaults
// instead.
inline constexpr std::string_view kUnreadableLabel = "pawl.unreadable";

// The W3C trace context of the request that created a task; its workers continue it.
struct TraceContext {
  std::string traceparent = {};
  std::string tracestate = {};

  bool operator==(const TraceContext&) const = default;
};

// The request that created a task; immutable once stored.

struct TaskFacts {
  std::optional<std::string> key = {};
  std::optional<std::string> idempotency_key = {};
  RawJson payload = {};
  // The payload is the input of its run and is stored only there: empty here until a reader fills it in.
  bool takes_run_input = false;
  RetryPolicy retry = {};
  std::optional<Duration> timeout = {};  // of one attempt
  Labels labels = {};
  TimePoint created_at = {};
  std::optional<TaskRun> run = {};  // iff its lane is of runs
  // Iff its lane is fair; in a ranked lane the key is empty and the weight is the task's priority.
  std::optional<Fairness> fairness = {};
  Boxed<TraceContext> trace = {};  // its own; a task of a run may have its run's instead

  bool operator==(const TaskFacts&) const = default;
};

struct Lease {
  std::string worker_id = {};
  TimePoint acquired_at = {};
  TimePoint expires_at = {};
  std::optional<TimePoint> heartbeat_at = {};
  std::optional<TimePoint> started_at = {};
  std::optional<TimePoint> timeout_at = {};  // when this attempt times out
  std::optional<Duration> timeout = {};      // copied from the facts, so that a start needs no lookup
  int renewals = 0;
  bool cancel_requested = false;

  bool operator==(const Lease&) const = default;
};

// The time of the holder's last heartbeat, or of its claim.
[[nodiscard]] inline TimePoint last_sign_of(const Lease& lease) {
  return lease.heartbeat_at.value_or(lease.acquired_at);
}

// The end of a task.
struct TaskEnd {
  std::string worker_id = {};  // the worker that ended it; empty if none held it
  std::int64_t fence = 0;      // of the attempt that ended it
  std::optional<TimePoint> claimed_at = {};
  std::optional<TimePoint> started_at = {};
  TimePoint finished_at = {};
  RawJson output = {};
  std::optional<TaskError> error = {};

  bool operator==(const TaskEnd&) const = default;
};

// Counters of attempts. `attempt` counts claims minus releases; `fence` rises with every claim and every
// forced release; attempts above `budget_from` count against max_attempts (an operator's retry raises it).
struct Progress {
  int attempt = 0;
  std::int64_t fence = 0;
  int budget_from = 0;

  bool operator==(const Progress&) const = default;
};

// The table that holds a task; exactly one at a time.
enum class Place : std::uint8_t { nowhere, ready, scheduled, waiting, leased, finished };

// The current state of one task, on which decisions are made.
struct TaskRecord {
  TaskId id = {};
  const Lane* lane = nullptr;
  TaskFacts facts = {};  // key, run and fairness always; the rest only if the load requested facts
  bool has_facts = false;
  Place place = Place::nowhere;
  TaskStatus status = TaskStatus::pending;
  Progress progress = {};
  TimePoint available_at = {};
  std::optional<Turn> turn = {};    // iff ready in a fair lane, if it was loaded
  std::optional<Lease> lease = {};  // iff leased
  std::optional<TaskEnd> end = {};  // iff finished
};

[[nodiscard]] std::int32_t priority_of(const TaskRecord& record);

// In a key line, tasks that have had their turn and were sent back by hand come before all others, ordered by
// creation. The other tasks keep the order in which they arrived.
[[nodiscard]] inline bool has_had_turn(const TaskRecord& record) { return record.progress.fence > 0; }
// Whether a task that joins a line comes before one that is in it already.
[[nodiscard]] bool overtakes(const TaskRecord& joining, const TaskRecord& waiting);

// The order of the tasks of one lane, before their ids: the time when they became available, or their turn,
// read as a time.
[[nodiscard]] TimePoint lane_time(const TaskRecord& record);
// Compares two ready tasks that are in one lane, or neither in a fair one.
[[nodiscard]] bool stands_before(const TaskRecord& a, const TaskRecord& b);

// One claim of a task to its end. Stored unless the attempt completed the task.
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

// One attempt as callers see it: an attempt in progress has no end.
struct AttemptView {
  int attempt = 0;
  std::int64_t fence = 0;
  std::string worker_id = {};
  TimePoint claimed_at = {};
  std::optional<TimePoint> started_at = {};
  std::optional<TimePoint> finished_at = {};
  std::optional<AttemptOutcome> outcome = {};
  std::optional<TaskStatus> status_after = {};
  std::optional<TaskError> error = {};

  bool operator==(const AttemptView&) const = default;
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
  TimePoint heartbeat_at = {};  // the time of the claim until the first heartbeat
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
  std::string traceparent = {};  // continued by its workers, in W3C format; empty: no trace
  std::string tracestate = {};
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

// The idempotency key for a task's calls to other systems: the same for every attempt. In a run it names the
// node, so that it also stays the same when a retried run creates a new task for the node.
[[nodiscard]] std::string operation_key(const Task& task);
// Identifies one attempt.
[[nodiscard]] std::string execution_key(const TaskId& id, int attempt);
// The same for a task that may be part of a run.
[[nodiscard]] std::string execution_key(const Task& task, int attempt);

// Whether some of its facts cannot be read: such a task is not given to a worker.
[[nodiscard]] inline bool is_damaged(const TaskRecord& record) {
  return !record.facts.labels.empty() && record.facts.labels.contains(std::string{kUnreadableLabel});
}

// The view for callers of `record` (with its facts) and its attempts so far, oldest first.
[[nodiscard]] Task view_of(const TaskRecord& record, const std::vector<Attempt>& attempts);

// The stored attempts and the last one if it is not stored: the one that completed the task, from its end, or
// the one in progress, from the lease.
[[nodiscard]] std::vector<AttemptView> attempts_of(const TaskRecord& record,
                                                   const std::vector<Attempt>& stored);

}  // namespace pawl::core
