#include "wire/operations.hpp"

#include <array>

#include "wire/task.hpp"

namespace pawl::wire {

namespace {

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

Operation operation_of(const Route& route) {
  Operation operation{.route = &route,
                      .path = std::string{route.path},
                      .id = route.id,
                      .summary = route.summary,
                      .body = route.body,
                      .event = route.event,
                      .headers = route.headers};
  for (const Success& success : route.responses) {
    if (success.status != 0) operation.successes.push_back(success);
  }
  if (!route.event.empty()) operation.successes.push_back({200, "string", kEventStream});
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
