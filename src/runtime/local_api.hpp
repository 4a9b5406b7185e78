#pragma once
// The Api over an engine in this process: turns a call into a command, waits for its answer, and reads what
// the answer shows. Any thread. By noun: local_api.cpp (tasks, queues, checkpoints, audit),
// local_api_records.cpp.

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
  core::Result<std::vector<core::Queue>> list_queues(const std::string& ns) override;
  core::Result<core::Done> set_queue(core::SetQueue command) override;

  using core::Api::list_checkpoints;
  core::Result<core::CheckpointAppended> append_checkpoint(core::AppendCheckpoint command) override;
  core::Result<std::vector<core::Checkpoint>> list_checkpoints(const core::ListCheckpoints& list) override;
  core::Result<core::CheckpointSummary> summarize_checkpoints(const std::string& ns,
                                                              const core::TaskId& owner) override;

  core::Result<core::LockAnswer> acquire_lock(const core::AcquireLock& request) override;
  core::Result<core::Lock> renew_lock(const core::RenewLock& request) override;
  core::Result<core::Lock> release_lock(const core::ReleaseLock& request) override;
  core::Result<core::Lock> get_lock(const std::string& ns, const std::string& key) override;

  core::Result<core::Page<core::AuditEntry>> list_audit(const core::ListAudit& list) override;

 private:
  core::Result<core::Answer> call(core::Command command);
  template <typename T>
  core::Result<T> call_for(core::Command command) {
    auto answer = call(std::move(command));
    if (!answer) return answer.problem();
    return std::move(std::get<T>(*answer));
  }
  template <typename Command>
  core::Result<core::Task> move_one(Command command);
  template <typename Command>
  core::Result<core::BulkResult> move_many(const core::BulkTasks& bulk,
                                           std::vector<core::TaskStatus> default_statuses);

  // A record as it stands, and the store's time, by which it is judged.
  struct RecordNow {
    std::optional<core::Record> record = {};
    core::TimePoint now = {};
  };
  core::Result<RecordNow> find_record(const core::RecordRef& ref);
  template <typename Request>
  core::Result<core::RawJson> decide_on(std::vector<core::RecordRef> refs, const Request& request,
                                        core::Result<core::RecordDecision> (*decide)(const Request&,
                                                                                     core::FoundRecords,
                                                                                     core::TimePoint));

  store::Store& store_;
  Submit submit_;
};

}  // namespace pawl::runtime
