#pragma once
// Everything that changes something is one of these values; each is answered with a Result of what stands
// beside it. The engine executes them in groups. `check` refuses what no state could make valid, before it is
// queued.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/checkpoint.hpp"
#include "core/limits.hpp"
#include "core/queue.hpp"
#include "core/record.hpp"
#include "core/result.hpp"
#include "core/run_command.hpp"
#include "core/step.hpp"
#include "core/task.hpp"
#include "core/task_spec.hpp"

namespace pawl::core {

// All or nothing.
struct EnqueueTasks {
  std::string ns = "default";
  std::vector<TaskSpec> tasks = {};
  bool wants_tasks = false;  // the answer shows the tasks that were made
  Actor by = {};
};
struct Enqueued {
  bool created = false;
  TaskId id = {};
  std::shared_ptr<const Task> task = {};  // as it was made; shared by the copies of an answer

  bool operator==(const Enqueued& other) const { return created == other.created && id == other.id; }
};

struct ClaimTasks {
  std::string ns = "default";
  std::string worker_id = {};
  std::vector<std::string> queues = {"default"};
  std::vector<std::string> types = {};  // none: all; one that ends in * is for all that begin so
  int max = 10;
  std::optional<Duration> lease = {};  // not given: the type's own, or `lease_default`
  Duration lease_default = kLeaseDefault;
  Duration wait = Duration{0};
  std::map<std::string, Duration> type_leases = {};  // as far as types have one of their own
  int held_max = 0;         // how many tasks the worker may hold at a time; 0: no cap
  bool memo_pages = false;  // the caller reads the steps of long code runs page by page (RunApi::list_memo)
  Actor by = {};

  [[nodiscard]] Duration lease_for(const std::string& type) const;
};
struct ClaimedTask {
  Task task = {};
  std::string execution_key = {};
  std::shared_ptr<const BodyMemo> memo = {};  // of the body of a code run; shared by the copies of an answer

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
  std::optional<Duration> lease = {};        // heartbeat; the length so far if not given
  RawJson output = {};                       // complete
  TaskError error = {};                      // fail
  std::optional<Duration> retry_after = {};  // fail; instead of the policy's wait
  // complete, of a code run's body: the run ends and another one with this input takes its place
  std::optional<RawJson> continue_as_new = {};
};
struct ReportTasks {
  std::string ns = "default";
  std::string worker_id = {};
  std::vector<Report> reports = {};
  std::vector<std::string> queues = {};  // only on tasks of these; none: of all
  Actor by = {};
};
struct ReportAnswer {
  TaskId task_id = {};
  TaskStatus status = TaskStatus::pending;
  std::optional<TimePoint> lease_expires_at = {};
  bool cancel_requested = false;

  bool operator==(const ReportAnswer&) const = default;
};

// By id, for one task or a page of a bulk operation; one result each, in order.
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

// Of the ticker: what a read found due. Each is compared again under lock; what changed meanwhile is left
// alone.
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
// What a walk found old (core/retention.hpp), as it was then; what has changed since is left alone.
struct EraseTasks {
  struct Ref {
    TaskId id = {};
    TimePoint finished_at = {};
  };
  std::vector<Ref> tasks = {};
};
// With all that they consist of, their tasks too; one with a task that has not ended is left alone.
struct EraseRuns {
  struct Ref {
    RunId id = {};
    std::int64_t sequence = 0;
  };
  std::vector<Ref> runs = {};
};
// Up to this entry: a chain can only be cut at its beginning.
struct EraseAudit {
  std::int64_t up_to = 0;
  int count = 0;
};
struct Swept {
  int changed = 0;

  bool operator==(const Swept&) const = default;
};

// What was kept of the answer when the same was done before.
struct Replayed {
  RawJson kept = {};

  bool operator==(const Replayed&) const = default;
};

using Answer =
    std::variant<std::vector<Enqueued>, std::vector<ClaimedTask>, std::vector<Result<ReportAnswer>>,
                 std::vector<Result<TaskMoved>>, Done, Swept, RecordAnswer, CheckpointAppended, RunStarted,
                 StepsWritten, std::vector<Result<StepsWritten>>, Replayed>;

struct AnyCommand;

// Another command, done once: the key is kept in the same commit as its effect. Whoever asks again with the
// same request is answered with what was kept, with another one refused. A claim that gets nothing, like all
// that is refused, keeps nothing.
//
// Or it is taken off a list: `takes` are records of which the first says that it is to be done, and all of
// which are erased with the effect. Whoever comes later is refused.
struct DoOnce {
  std::string ns = "default";  // empty: of administration, which is in none
  std::string key = {};
  std::string request_hash = {};
  Duration ttl = std::chrono::hours{24};
  // What is kept of the answer; nothing: it may be done again. Pure, and called before the commit.
  std::function<std::optional<RawJson>(const Answer&)> keep = {};
  std::shared_ptr<AnyCommand> command = {};  // shared by the copies of this one
  std::vector<RecordRef> takes = {};         // instead of a key
};

using Command = std::variant<EnqueueTasks, ClaimTasks, ReportTasks, CancelTasks, RetryTasks, SetQueue,
                             SweepLeases, PromoteDue, ChangeRecords, AppendCheckpoint, StartRun, OpenRun,
                             ActOnRun, RewindRun, SignalRun, WriteSteps, WriteStepsOfMany, WakeRuns,
                             EraseTasks, EraseRuns, EraseAudit, DoOnce>;
struct AnyCommand {
  Command value = {};
};
// Called once, after the commit (or the refusal), on a thread of the loop that committed.
using Reply = std::function<void(Result<Answer>)>;

// How many tasks a command touches: what the group's size and the queue's bound are measured in.
[[nodiscard]] std::size_t weight_of(const Command& command);
[[nodiscard]] const std::string& namespace_of(const Command& command);
// Of the JSON that it brings, in bytes: payloads, outputs, snapshots.
[[nodiscard]] std::size_t largest_payload(const Command& command);

[[nodiscard]] Status check(const Command& command);
// A report is checked alone, since a bad one must not harm the others of its command.
[[nodiscard]] Status check(const Report& report, std::size_t index);

// Single checks, also used by the edges. `field` is the path to name in the refusal.
[[nodiscard]] Status check_namespace(const std::string& ns);
[[nodiscard]] Status check_name(std::string_view field, const std::string& name);
[[nodiscard]] Status check_key(std::string_view field, const std::string& key);
[[nodiscard]] Status check_json(std::string_view field, const RawJson& json);
[[nodiscard]] Status check_duration(std::string_view field, Duration value, Duration low, Duration high);
[[nodiscard]] Status check_labels(const Labels& labels);
[[nodiscard]] Status check_checkpoint_type(const std::string& type);
[[nodiscard]] Status check_retry(const RetryPolicy& retry);
[[nodiscard]] Status first_of(std::initializer_list<Status> checks);  // the first that failed, if any

}  // namespace pawl::core
