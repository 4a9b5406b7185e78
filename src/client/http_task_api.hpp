#pragma once
// The calls on tasks and queues over a server.

#include <string>
#include <vector>

#include "client/http_connection.hpp"
#include "core/api/task_api.hpp"

namespace pawl::client {

class HttpTaskApi : public virtual core::TaskApi {
 public:
  explicit HttpTaskApi(HttpConnection& connection) : connection_(connection) {}

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
  core::Result<core::Task> move_one(const core::MoveTask& request, const std::string& verb);
  core::Result<core::BulkResult> move_many(const core::BulkTasks& bulk, const std::string& verb);

  HttpConnection& connection_;
};

}  // namespace pawl::client
