#pragma once
// The Api over an engine in this process: turns a call into a command, waits for its answer, and reads what
// the answer shows. Thread-safe. By noun: local_api.cpp (tasks, queues, checkpoints, audit),
// local_api_workers.cpp, local_api_records.cpp (the other records), local_api_gates.cpp (admission checks of
// enqueues and claims), local_api_definitions.cpp, local_api_runs.cpp, local_api_steps.cpp,
// local_api_schedules.cpp, local_api_admin.cpp (nodes, sweeps, verification).

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/api/api.hpp"
#include "core/api/run_api.hpp"
#include "core/base/env.hpp"
#include "core/records/retention.hpp"
#include "core/schedule/schedule_plan.hpp"
#include "engine/id_source.hpp"
#include "engine/lease_notices.hpp"
#include "engine/plans.hpp"
#include "engine/run_inputs.hpp"
#include "engine/run_watch.hpp"
#include "runtime/record_cache.hpp"
#include "store/store.hpp"

namespace pawl::runtime {

struct LocalApiOptions {
  core::Duration worker_timeout = core::kWorkerTimeout;
  std::size_t payload_max = core::kPayloadBytesMax;  // of a task; a namespace may have a lower limit
  core::Duration stuck_after = core::kStuckAfter;
  core::Retention retention = {};
  std::int64_t checkpoints_kept = core::kCheckpointsKept;  // per owner; a namespace may override it
};

// The state of an id that a SQL function has returned.
enum class Promised : std::uint8_t { unknown, made, waits };

class LocalApi final : public core::Api, public core::RunApi, public core::ScheduleApi {
 public:
  using Submit = std::function<void(core::Command&&, core::Reply&&)>;

  // The clock and the random source are for the ids of workers and the age of cached records.
  LocalApi(store::Store& store, core::Clock& clock, core::Random& random, Submit submit,
           LocalApiOptions options = {})
      : store_(store),
        clock_(clock),
        shared_(std::make_shared<Shared>(store, clock, random)),
        submit_(std::move(submit)),
        options_(options) {}

  // The same for one idempotent call: the first of its commands that succeeds stores the key.
  [[nodiscard]] std::unique_ptr<LocalApi> once(core::DoOnce key);
  // Whether that call was answered with the stored response.
  [[nodiscard]] bool is_replayed() const { return is_replayed_; }

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

  using core::Api::list_checkpoints;
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
  core::Result<std::vector<core::TaskId>> await_notices(const core::AwaitNotices& request) override;
  core::Result<core::Worker> drain_worker(const core::WorkerRef& request) override;
  core::Result<core::Done> deregister_worker(const core::WorkerRef& request) override;
  core::Result<core::Worker> get_worker(const std::string& ns, const std::string& worker_id) override;
  core::Result<core::Page<core::Worker>> list_workers(const core::ListRecords& list) override;

  core::Result<core::TaskType> put_type(const core::PutTaskType& request) override;
  core::Result<core::TaskType> get_type(const std::string& ns, const std::string& name) override;
  core::Result<core::Page<core::TaskType>> list_types(const core::ListRecords& list) override;
  core::Result<core::Done> delete_type(const core::DeleteTaskType& request) override;

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
  // Whether the store can serve: Store::check_ready.
  [[nodiscard]] core::Status check_store();
  core::Result<core::SweepResult> sweep(const core::Sweep& request) override;
  core::Result<core::Verification> verify() override;

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

  core::Result<core::Schedule> create_schedule(const core::CreateSchedule& request) override;
  core::Result<core::Schedule> get_schedule(const core::ScheduleRef& ref) override;
  core::Result<core::Page<core::Schedule>> list_schedules(const core::ListRecords& list) override;
  core::Result<core::Schedule> update_schedule(const core::UpdateSchedule& request) override;
  core::Result<core::Done> delete_schedule(const core::DeleteSchedule& request) override;
  core::Result<core::Firing> trigger_schedule(const core::TriggerSchedule& request) override;
  core::Result<std::vector<core::Firing>> backfill_schedule(const core::BackfillSchedule& request) override;
  core::Result<core::Page<core::Firing>> list_firings(const core::ListFirings& list) override;
  core::Result<std::vector<core::TimePoint>> next_times(const core::ScheduleRef& ref, int count) override;
  // For the scheduler: stores the change if the schedule has not changed since it was read.
  core::Result<core::RawJson> keep_schedule(core::ScheduleChange change);
  // Stores the firing if the stored one still waits (core::decide_firing).
  core::Result<core::RawJson> keep_firing(const std::string& ns, const core::Firing& firing);
  // Erases a firing past its retention (core::decide_forget).
  core::Result<core::RawJson> forget_firing(const std::string& ns, const core::Firing& firing);

