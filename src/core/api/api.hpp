#pragma once
// The file to read first: every use case, by noun. Behind this interface is either an engine in this process
// or a server; callers cannot distinguish the two. Every call may be made from any thread and returns when
// its outcome is durable.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/vitals.hpp"
#include "core/queue/queue.hpp"
#include "core/records/audit.hpp"
#include "core/records/checkpoint.hpp"
#include "core/records/idempotency.hpp"
#include "core/records/lock.hpp"
#include "core/records/maintenance.hpp"
#include "core/records/namespace_settings.hpp"
#include "core/records/node.hpp"
#include "core/records/token.hpp"
#include "core/records/worker.hpp"
#include "core/task/command.hpp"
#include "core/task/task.hpp"
#include "core/task/task_type.hpp"

namespace pawl::core {

struct EnqueuedTask {
  bool created = false;
  Task task = {};
};

struct TaskWithAttempts {
  Task task = {};
  std::vector<AttemptView> attempts = {};
};

struct TaskQuery {
  std::string ns = "default";
  std::vector<TaskStatus> statuses = {};  // empty: all
  std::optional<std::string> queue = {};
  std::optional<std::string> type = {};
  std::optional<std::string> key = {};
  std::optional<std::string> worker_id = {};
  std::optional<RunId> run_id = {};
  std::optional<std::pair<std::string, std::string>> label = {};
  std::optional<TimePoint> created_after = {};
  std::optional<TimePoint> created_before = {};
};

struct ListTasks {
  TaskQuery query = {};
  bool newest_first = true;
  int limit = kPageDefault;
  std::string cursor = {};  // opaque, from the previous page
};

template <typename T>
struct Page {
  std::vector<T> items = {};
  std::optional<std::string> next_cursor = {};
};

struct MoveTask {
  std::string ns = "default";
  TaskId id = {};
  Actor by = {};
};

struct BulkTasks {
  TaskQuery query = {};
  int limit = 1'000;
  bool dry_run = false;  // counts the matching tasks and changes nothing
  Actor by = {};
};
struct BulkResult {
  int matched = 0;
  int changed = 0;

  bool operator==(const BulkResult&) const = default;
};

// Lists records in the order of their names. Tokens belong to no namespace: `ns` is ignored for them.
struct ListRecords {
  std::string ns = "default";
  int limit = kPageDefault;
  std::string cursor = {};
};

struct ListAudit {
  int limit = kPageDefault;
  std::string cursor = {};
  AuditFilter filter = {};  // a filtered page may be short or empty; its cursor continues the list
};

// A token, and the store's time when it was read.
struct FoundToken {
  Token token = {};
  TimePoint now = {};
};

class Api {
 public:
  Api() = default;
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;
  virtual ~Api() = default;

  // Tasks
  virtual Result<EnqueuedTask> enqueue(const std::string& ns, TaskSpec spec) = 0;
  virtual Result<std::vector<Enqueued>> enqueue_batch(EnqueueTasks command) = 0;
  virtual Result<std::vector<ClaimedTask>> claim(ClaimTasks command) = 0;
  virtual Result<std::vector<Result<ReportAnswer>>> report(ReportTasks command) = 0;
  virtual Result<Task> cancel_task(const MoveTask& request) = 0;
  Result<Task> cancel_task(const std::string& ns, const TaskId& id) {
    return cancel_task({.ns = ns, .id = id});
  }
  virtual Result<Task> retry_task(const MoveTask& request) = 0;
  Result<Task> retry_task(const std::string& ns, const TaskId& id) {
    return retry_task({.ns = ns, .id = id});
  }
  virtual Result<BulkResult> cancel_tasks(const BulkTasks& bulk) = 0;
  virtual Result<BulkResult> retry_tasks(const BulkTasks& bulk) = 0;
  virtual Result<TaskWithAttempts> get_task(const std::string& ns, const TaskId& id) = 0;
  virtual Result<Page<Task>> list_tasks(const ListTasks& list) = 0;

