#include "worker/runner.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "client/raw_json.hpp"
#include "core/base/limits.hpp"
#include "core/base/time.hpp"

namespace pawl::worker {

namespace {

constexpr core::Duration kCallTimeout = std::chrono::seconds{10};

std::string simple_report(const ClaimedTask& task, std::string_view action) {
  return client::ObjectText{}
      .text("task_id", task.id)
      .number("fence", task.fence)
      .text("action", action)
      .str();
}

std::string first_heartbeat(const ClaimedTask& task, core::Duration lease) {
  return client::ObjectText{}
      .text("task_id", task.id)
      .number("fence", task.fence)
      .text("action", "heartbeat")
      .text("lease", core::format_duration(lease))
      .str();
}

core::Problem lease_is_lost() {
  return {.code = core::ProblemCode::stale_lease, .detail = "the lease was not renewed in time"};
}

}  // namespace

bool is_for_handlers(std::string_view variable) {
  constexpr std::array<std::string_view, 3> kPublic{"PAWL_ADDRESS", "PAWL_NAMESPACE", "PAWL_CA_CERT"};
  return !variable.starts_with("PAWL_") ||
         std::find(kPublic.begin(), kPublic.end(), variable) != kPublic.end();
}

std::vector<std::string> environment_for(const ClaimedTask& task, const std::string& ns,
                                         std::vector<std::string> environment) {
  const std::vector<std::pair<std::string, std::string>> own{{"PAWL_TASK_ID", task.id},
                                                             {"PAWL_OPERATION_KEY", task.operation_key},
                                                             {"PAWL_EXECUTION_KEY", task.execution_key},
                                                             {"PAWL_ATTEMPT", std::to_string(task.attempt)},
                                                             {"PAWL_TYPE", task.type},
                                                             {"PAWL_QUEUE", task.queue},
                                                             {"PAWL_NAMESPACE", ns},
                                                             {"PAWL_FENCE", std::to_string(task.fence)},
                                                             {"PAWL_RUN_ID", task.run_id},
                                                             {"PAWL_NODE_ID", task.node_id},
                                                             {"TRACEPARENT", task.traceparent},
                                                             {"TRACESTATE", task.tracestate}};
  for (const auto& [name, value] : own) {
    std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
    if (!value.empty()) environment.push_back(name + "=" + value);
  }
  return environment;
}

TaskRunner::TaskRunner(const RunnerOptions& options, const Handlers& handlers, LeaseKeeper& keeper,
                       core::Clock& clock, core::Random& random, const Say& say)
    : options_(options),
      handlers_(handlers),
      keeper_(keeper),
      clock_(clock),
      random_(random),
      say_(say),
      api_(options.server, options.ns, random) {}

void TaskRunner::run(const ClaimedTask& task) {
  const auto lease = start(task);
  if (lease == nullptr) return;
  const auto* handler = handlers_.find(task.type);
  const auto outcome = handler != nullptr
                           ? handle(*handler, task, *lease)
                           : failure("no_handler", "this worker has no handler for " + task.type, false);
  finish(task, outcome, *lease);
  keeper_.drop(lease);
}

void TaskRunner::release(const ClaimedTask& task) {
  const auto told = api_.report(options_.worker_id, {simple_report(task, "release")}, kCallTimeout);
  if (!told) say_(fmt::format("task {} was not released: {}", task.id, told.problem().detail));
}

// The heartbeat in the same call sets when the lease began: how long the claim waited is unknown.
std::shared_ptr<Lease> TaskRunner::start(const ClaimedTask& task) {
  const auto sent_at = clock_.monotonic();
  const auto results =
      api_.report(options_.worker_id, {first_heartbeat(task, options_.lease), simple_report(task, "start")},
                  kCallTimeout);
  const auto refused = [&]() -> const core::Problem* {
    if (!results) return &results.problem();
    for (const auto& result : *results) {
      if (!result) return &result.problem();
    }
    return nullptr;
  }();
  if (refused != nullptr) {
    say_(fmt::format("task {} was not started: {}", task.id, refused->detail));
    return nullptr;
  }
  auto lease = keeper_.hold({.task_id = task.id, .fence = task.fence, .until = sent_at + options_.lease});
  if (task.timeout) keeper_.set_timeout(lease, sent_at + *task.timeout);
  return lease;
}

Outcome TaskRunner::handle(const Handler& handler, const ClaimedTask& task, Lease& lease) {
  if (const auto* shell = std::get_if<ShellHandler>(&handler)) return run_shell(*shell, task, lease);
  return call_http(std::get<HttpHandler>(handler), task, lease);
}

Outcome TaskRunner::run_shell(const ShellHandler& handler, const ClaimedTask& task, Lease& lease) {
  return outcome_of(run_process({.command = handler.command,
                                 .input = task.payload,
                                 .environment = environment_for(task, options_.ns, options_.environment),
                                 .output_max = core::kPayloadBytesMax},
                                lease, clock_));
}

// The operation key is the request's idempotency key: a retried task repeats the same request.
Outcome TaskRunner::call_http(const HttpHandler& handler, const ClaimedTask& task, Lease& lease) {
  client::HttpCaller caller{{.address = handler.address,
                             .timeout = core::kLeaseMax,
                             .refuse_private = !options_.allow_private,
                             .body_max = core::kPayloadBytesMax},
                            random_};
  lease.when_ended([&caller] { caller.cancel(); });
  client::HttpHeaders headers{{"idempotency-key", task.operation_key}};
  if (!task.traceparent.empty()) headers.emplace("traceparent", task.traceparent);
  if (!task.tracestate.empty()) headers.emplace("tracestate", task.tracestate);
  const auto answer = caller.send({.method = "POST", .body = task.object, .headers = std::move(headers)});
  lease.when_ended(nullptr);  // `caller` is destroyed next
  return outcome_of(answer);
}

void TaskRunner::finish(const ClaimedTask& task, const Outcome& outcome, Lease& lease) {
  const auto state = lease.state();
  if (state == LeaseState::lost)
    return say_(fmt::format("task {}: the lease was lost, nothing is reported", task.id));
  // An attempt that completed before it could be stopped has done its work.
  const bool completed = outcome.kind == Outcome::Kind::completed;
  auto report = report_text(task.id, task.fence, outcome);
  if (!completed && state == LeaseState::abandoned) report = simple_report(task, "release");
  if (!completed && state == LeaseState::cancelled) {
    report = report_text(task.id, task.fence,
                         failure("cancelled", "stopped because a cancel was requested", false));
  }
  if (!completed && state == LeaseState::timed_out)
    report = report_text(task.id, task.fence, failure("timeout", kTimeoutMessage, true));
  auto told = deliver(report, lease);
  const bool refused = !told && (told.problem().code == core::ProblemCode::payload_too_large ||
                                 told.problem().code == core::ProblemCode::invalid_argument);
  if (refused && completed) {
    const auto unusable = failure("output_refused", told.problem().detail, false);
    told = deliver(report_text(task.id, task.fence, unusable), lease);
  }
  if (!told) return say_(fmt::format("task {}: the report was refused: {}", task.id, told.problem().detail));
  keeper_.count(completed && !refused);
}

core::Result<ReportResult> TaskRunner::deliver(const std::string& report, Lease& lease) {
  core::Duration wait = std::chrono::milliseconds{100};
  while (lease.state() != LeaseState::lost) {
    const auto results = api_.report(options_.worker_id, {report}, kCallTimeout);
    if (results) return results->front();
    const auto code = results.problem().code;
    if (code == core::ProblemCode::payload_too_large || code == core::ProblemCode::invalid_argument) {
      return results.problem();
    }
    lease.wait(wait);
    wait = std::min<core::Duration>(wait * 2, std::chrono::seconds{2});
  }
  return lease_is_lost();
}

}  // namespace pawl::worker
