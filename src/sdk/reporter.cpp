#include "sdk/reporter.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/run/step.hpp"

namespace pawl::detail {

namespace {

using core::ReportAction;
using worker::LeaseState;

core::Report report_of(const core::Task& task, const Outcome& outcome) {
  core::Report report{.task_id = task.id, .fence = task.lease->fence};
  if (outcome.kind == Outcome::Kind::completed) {
    report.action = ReportAction::complete;
    report.output = {outcome.output};
    if (outcome.continue_as_new) report.continue_as_new = core::RawJson{*outcome.continue_as_new};
  } else {
    report.action = ReportAction::fail;
    report.error = error_to_keep(outcome);
    report.retry_after = outcome.retry_after;
  }
  return report;
}

bool is_refused(core::ProblemCode code) {
  return code == core::ProblemCode::invalid_argument || code == core::ProblemCode::payload_too_large;
}

}  // namespace

bool Reporter::finish(const core::Task& task, const Outcome& outcome, worker::Lease& lease) {
  const LeaseState state = lease.state();
  if (state == LeaseState::lost) {
    log_(fmt::format("task {}: the lease was lost, nothing is reported", to_string(task.id)));
    return false;
  }
  const bool completed = outcome.kind == Outcome::Kind::completed;
  core::Report report = report_of(task, outcome);
  if (!completed && state == LeaseState::abandoned)
    report = {.task_id = task.id, .fence = task.lease->fence, .action = ReportAction::release};
  auto told = deliver(report, lease);
  const bool refused = !told && completed && is_refused(told.problem().code);
  if (refused) {
    const Outcome unusable =
        failed_with({.code = "output_refused", .message = told.problem().detail, .retryable = false});
    told = deliver(report_of(task, unusable), lease);
  }
  if (!told)
    log_(fmt::format("task {}: the report was refused: {}", to_string(task.id), told.problem().detail));
  return told.ok() && completed && !refused;
}

void Reporter::release(const core::Task& task) {
  const auto told = connection_.calls().tasks().report(
      {.ns = connection_.ns(),
       .worker_id = worker_id_,
       .reports = {{.task_id = task.id, .fence = task.lease->fence, .action = ReportAction::release}}});
  if (!told) log_(fmt::format("task {} was not given back: {}", to_string(task.id), told.problem().detail));
}

core::Result<core::ReportAnswer> Reporter::deliver(const core::Report& report, worker::Lease& lease) {
  core::Duration wait = std::chrono::milliseconds{50};
  while (lease.state() != LeaseState::lost) {
    auto told = reports_.call(report, report.output.text.size());
    if (told || !is_passing(told.problem().code)) return told;
    lease.wait(wait);
    wait = std::min<core::Duration>(wait * 2, std::chrono::seconds{2});
  }
  return core::Problem{.code = core::ProblemCode::stale_lease, .detail = "the lease was not renewed in time"};
}

void Reporter::start(const std::vector<core::ClaimedTask>& tasks) {
  core::ReportTasks command{.ns = connection_.ns(), .worker_id = worker_id_};
  for (const core::ClaimedTask& claimed : tasks) {
    if (!core::is_body_type(claimed.task.type))
      command.reports.push_back(
          {.task_id = claimed.task.id, .fence = claimed.task.lease->fence, .action = ReportAction::start});
  }
  if (command.reports.empty()) return;
  const auto told = connection_.calls().tasks().report(std::move(command));
  if (!told) log_("tasks were not started: " + told.problem().detail);
}

}  // namespace pawl::detail
