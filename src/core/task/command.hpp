#pragma once
// Commands: everything that changes the store is one of these values; each is answered with a Result of the
// type beside it. The engine executes commands in groups. `check` rejects a command that is invalid in every
// state before it is queued.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/limits.hpp"
#include "core/base/result.hpp"
#include "core/queue/queue.hpp"
#include "core/records/checkpoint.hpp"
#include "core/records/record.hpp"
#include "core/run/run_command.hpp"
#include "core/run/step.hpp"
#include "core/task/task.hpp"
#include "core/task/task_spec.hpp"

namespace pawl::core {

// Creates all tasks or none.
struct EnqueueTasks {
  std::string ns = "default";
  std::vector<TaskSpec> tasks = {};
  bool wants_tasks = false;        // the answer contains the created tasks
  Boxed<TraceContext> trace = {};  // of all tasks
  Actor by = {};
};
struct Enqueued {
  bool created = false;
  TaskId id = {};
  std::shared_ptr<const Task> task = {};  // as created; shared by the copies of an answer

  bool operator==(const Enqueued& other) const { return created == other.created && id == other.id; }
};

struct ClaimTasks {
  std::string ns = "default";
  std::string worker_id = {};
  std::vector<std::string> queues = {"default"};
  std::vector<std::string> types = {};  // empty: all; a trailing * matches every type with that prefix
  int max = 10;
  std::optional<Duration> lease = {};  // absent: the type's own, or `lease_default`
  Duration lease_default = kLeaseDefault;
  Duration wait = Duration{0};
  std::map<std::string, Duration> type_leases = {};  // only of types that have their own
  int held_max = 0;         // how many tasks the worker may hold at a time; 0: no limit
  bool memo_pages = false;  // the caller reads the steps of long code runs page by page (RunApi::list_memo)
  Actor by = {};

  [[nodiscard]] Duration lease_for(const std::string& type) const;
};
struct ClaimedTask {
  Task task = {};
  std::string execution_key = {};
  std::shared_ptr<const BodyMemo> memo = {};  // of a code run's body; shared by the copies of an answer

  bool operator==(const ClaimedTask& other) const {
    return task == other.task && execution_key == other.execution_key;
  }
};

enum class ReportAction : std::uint8_t { heartbeat, start, complete, fail, release };
inline constexpr int kReportActionCount = 5;

struct Report {
  TaskId task_id = {};
  std::int64_t fence = 0;
  ReportAction action = ReportAction::heartbeat;
  std::optional<Duration> lease = {};        // heartbeat; absent: as long as before
  RawJson output = {};                       // complete
  TaskError error = {};                      // fail
  std::optional<Duration> retry_after = {};  // fail; replaces the retry policy's delay
  // complete, of a workflow body: the run ends and a new run with this input replaces it
  std::optional<RawJson> continue_as_new = {};
};
struct ReportTasks {
  std::string ns = "default";
  std::string worker_id = {};
  std::vector<Report> reports = {};
  std::vector<std::string> queues = {};  // only tasks of these queues; empty: of all
  Actor by = {};
};
struct ReportAnswer {
  TaskId task_id = {};
  TaskStatus status = TaskStatus::pending;
  std::optional<TimePoint> lease_expires_at = {};
  bool cancel_requested = false;

  bool operator==(const ReportAnswer&) const = default;
};

// Both take the ids of one task or of a page of a bulk operation; the answer has one result per id, in order.
struct CancelTasks {
  std::string ns = "default";
  std::vector<TaskId> ids = {};
  Actor by = {};
};
struct RetryTasks {
  std::string ns = "default";
  std::vector<TaskId> ids = {};
  Actor by = {};
};
struct TaskMoved {
  TaskId task_id = {};
  TaskStatus status = TaskStatus::pending;
  bool cancel_requested = false;

  bool operator==(const TaskMoved&) const = default;
};

struct SetQueue {
  std::string ns = "default";
  std::string name = {};
  QueuePatch patch = {};
  Actor by = {};
};

// Submitted by the ticker for the due rows that a read returned. The engine compares each one again under its
// lock and skips changed rows.
struct LeaseRef {
  TaskId task_id = {};
  std::int64_t fence = 0;

  bool operator==(const LeaseRef&) const = default;
};
struct SweepLeases {
  std::vector<LeaseRef> leases = {};
};
struct PromoteDue {
  std::vector<TaskId> ids = {};
};
struct TimerRef {
  RunId run_id = {};
  NodeKey node = {};