  // Subscribes to the commits of this process's engine, for the calls that wait for a run or a notice.
  void follow(engine::RunWatch& watch, engine::LeaseNotices& notices) {
    watch_ = &watch;
    notices_ = &notices;
  }

  // Sets how ids that SQL functions have returned become tasks and runs when a call names them.
  void follow(std::function<Promised(const std::string& id)> make_promised) {
    make_promised_ = std::move(make_promised);
  }
  // `start_run` for a call that was admitted when it was made.
  core::Result<core::RunStarted> start_admitted(const core::StartRun& request);
  // Fills in the types' defaults only.
  core::Status fill_in_types(core::EnqueueTasks& command);

  // The admission checks alone, for an edge that submits commands itself. They may read the store.
  // Refuses tasks that their types or their namespace do not allow, and fills in the types' defaults.
  core::Status admit(core::EnqueueTasks& command);
  // Fills in the settings of the worker and the types; false: the worker gets no more tasks.
  core::Result<bool> admit(core::ClaimTasks& command);
  // Refuses outputs that are too large for the namespace, and finds the body for a caller that knows only the
  // run.
  core::Status admit(core::WriteSteps& command);
  core::Status admit(const core::StartRun& command);
  // Removes the refused writes; returns the status of each write.
  std::vector<core::Status> admit(core::WriteStepsOfMany& command);
  // Refuses reports for a worker of another token.
  core::Status admit(const core::ReportTasks& command);
  // The same for a call that names a worker and does not change it.
  core::Status check_owner(const core::WorkerRef& worker);
  // Whether `admit` finds all that it compares with in the cache, so that a thread that must not wait for the
  // store may call it.
  [[nodiscard]] bool is_at_hand(const core::EnqueueTasks& command);
  [[nodiscard]] bool is_at_hand(const core::ClaimTasks& command);
  [[nodiscard]] bool is_at_hand(const core::WriteSteps& command);
  [[nodiscard]] bool is_at_hand(const core::WriteStepsOfMany& command);
  [[nodiscard]] bool is_at_hand(const core::StartRun& command);
  [[nodiscard]] bool is_at_hand(const core::ReportTasks& command);
  [[nodiscard]] bool is_at_hand(const core::WorkerRef& worker);

 private:
  [[nodiscard]] engine::RunInputs run_inputs();
  struct Shared {
    Shared(const store::Store& store, core::Clock& clock, core::Random& random)
        : ids(random), records(clock, [&store] { return store.life(); }) {}
    engine::IdSource ids;
    RecordCache records;
    engine::Plans plans;
  };

  LocalApi(const LocalApi& whole, core::DoOnce key)
      : store_(whole.store_),
        clock_(whole.clock_),
        shared_(whole.shared_),
        submit_(whole.submit_),
        watch_(whole.watch_),
        notices_(whole.notices_),
        make_promised_(whole.make_promised_),
        options_(whole.options_),
        once_(std::move(key)) {}

  // By reference: a waiting call has the command on its stack once, not once for each function.
  core::Result<core::Answer> call(core::Command&& command);
  core::Result<core::Answer> submit_and_wait(core::Command&& command);
  template <typename T>
  core::Result<T> call_for(core::Command&& command) {
    auto answer = call(std::move(command));
    if (!answer) return answer.problem();
    return std::move(std::get<T>(*answer));
  }
  template <typename Command>
  core::Result<core::Task> move_one(Command command);
  [[nodiscard]] core::Result<std::vector<core::TaskId>> list_all(store::TaskPage page, std::size_t limit);
  [[nodiscard]] core::Result<std::vector<core::RunId>> list_all(store::RunPage page, std::size_t limit);
  template <typename Command>
  core::Result<core::BulkResult> move_many(const core::BulkTasks& bulk,
                                           std::vector<core::TaskStatus> default_statuses);

  static core::Status check_limit(int limit);
  // The largest JSON value that a namespace accepts, in bytes.
  [[nodiscard]] std::int64_t payload_max_of(const core::NamespaceSettings& settings) const;
  core::Status admit_json(const std::string& ns, std::string_view field, const core::RawJson& json);

  struct ScheduleNow {
    core::Schedule schedule = {};
    std::int64_t version = 0;
    core::TimePoint now = {};
  };
  core::Result<ScheduleNow> read_schedule(const core::ScheduleRef& ref);
  // Reads the schedule, computes the change with `plan` and stores it; retries if another change was faster.
  core::Result<core::RawJson> change_schedule(
      const core::ScheduleRef& ref, const core::AuditEntry& audit,
      const std::function<core::Result<core::ScheduleChange>(const ScheduleNow&)>& plan);

