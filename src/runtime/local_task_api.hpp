#pragma once
// The calls on tasks and queues over an engine in this process.

#include <string>
#include <vector>

#include "core/api/task_api.hpp"
#include "runtime/local_context.hpp"

namespace pawl::runtime {

class LocalTaskApi : public virtual core::TaskApi {
 public:
  explicit LocalTaskApi(LocalContext& context)
      : store_(context.store),
        promised_(context.promised),
        caller_(context.caller),
        tasks_(context.tasks),
        admission_(context.admission) {}

  core::Result<core::EnqueuedTask> enqueue(const std::string& ns, core::TaskSpec spec) override;
  core::Result<std::vector<core::Enqueued>> enqueue_batch(core::EnqueueTasks command) override;
  core::Result<std::vector<core::ClaimedTask>> claim(core::ClaimTasks command) override;
  core::Result<std::vector<core::Result<core::ReportAnswer>>> report(core::ReportTasks command) override;
  using core::TaskApi::cancel_task;
  core::Result<core::Task> cancel_task(const core::MoveTask& request) override;
  using core::TaskApi::retry_task;
  core::Result<core::Task> retry_task(const core::MoveTask& request) override;
  core::Result<core::BulkResult> cancel_tasks(const core::BulkTasks& bulk) override;
  core::Result<core::BulkResult> retry_tasks(const core::BulkTasks& bulk) override;
  core::Result<core::TaskWithAttempts> get_task(const std::string& ns, const core::TaskId& id) override;
  core::Result<core::Page<core::Task>> list_tasks(const core::ListTasks& list) override;

  core::Result<std::vector<core::Queue>> list_queues(const std::string& ns) override;
  core::Result<core::Done> set_queue(core::SetQueue command) override;

 private:
  template <typename Command>
  core::Result<core::Task> move_one(Command command);
  template <typename Command>
  core::Result<core::BulkResult> move_many(const core::BulkTasks& bulk,
                                           std::vector<core::TaskStatus> default_statuses);

  store::Store& store_;
  const PromisedIds& promised_;
  CommandCaller& caller_;
  TaskReader& tasks_;
  Admission& admission_;
};

}  // namespace pawl::runtime
