#pragma once
// The Api over an engine in this process: turns a call into a command, waits for its answer, and reads what
// the answer shows. Any thread.

#include <functional>

#include "core/api.hpp"
#include "store/store.hpp"

namespace pawl::runtime {

class LocalApi final : public core::Api {
 public:
  using Submit = std::function<void(core::Command, core::Reply)>;

  LocalApi(store::Store& store, Submit submit) : store_(store), submit_(std::move(submit)) {}

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
  core::Result<core::Answer> call(core::Command command);
  template <typename T>
  core::Result<T> call_for(core::Command command);
  template <typename Command>
  core::Result<core::Task> move_one(Command command);
  template <typename Command>
  core::Result<core::BulkResult> move_many(const core::BulkTasks& bulk,
                                           std::vector<core::TaskStatus> default_statuses);

  store::Store& store_;
  Submit submit_;
};

}  // namespace pawl::runtime