  core::Result<store::StoredRun> read_run(const core::RunRef& ref, store::RunParts parts);
  core::Result<store::StoredRun> find_run(const core::RunRef& ref, store::RunParts parts);
  core::Result<core::TaskWithAttempts> find_task(const std::string& ns, const core::TaskId& id);
  // Runs `call`, and runs it again if the id that it did not find was promised and exists now. Fails with
  // `unavailable` if the id still waits for earlier calls.
  template <typename Call>
  auto with_promised(const core::Uuid& id, const Call& call) -> decltype(call()) {
    auto result = call();
    const bool is_missing = !result && result.problem().code == core::ProblemCode::not_found;
    if (!is_missing || !make_promised_) return result;
    if (make_promised_(to_string(id)) == Promised::waits) return not_made_yet(id);
    return call();
  }
  [[nodiscard]] static core::Problem not_made_yet(const core::Uuid& id);
  core::Result<store::StoredRun> read_nodes(const core::RunRef& ref, const core::NodePage& page);
  core::Result<core::TaskId> body_of(const core::RunRef& ref);
  // Null unless it is a graph run.
  core::Result<engine::SharedPlan> plan_of(const core::Run& run);
  template <typename Command>
  core::Result<core::RunStarted> call_on_run(const std::string& ns, Command command);

  // The stored record.
  core::Result<RecordNow> find_record(const core::RecordRef& ref);
  core::Result<core::RecordAnswer> change(core::ChangeRecords command);
  // Checks the request, and lets `decide` read and change the records. The command holds a copy of the
  // request, since a group may be tried again.
  template <typename Request>
  core::Result<core::RawJson> decide_on(const std::vector<core::RecordRef>& refs, const Request& request,
                                        core::Result<core::RecordDecision> (*decide)(const Request&,
                                                                                     core::FoundRecords,
                                                                                     core::TimePoint)) {
    if (const core::Status valid = check(request); !valid) return valid.problem();
    auto answer =
        change({.refs = refs, .decide = [request, decide](core::FoundRecords found, core::TimePoint now) {
                  return decide(request, found, now);
                }});
    if (!answer) return answer.problem();
    return std::move(answer->body);
  }
  // A page of the stored records of one kind.
  struct RecordsNow {
    std::vector<core::Record> records = {};
    std::optional<std::string> next_cursor = {};
    core::TimePoint now = {};
  };
  core::Result<RecordsNow> list_records(core::RecordKind kind, const std::string& ns,
                                        const core::ListRecords& list);

  core::Page<core::AuditEntry> read_audit(const core::ListAudit& list, std::optional<std::int64_t> before);
  // Checks that the owner of checkpoints exists.
  core::Status find_owner(const std::string& ns, const core::CheckpointOwner& owner);
  // `sweep_due` runs a recovery check; `sweep_old` erases rows past their retention.
  core::Status sweep_due(const core::Sweep& request, core::SweepResult& result);
  core::Status sweep_old(const core::Sweep& request, core::SweepResult& result);

  // The same, possibly from the cache.
  core::Result<RecordNow> recent_record(const core::RecordRef& ref);

  // Null if the type is not declared. Shared with the cache.
  using SharedType = std::shared_ptr<const core::DeclaredType>;
  core::Result<SharedType> declared_type(const std::string& ns, const std::string& name, bool is_strict);
  core::Result<bool> is_registered_type(const std::string& ns, const std::string& type);
  // Whether the worker gave a recent sign of life, so that its claim need not be recorded.
  [[nodiscard]] bool is_heard_of(const core::Worker& worker, core::TimePoint now) const;
  // The types that the claim may get.
  [[nodiscard]] std::set<std::string> types_of(const core::ClaimTasks& command);
  core::Result<core::Worker> claiming_worker(const core::ClaimTasks& command);
  core::Result<std::map<std::string, core::Duration>> type_leases(const core::ClaimTasks& command);

  struct TaskLease {
    std::int64_t fence = 0;  // 0: the task is not held
    std::string queue = {};  // empty: the task does not exist
  };
  core::Result<TaskLease> lease_of(const std::string& ns, const core::TaskId& id);
  core::Result<std::vector<core::TaskId>> held_by(const std::string& ns, const std::string& worker_id);
  // Evicts the tasks that a worker still holds, page by page.
  core::Status evict(const std::string& ns, const std::string& worker_id, core::Eviction eviction);
  core::Status renew_leases(const core::HeartbeatWorker& request);

  store::Store& store_;
  core::Clock& clock_;
  std::shared_ptr<Shared> shared_;  // shared with all objects that `once` creates
  Submit submit_;
  engine::RunWatch* watch_ = nullptr;
  engine::LeaseNotices* notices_ = nullptr;
  std::function<Promised(const std::string& id)> make_promised_ = {};  // none: the store has no inbox
  const LocalApiOptions options_;
  std::optional<core::DoOnce> once_ = {};
  bool is_replayed_ = false;
};

}  // namespace pawl::runtime