  bool operator==(const TimerRef&) const = default;
};
struct WakeRuns {
  std::vector<TimerRef> timers = {};
  std::vector<RunId> deadlines = {};
  std::vector<RunId> stuck = {};
  std::vector<ParkRun> parked = {};
  Duration stuck_after = {};
};
// Rows that the retention walk found expired (core/records/retention.hpp), with their state at that time.
// Rows that have changed since are skipped.
struct EraseTasks {
  struct Ref {
    TaskId id = {};
    TimePoint finished_at = {};
  };
  std::vector<Ref> tasks = {};
};
// Erases runs with all their rows, including their tasks. A run with an unfinished task is skipped.
struct EraseRuns {
  struct Ref {
    RunId id = {};
    std::int64_t sequence = 0;
  };
  std::vector<Ref> runs = {};
};
// Erases all entries up to this one: a chain can only be cut at its beginning.
struct EraseAudit {
  std::int64_t up_to = 0;
  int count = 0;
};
struct Swept {
  int changed = 0;

  bool operator==(const Swept&) const = default;
};

// The stored part of the answer to an earlier request with the same key.
struct Replayed {
  RawJson kept = {};

  bool operator==(const Replayed&) const = default;
};

using Answer =
    std::variant<std::vector<Enqueued>, std::vector<ClaimedTask>, std::vector<Result<ReportAnswer>>,
                 std::vector<Result<TaskMoved>>, Done, Swept, RecordAnswer, CheckpointAppended, RunStarted,
                 StepsWritten, std::vector<Result<StepsWritten>>, Replayed>;

struct AnyCommand;

// Executes another command once: the key is stored in the same commit as the effect. A repeated request is
// answered with what was stored; another request with the same key is rejected. A claim that returns no task
// stores nothing, nor does a rejected command.
//
// Or it consumes records: `takes` lists records that are erased together with the effect. The command is
// executed only while the first of them exists and is due; otherwise it is rejected.
struct DoOnce {
  std::string ns = "default";  // empty: an administrative command, which has no namespace
  std::string key = {};
  std::string request_hash = {};
  Duration ttl = std::chrono::hours{24};
  // Returns the part of the answer to store; nullopt allows a repetition. Pure, and called before the commit.
  std::function<std::optional<RawJson>(const Answer&)> keep = {};
  std::shared_ptr<AnyCommand> command = {};  // shared by the copies of this command
  std::vector<RecordRef> takes = {};         // instead of a key
};

using Command = std::variant<EnqueueTasks, ClaimTasks, ReportTasks, CancelTasks, RetryTasks, SetQueue,
                             SweepLeases, PromoteDue, ChangeRecords, AppendCheckpoint, StartRun, OpenRun,
                             ActOnRun, RewindRun, SignalRun, WriteSteps, WriteStepsOfMany, WakeRuns,
                             EraseTasks, EraseRuns, EraseAudit, DoOnce>;
struct AnyCommand {
  Command value = {};
};
// Called once, after the commit or the rejection, on a thread of the commit loop that executed the command.
using Reply = std::function<void(Result<Answer>)>;

// The number of tasks that a command touches: the unit of the group's size and of the queue's bound.
[[nodiscard]] std::size_t weight_of(const Command& command);
[[nodiscard]] const std::string& namespace_of(const Command& command);
// The size in bytes of the largest JSON text in the command: payloads, outputs, snapshots.
[[nodiscard]] std::size_t largest_payload(const Command& command);

[[nodiscard]] Status check(const Command& command);
// Reports are checked one by one, since an invalid one must not fail the others of its command.
[[nodiscard]] Status check(const Report& report, std::size_t index);

// Single checks, also used by the edges. `field` is the path that the problem names.
[[nodiscard]] Status check_namespace(const std::string& ns);
[[nodiscard]] Status check_name(std::string_view field, const std::string& name);
[[nodiscard]] Status check_key(std::string_view field, const std::string& key);
[[nodiscard]] Status check_json(std::string_view field, const RawJson& json);
[[nodiscard]] Status check_duration(std::string_view field, Duration value, Duration low, Duration high);
[[nodiscard]] Status check_labels(const Labels& labels);
[[nodiscard]] Status check_checkpoint_type(const std::string& type);
[[nodiscard]] Status check_retry(const RetryPolicy& retry);
[[nodiscard]] Status first_of(std::initializer_list<Status> checks);  // the first failure, if any

}  // namespace pawl::core
