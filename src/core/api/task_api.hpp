#pragma once
// Every use case of tasks and queues. See core/api/api.hpp.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/api/page.hpp"
#include "core/queue/queue.hpp"
#include "core/task/command.hpp"
#include "core/task/task.hpp"

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

class TaskApi {
 public:
  TaskApi() = default;
  TaskApi(const TaskApi&) = delete;
  TaskApi& operator=(const TaskApi&) = delete;
  virtual ~TaskApi() = default;

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
};

}  // namespace pawl::core
