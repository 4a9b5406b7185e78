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
  using core::Api::cancel_task;
  core::Result<core::Task> cancel_task(const core::MoveTask& request) override;
  using core::Api::retry_task;
  core::Result<core::Task> retry_task(const core::MoveTask& request) override;
  core::Result<core::BulkResult> cancel_tasks(const core::BulkTasks& bulk) override;
  core::Result<core::BulkResult> retry_tasks(const core::BulkTasks& bulk) override;
  core::Result<core::TaskWithAttempts> get_task(const std::string& ns, const core::TaskId& id) override;
  core::Result<core::Page<core::Task>> list_tasks(const core::ListTasks& list) override;
  core::Result<std::vector<core::Queue>> list_queues(const std::string& ns) override;
  core::Result<core::Done> set_queue(core::SetQueue command) override;

  // In http_api_records.cpp.
  core::Result<core::CheckpointAppended> append_checkpoint(core::AppendCheckpoint command) override;
  core::Result<std::vector<core::Checkpoint>> list_checkpoints(const core::ListCheckpoints& list) override;
  core::Result<core::CheckpointSummary> summarize_checkpoints(const std::string& ns,
                                                              const core::TaskId& owner) override;
  core::Result<core::LockAnswer> acquire_lock(const core::AcquireLock& request) override;
  core::Result<core::Lock> renew_lock(const core::RenewLock& request) override;
  core::Result<core::Lock> release_lock(const core::ReleaseLock& request) override;
  core::Result<core::Lock> get_lock(const std::string& ns, const std::string& key) override;
  core::Result<core::IdempotencyBegun> begin_idempotency(const core::BeginIdempotency& request) override;
  core::Result<core::IdempotencyKey> complete_idempotency(const core::EndIdempotency& request) override;
  core::Result<core::IdempotencyKey> fail_idempotency(const core::EndIdempotency& request) override;
  core::Result<core::IdempotencyKey> get_idempotency(const std::string& ns, const std::string& key) override;
  core::Result<core::Worker> register_worker(const core::RegisterWorker& request) override;
  core::Result<core::Worker> heartbeat_worker(const core::HeartbeatWorker& request) override;
  core::Result<core::Worker> drain_worker(const core::WorkerRef& request) override;
  core::Result<core::Done> deregister_worker(const core::WorkerRef& request) override;
  core::Result<core::Worker> get_worker(const std::string& ns, const std::string& worker_id) override;
  core::Result<core::Page<core::Worker>> list_workers(const core::ListRecords& list) override;
  core::Result<core::TaskType> put_type(const core::PutTaskType& request) override;
  core::Result<core::TaskType> get_type(const std::string& ns, const std::string& name) override;
  core::Result<core::Page<core::TaskType>> list_types(const core::ListRecords& list) override;
  core::Result<core::Done> delete_type(const core::DeleteTaskType& request) override;

  // Secrets are the server's alone: it draws them, and a client can neither give nor see a hash.
  core::Result<core::Token> create_token(const core::CreateToken& request) override;
  core::Result<core::Token> revoke_token(const core::RevokeToken& request) override;
  core::Result<core::FoundToken> find_token(const std::string& id) override;
  core::Result<core::Page<core::Token>> list_tokens(const core::ListRecords& list) override;
  core::Result<core::NamespaceSettings> get_namespace(const std::string& ns) override;
  core::Result<core::NamespaceSettings> put_namespace(const core::PutNamespace& request) override;
  core::Result<core::Done> append_audit(std::vector<core::AuditEntry> entries) override;
  core::Result<core::Page<core::AuditEntry>> list_audit(const core::ListAudit& list) override;
  core::Result<std::vector<core::NodeStatus>> list_nodes() override;
  core::Result<core::SweepResult> sweep(const core::Sweep& request) override;
  core::Result<core::Verification> verify() override;

 private:
  core::Result<std::string> call(const std::string& ns, HttpRequest request);
  core::Result<core::Task> move_one(const core::MoveTask& request, const std::string& verb);
  core::Result<core::BulkResult> move_many(const core::BulkTasks& bulk, const std::string& verb);

  std::mutex mutex_;
  HttpCaller caller_;
};

}  // namespace pawl::client
