#pragma once
// The Api over a server. Calls may be made from any thread; each waits its turn for the one connection.

#include <mutex>

#include "client/http_caller.hpp"
#include "core/api.hpp"

namespace pawl::client {

class HttpApi final : public core::Api {
 public:
  HttpApi(HttpTarget target, core::Random& random) : caller_(std::move(target), random) {}

  core::Result<core::EnqueuedTask> enqueue(const std::string& ns, core::TaskSpec spec) override;
  core::Result<std::vector<core::Enqueued>> enqueue_batch(core::EnqueueTasks command) override;
  core::Result<std::vector<core::ClaimedTask>> claim(core::ClaimTasks command) override;
  core::Result<std::vector<core::Result<core::ReportAnswer>>> report(core::ReportTasks command) override;
  core::Result<core::Task> cancel_task(const std::string& ns, const core::TaskId& id) override;
  core::Result<core::Task> retry_task(const std::string& ns, const core::TaskId& id) override;
  core::Result<core::BulkResult> cancel_tasks(const core::BulkTasks& bulk) override;
  core::Result<core::BulkResult> retry_tasks(const core::BulkTasks& bulk) override;
  core::Result<core::TaskWithAttempts> get_task(const std::string& ns, const core::TaskId& id) override;
  core::Result<core::Page<core::Task>> list_tasks(const core::ListTasks& list) override;
  core::Result<std::vector<core::Checkpoint>> list_checkpoints(const std::string& ns,
                                                               const core::TaskId& task) override;
  core::Result<std::vector<core::Queue>> list_queues(const std::string& ns) override;
  core::Result<core::Done> set_queue(core::SetQueue command) override;

 private:
  core::Result<std::string> call(const std::string& ns, HttpRequest request);
  core::Result<core::Task> move_one(const std::string& ns, const core::TaskId& id, const std::string& verb);
  core::Result<core::BulkResult> move_many(const core::BulkTasks& bulk, const std::string& verb);

  std::mutex mutex_;
  HttpCaller caller_;
};

}  // namespace pawl::client
