#include "worker/lease_calls.hpp"

#include "client/raw_json.hpp"

namespace pawl::worker {

core::Result<std::vector<core::Result<ReportResult>>> HttpLeaseCalls::renew(
    const std::vector<HeldTask>& tasks, core::Duration lease, core::Duration timeout) {
  std::vector<std::string> reports;
  for (const HeldTask& task : tasks) {
    reports.push_back(client::ObjectText{}
                          .text("task_id", task.task_id)
                          .number("fence", task.fence)
                          .text("action", "heartbeat")
                          .text("lease", core::format_duration(lease))
                          .str());
  }
  return api_.report(worker_id_, reports, timeout);
}

}  // namespace pawl::worker