  // Queues
  virtual Result<std::vector<Queue>> list_queues(const std::string& ns) = 0;
  virtual Result<Done> set_queue(SetQueue command) = 0;

  // Checkpoints
  virtual Result<CheckpointAppended> append_checkpoint(AppendCheckpoint command) = 0;
  virtual Result<std::vector<Checkpoint>> list_checkpoints(const ListCheckpoints& list) = 0;
  Result<std::vector<Checkpoint>> list_checkpoints(const std::string& ns, const CheckpointOwner& owner) {
    return list_checkpoints({.ns = ns, .owner = owner});
  }
  virtual Result<CheckpointSummary> summarize_checkpoints(const std::string& ns,
                                                          const CheckpointOwner& owner) = 0;

  // Locks
  virtual Result<LockAnswer> acquire_lock(const AcquireLock& request) = 0;
  virtual Result<Lock> renew_lock(const RenewLock& request) = 0;
  virtual Result<Lock> release_lock(const ReleaseLock& request) = 0;
  virtual Result<Lock> get_lock(const std::string& ns, const std::string& key) = 0;

  // Idempotency keys of workers' own calls
  virtual Result<IdempotencyBegun> begin_idempotency(const BeginIdempotency& request) = 0;
  virtual Result<IdempotencyKey> complete_idempotency(const EndIdempotency& request) = 0;
  virtual Result<IdempotencyKey> fail_idempotency(const EndIdempotency& request) = 0;
  virtual Result<IdempotencyKey> get_idempotency(const std::string& ns, const std::string& key) = 0;

  // Workers
  virtual Result<Worker> register_worker(const RegisterWorker& request) = 0;
  virtual Result<Worker> heartbeat_worker(const HeartbeatWorker& request) = 0;
  virtual Result<Worker> drain_worker(const WorkerRef& request) = 0;
  virtual Result<Done> deregister_worker(const WorkerRef& request) = 0;
  // Waits for tasks of the worker to be canceled or lost to it since its last call and returns their ids;
  // empty when the wait elapses. The ids are hints: each task's heartbeat is authoritative.
  virtual Result<std::vector<TaskId>> await_notices(const AwaitNotices& request) = 0;
  virtual Result<Worker> get_worker(const std::string& ns, const std::string& worker_id) = 0;
  virtual Result<Page<Worker>> list_workers(const ListRecords& list) = 0;

  // Task types
  virtual Result<TaskType> put_type(const PutTaskType& request) = 0;
  virtual Result<TaskType> get_type(const std::string& ns, const std::string& name) = 0;
  virtual Result<Page<TaskType>> list_types(const ListRecords& list) = 0;
  virtual Result<Done> delete_type(const DeleteTaskType& request) = 0;

  // Administration
  virtual Result<Token> create_token(const CreateToken& request) = 0;
  virtual Result<Token> revoke_token(const RevokeToken& request) = 0;
  virtual Result<Token> rotate_token(const RotateToken& request) = 0;
  virtual Result<FoundToken> find_token(const std::string& id) = 0;
  virtual Result<Page<Token>> list_tokens(const ListRecords& list) = 0;
  virtual Result<NamespaceSettings> get_namespace(const std::string& ns) = 0;
  virtual Result<NamespaceSettings> put_namespace(const PutNamespace& request) = 0;
  // For actions that no other call records, such as a denied call.
  virtual Result<Done> append_audit(std::vector<AuditEntry> entries) = 0;
  virtual Result<Page<AuditEntry>> list_audit(const ListAudit& list) = 0;  // newest first
  virtual Result<std::vector<NodeStatus>> list_nodes() = 0;
  virtual Result<StoreVitals> vitals() = 0;
  virtual Result<SweepResult> sweep(const Sweep& request) = 0;
  // Reads the whole store page by page, concurrently with normal operation.
  virtual Result<Verification> verify() = 0;
};

}  // namespace pawl::core
