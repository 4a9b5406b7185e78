#include "sdk/lease_calls.hpp"

#include "sdk/convert.hpp"

namespace pawl::detail {

core::Result<std::vector<core::Result<worker::ReportResult>>> ApiLeaseCalls::renew(
    const std::vector<worker::HeldTask>& tasks, core::Duration lease, core::Duration /*timeout*/) {
  if (*is_over_)
    return core::Problem{.code = core::ProblemCode::unavailable, .detail = "the worker is going"};
  core::ReportTasks command{.ns = ns_, .worker_id = worker_id_};
  for (const worker::HeldTask& task : tasks) {
    command.reports.push_back({.task_id = task_id_from(task.task_id),
                               .fence = task.fence,
                               .action = core::ReportAction::heartbeat,
                               .lease = lease});
  }
  const auto answers = calls_.tasks().report(std::move(command));
  if (!answers) return answers.problem();
  std::vector<core::Result<worker::ReportResult>> results;
  for (const auto& answer : *answers) {
    if (answer) {
      results.emplace_back(worker::ReportResult{.cancel_requested = answer->cancel_requested});
    } else {
      results.emplace_back(answer.problem());
    }
  }
  return results;
}

core::Status ApiLeaseCalls::tell_alive(const worker::Heartbeat& heartbeat, core::Duration /*timeout*/) {
  const auto told = calls_.heartbeat_worker({.ns = ns_,
                                             .worker_id = worker_id_,
                                             .active_count = heartbeat.counts.active,
                                             .completed_delta = heartbeat.counts.completed,
                                             .failed_delta = heartbeat.counts.failed},
                                            heartbeat.key);
  return told ? core::Status{core::Done{}} : told.problem();
}

}  // namespace pawl::detail
