#pragma once
// The Api, the RunApi and the ScheduleApi over a server. Thread-safe: the calls take turns on one connection.

#include <mutex>

#include "client/http_caller.hpp"
#include "core/api/api.hpp"
#include "core/api/run_api.hpp"
#include "core/api/schedule_api.hpp"

namespace pawl::client {

class HttpApi final : public core::Api, public core::RunApi, public core::ScheduleApi {
 public:
  HttpApi(HttpTarget target, core::Random& random) : caller_(std::move(target), random) {}

  // Ends the current call and all later ones. Thread-safe.
  void cancel() { caller_.cancel(); }

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
                                                              const core::CheckpointOwner& owner) override;
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
  // Under the caller's key, so that the caller can repeat it after a lost reply.
  core::Result<core::Worker> heartbeat_worker(const core::HeartbeatWorker& request, const std::string& key);
  core::Result<std::vector<core::TaskId>> await_notices(const core::AwaitNotices& request) override;
  core::Result<core::Worker> drain_worker(const core::WorkerRef& request) override;
  core::Result<core::Done> deregister_worker(const core::WorkerRef& request) override;
  core::Result<core::Worker> get_worker(const std::string& ns, const std::string& worker_id) override;
  core::Result<core::Page<core::Worker>> list_workers(const core::ListRecords& list) override;
  core::Result<core::TaskType> put_type(const core::PutTaskType& request) override;
  core::Result<core::TaskType> get_type(const std::string& ns, const std::string& name) override;
  core::Result<core::Page<core::TaskType>> list_types(const core::ListRecords& list) override;
  core::Result<core::Done> delete_type(const core::DeleteTaskType& request) override;

  // Only the server generates secrets; a client can neither set nor see a hash.
  core::Result<core::Token> create_token(const core::CreateToken& request) override;
  core::Result<core::Token> revoke_token(const core::RevokeToken& request) override;
  core::Result<core::Token> rotate_token(const core::RotateToken& request) override;
  core::Result<core::FoundToken> find_token(const std::string& id) override;
  core::Result<core::Page<core::Token>> list_tokens(const core::ListRecords& list) override;
  core::Result<core::NamespaceSettings> get_namespace(const std::string& ns) override;
  core::Result<core::NamespaceSettings> put_namespace(const core::PutNamespace& request) override;
  core::Result<core::Done> append_audit(std::vector<core::AuditEntry> entries) override;
  core::Result<core::Page<core::AuditEntry>> list_audit(const core::ListAudit& list) override;
  core::Result<std::vector<core::NodeStatus>> list_nodes() override;
  core::Result<core::StoreVitals> vitals() override;
  core::Result<core::SweepResult> sweep(const core::Sweep& request) override;
  core::Result<core::Verification> verify() override;

  // In http_api_runs.cpp. Runs, their tasks and their replays have only the fields that a server shows.
  core::Result<core::DefinitionPut> put_definition(const core::PutDefinition& request) override;
  core::Result<core::DefinitionVersion> get_definition(const std::string& ns, const std::string& name,
                                                       std::optional<int> version) override;
  core::Result<core::Page<core::DefinitionVersion>> list_definitions(const core::ListRecords& list) override;
  core::Result<core::RunStarted> start_run(const core::StartRun& request) override;
  core::Result<core::RunStarted> open_run(const core::OpenRun& request) override;
  core::Result<core::Run> get_run(const core::RunRef& ref) override;
  core::Result<core::RunView> view_run(const core::RunRef& ref) override;
  core::Result<core::Page<core::Run>> list_runs(const core::ListRuns& list) override;
  core::Result<core::Run> await_run(const core::RunRef& ref, core::Duration wait) override;
  core::Result<core::Run> act_on_run(const core::ActOnRun& request) override;
  core::Result<core::Run> rewind_run(const core::RewindRun& request) override;
  core::Result<core::Run> signal_run(const core::SignalRun& request) override;
  core::Result<core::BulkResult> act_on_runs(const core::BulkRuns& bulk) override;
  core::Result<core::StepsWritten> write_steps(core::WriteSteps command) override;
  core::Result<std::vector<core::Result<core::StepsWritten>>> write_steps_of_many(
      core::WriteStepsOfMany command) override;
  core::Result<std::vector<core::StepAttempt>> list_steps(const core::RunRef& ref) override;
  core::Result<core::StepMemoPage> list_memo(const core::RunRef& ref, core::NodeKey from) override;
  core::Result<core::StepMemo> get_step(const core::RunRef& ref, const std::string& step_id) override;
  core::Result<std::vector<core::RunEvent>> list_run_events(const core::ListRunEvents& list) override;
  core::Result<core::RunReplay> replay_run(const core::RunRef& ref,
                                           std::optional<std::int64_t> up_to) override;

  // In http_api_schedules.cpp.
  core::Result<core::Schedule> create_schedule(const core::CreateSchedule& request) override;
  core::Result<core::Schedule> get_schedule(const core::ScheduleRef& ref) override;
  core::Result<core::Page<core::Schedule>> list_schedules(const core::ListRecords& list) override;
  core::Result<core::Schedule> update_schedule(const core::UpdateSchedule& request) override;
  core::Result<core::Done> delete_schedule(const core::DeleteSchedule& request) override;
  core::Result<core::Firing> trigger_schedule(const core::TriggerSchedule& request) override;
  core::Result<std::vector<core::Firing>> backfill_schedule(const core::BackfillSchedule& request) override;
  core::Result<core::Page<core::Firing>> list_firings(const core::ListFirings& list) override;
  core::Result<std::vector<core::TimePoint>> next_times(const core::ScheduleRef& ref, int count) override;

 private:
  core::Result<HttpAnswer> send(const std::string& ns, HttpRequest request);
  // The same, but returns only the body.
  core::Result<std::string> call(const std::string& ns, HttpRequest request);
  core::Result<core::Task> move_one(const core::MoveTask& request, const std::string& verb);
  core::Result<core::BulkResult> move_many(const core::BulkTasks& bulk, const std::string& verb);

  std::mutex mutex_;
  HttpCaller caller_;
};

}  // namespace pawl::client
