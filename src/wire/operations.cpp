#include "wire/operations.hpp"

#include <optional>

#include "core/base/ensure.hpp"
#include "wire/task.hpp"

namespace pawl::wire {

namespace {

struct Row {
  Call call;
  std::string_view id;
  std::array<Success, 4> successes;  // entries with a status
  Headers headers = kNoHeaders;
  std::string_view event = {};
};

constexpr std::array kRows{
    Row{Call::healthz, "getHealth", {{{200, "Health"}}}},
    Row{Call::readyz, "getReadiness", {{{200, "Health"}}}},
    Row{Call::metrics, "getMetrics", {{{200, "string", "text/plain"}}}},
    Row{Call::openapi, "getOpenApi", {{{200, "{json}"}}}},
    Row{Call::home,
        "getDashboard",
        {{{200, "string", "text/html"}, {200, "string", "text/plain"}, {304}}},
        kTagged},
    Row{Call::dashboard_asset, "getDashboardAsset", {{{200, "string", "*/*"}, {304}}}, kTagged},

    Row{Call::enqueue_task, "enqueueTask", {{{201, "EnqueuedTask"}, {200, "EnqueuedTask"}}}, kTraced},
    Row{Call::enqueue_tasks, "enqueueTasks", {{{200, "EnqueuedTasks"}}}, kTraced},
    Row{Call::claim_tasks, "claimTasks", {{{200, "ClaimedTasks"}}}},
    Row{Call::report_tasks, "reportTasks", {{{200, "ReportResults"}}}},
    Row{Call::report_task, "reportTask", {{{200, "ReportResult"}}}},
    Row{Call::get_task, "getTask", {{{200, "TaskWithAttempts"}}}},
    Row{Call::list_tasks, "listTasks", {{{200, "TaskPage"}}}},
    Row{Call::retry_task, "retryTask", {{{200, "Task"}}}},
    Row{Call::cancel_task, "cancelTask", {{{200, "Task"}}}},
    Row{Call::retry_tasks, "retryTasks", {{{200, "BulkResult"}}}},
    Row{Call::cancel_tasks, "cancelTasks", {{{200, "BulkResult"}}}},

    Row{Call::list_queues, "listQueues", {{{200, "QueuePage"}}}, kNoHeaders, "QueuePage"},
    Row{Call::put_queue, "updateQueue", {{{200, "Queue"}}}},

    Row{Call::append_checkpoint, "appendCheckpoint", {{{201, "AppendedCheckpoint"}}}},
    Row{Call::list_checkpoints, "listCheckpoints", {{{200, "CheckpointPage"}}}},
    Row{Call::summarize_checkpoints, "summarizeCheckpoints", {{{200, "CheckpointSummary"}}}},
    Row{Call::acquire_lock, "acquireLease", {{{200, "Lock"}}}},
    Row{Call::renew_lock, "renewLease", {{{200, "Lock"}}}},
    Row{Call::release_lock, "releaseLease", {{{200, "Lock"}}}},
    Row{Call::get_lock, "getLease", {{{200, "Lock"}}}},
    Row{Call::begin_idempotency, "beginIdempotencyKey", {{{201, "IdempotencyKey"}, {200, "IdempotencyKey"}}}},
    Row{Call::complete_idempotency, "completeIdempotencyKey", {{{200, "IdempotencyKey"}}}},
    Row{Call::fail_idempotency, "failIdempotencyKey", {{{200, "IdempotencyKey"}}}},
    Row{Call::get_idempotency, "getIdempotencyKey", {{{200, "IdempotencyKey"}}}},
    Row{Call::register_worker, "registerWorker", {{{201, "Worker"}}}},
    Row{Call::heartbeat_worker, "heartbeatWorker", {{{200, "Worker"}}}},
    Row{Call::await_notices, "awaitWorkerNotices", {{{200, "Notices"}}}},
    Row{Call::drain_worker, "drainWorker", {{{200, "Worker"}}}},
    Row{Call::deregister_worker, "deregisterWorker", {{{200, "Empty"}}}},
    Row{Call::get_worker, "getWorker", {{{200, "Worker"}}}},
    Row{Call::list_workers, "listWorkers", {{{200, "WorkerPage"}}}},
    Row{Call::put_type, "putType", {{{200, "TaskType"}}}},
    Row{Call::get_type, "getType", {{{200, "TaskType"}}}},
    Row{Call::list_types, "listTypes", {{{200, "TaskTypePage"}}}},
    Row{Call::delete_type, "deleteType", {{{200, "Empty"}}}},

    Row{Call::put_definition,
        "putDefinition",
        {{{201, "DefinitionName"}, {200, "DefinitionName"}}},
        kReadsYaml},
    Row{Call::list_definitions, "listDefinitions", {{{200, "DefinitionRowPage"}}}},
    Row{Call::get_definition, "getDefinition", {{{200, "Definition"}}}},
    Row{Call::get_definition_version, "getDefinitionVersion", {{{200, "Definition"}}}},
    Row{Call::start_run, "startRun", {{{201, "StartedRun"}, {200, "StartedRun"}}}, kTraced | kTagged},
    Row{Call::open_run, "openRun", {{{201, "StartedRun"}, {200, "StartedRun"}}}, kTraced | kTagged},
    Row{Call::retry_runs, "retryRuns", {{{200, "BulkResult"}}}},
    Row{Call::cancel_runs, "cancelRuns", {{{200, "BulkResult"}}}},
    Row{Call::list_runs, "listRuns", {{{200, "RunPage"}}}},
    Row{Call::get_run, "getRun", {{{200, "RunWithTasks"}, {304}}}, kTagged},
    Row{Call::await_run, "awaitRun", {{{200, "Run"}, {202, "Run"}}}, kTagged},
    Row{Call::pause_run, "pauseRun", {{{200, "Run"}}}, kConditional | kTagged},
    Row{Call::resume_run, "resumeRun", {{{200, "Run"}}}, kConditional | kTagged},
    Row{Call::cancel_run, "cancelRun", {{{200, "Run"}}}, kConditional | kTagged},
    Row{Call::retry_run, "retryRun", {{{200, "Run"}}}, kConditional | kTagged},
    Row{Call::compensate_run, "compensateRun", {{{200, "Run"}}}, kConditional | kTagged},
    Row{Call::terminate_run, "terminateRun", {{{200, "Run"}}}, kConditional | kTagged},
    Row{Call::skip_compensation, "skipCompensation", {{{200, "Run"}}}, kConditional | kTagged},
    Row{Call::complete_run, "completeRun", {{{200, "Run"}}}, kConditional | kTagged},
    Row{Call::rewind_run, "rewindRun", {{{201, "RewoundRun"}}}, kConditional | kTagged},
    Row{Call::signal_run, "signalRun", {{{200, "Run"}}}, kConditional | kTagged},
    Row{Call::list_run_events, "listRunEvents", {{{200, "RunEventPage"}, {204}}}, kNoHeaders, "RunEvent"},
    Row{Call::replay_run, "replayRun", {{{200, "RunReplay"}}}},
    Row{Call::graph_of_run,
        "getRunGraph",
        {{{200, "RunGraph"}, {200, "string", "text/plain"}, {200, "string", "text/vnd.graphviz"}}}},

    Row{Call::begin_step, "beginStep", {{{200, "WrittenStep"}}}},
    Row{Call::complete_step, "completeStep", {{{200, "WrittenStep"}}}},
    Row{Call::fail_step, "failStep", {{{200, "WrittenStep"}}}},
    Row{Call::suspend_run, "suspendRun", {{{200, "WrittenSteps"}}}},
    Row{Call::write_steps, "writeSteps", {{{200, "WrittenSteps"}}}},
    Row{Call::write_steps_of_many, "writeStepsOfRuns", {{{200, "StepsResults"}}}},
    Row{Call::list_steps, "listSteps", {{{200, "StepAttemptPage"}}}},
    Row{Call::list_memo, "listStepMemos", {{{200, "StepMemoPage"}}}},
    Row{Call::get_step, "getStep", {{{200, "StepMemo"}}}},

    Row{Call::create_schedule, "createSchedule", {{{201, "Schedule"}}}},
    Row{Call::list_schedules, "listSchedules", {{{200, "SchedulePage"}}}},
    Row{Call::get_schedule, "getSchedule", {{{200, "Schedule"}}}},
    Row{Call::update_schedule, "updateSchedule", {{{200, "Schedule"}}}},
    Row{Call::delete_schedule, "deleteSchedule", {{{200, "Empty"}}}},
    Row{Call::pause_schedule, "pauseSchedule", {{{200, "Schedule"}}}},
    Row{Call::resume_schedule, "resumeSchedule", {{{200, "Schedule"}}}},
    Row{Call::trigger_schedule, "triggerSchedule", {{{201, "Firing"}}}},
    Row{Call::backfill_schedule, "backfillSchedule", {{{200, "Backfilled"}}}},
    Row{Call::list_firings, "listFirings", {{{200, "FiringPage"}}}},
    Row{Call::next_times, "getNextTimes", {{{200, "NextTimes"}}}},

    Row{Call::create_token, "createToken", {{{201, "TokenWithSecret"}}}},
    Row{Call::list_tokens, "listTokens", {{{200, "TokenPage"}}}},
    Row{Call::revoke_token, "revokeToken", {{{200, "Token"}}}},
    Row{Call::rotate_token, "rotateToken", {{{200, "TokenWithSecret"}}}},
    Row{Call::get_namespace, "getNamespace", {{{200, "NamespaceSettings"}}}},
    Row{Call::put_namespace, "updateNamespace", {{{200, "NamespaceSettings"}}}},
    Row{Call::list_audit, "listAudit", {{{200, "AuditEntryPage"}}}},
    Row{Call::list_nodes, "listNodes", {{{200, "NodePage"}}}},
    Row{Call::vitals, "getVitals", {{{200, "StoreVitals"}}}},
    Row{Call::sweep, "sweep", {{{200, "SweepResult"}}}},
    Row{Call::verify, "verify", {{{200, "Verification"}}}},
};

constexpr bool has_a_row_for_each_call() {
  std::array<bool, kCallCount> seen{};
  for (const Row& row : kRows) {
    bool& is_seen = seen.at(static_cast<std::size_t>(row.call));
    if (is_seen) return false;
    is_seen = true;
  }
  return kRows.size() == kCallCount;
}
static_assert(has_a_row_for_each_call(), "a new call needs a row: what does it answer?");

// A report on one task: its path contains the action, and each action has its own fields.
constexpr Field kReporter = has("worker_id", "string", "who holds the lease");
constexpr Field kReportedFence = has("fence", "integer", "of the claim");
constexpr std::array kPlainReport{kReporter, kReportedFence};
constexpr std::array kHeartbeatReport{
    kReporter,
    kReportedFence,
    maybe("lease", "duration", "how long from now"),
};
constexpr std::array kCompleteReport{
    kReporter,
    kReportedFence,
    maybe("output", "json"),
    maybe("continue_as_new", "json",
          "of a code run's body: the run ends and another one with this input takes its place"),
};
constexpr std::array kFailReport{
    kReporter,
    kReportedFence,
    has("error", "error"),
    maybe("retry_after", "duration", "instead of the policy's wait"),
};

struct ReportOperation {
  core::ReportAction action;
  std::string_view id;
  std::string_view summary;
  std::span<const Field> body;
};
constexpr std::array<ReportOperation, core::kReportActionCount> kReportOperations{{
    {core::ReportAction::heartbeat, "heartbeatTask", "Extend the lease on a task", kHeartbeatReport},
    {core::ReportAction::start, "startTask", "Report that the handler of a task runs", kPlainReport},
    {core::ReportAction::complete, "completeTask", "Complete a task", kCompleteReport},
    {core::ReportAction::fail, "failTask", "Fail an attempt of a task", kFailReport},
    {core::ReportAction::release, "releaseTask", "Give a task back; the attempt is not spent", kPlainReport},
}};

const Row& row_of(Call call) {
  for (const Row& row : kRows) {
    if (row.call == call) return row;
  }
  PAWL_ENSURE(false, "every call has a row");
  return kRows.front();
}

Operation operation_of(const Route& route) {
  const Row& row = row_of(route.call);
  Operation operation{.route = &route,
                      .path = std::string{route.path},
                      .id = row.id,
                      .summary = route.summary,
                      .body = route.body,
                      .event = row.event,
                      .headers = row.headers};
  for (const Success& success : row.successes) {
    if (success.status != 0) operation.successes.push_back(success);
  }
  if (!row.event.empty()) operation.successes.push_back({200, "string", kEventStream});
  return operation;
}

}  // namespace

std::vector<Operation> operations() {
  constexpr std::string_view kAction = "{action}";
  std::vector<Operation> all;
  for (const Route& route : routes()) {
    const Operation operation = operation_of(route);
    if (!route.path.ends_with(kAction)) {
      all.push_back(operation);
      continue;
    }
    for (const ReportOperation& report : kReportOperations) {
      Operation& one = all.emplace_back(operation);
      one.path.replace(one.path.size() - kAction.size(), kAction.size(), to_string(report.action));
      one.id = report.id;
      one.summary = report.summary;
      one.body = report.body;
    }
  }
  return all;
}

}  // namespace pawl::wire
