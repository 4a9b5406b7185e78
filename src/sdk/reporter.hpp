#pragma once
// Reports how claimed tasks ended. Retries while their leases are held, until a reply arrives. Thread-safe.

#include <functional>
#include <limits>
#include <string>

#include "core/task/command.hpp"
#include "sdk/connection.hpp"
#include "sdk/outcome.hpp"
#include "sdk/together.hpp"
#include "worker/lease.hpp"

namespace pawl::detail {

using Log = std::function<void(const std::string&)>;

class Reporter {
 public:
  Reporter(Connection& connection, std::string worker_id, const Log& log)
      : connection_(connection),
        worker_id_(std::move(worker_id)),
        log_(log),
        reports_(
            {.senders = connection.is_remote() ? 2 : kAnyNumber},
            [this](const core::Report& one) -> core::Result<core::ReportAnswer> {
              auto answers = tell({one});
              return answers ? std::move(answers->front()) : answers.problem();
            },
            [this](const std::vector<core::Report>& reports) { return tell(reports); }) {}

  // Reports the outcome as far as the lease allows: a lost lease reports nothing, and an abandoned one
  // releases a failed task. Returns true if the task is known to be completed.
  bool finish(const core::Task& task, const Outcome& outcome, worker::Lease& lease);
  void release(const core::Task& task);
  [[nodiscard]] core::Result<core::ReportAnswer> deliver(const core::Report& report, worker::Lease& lease);
  // Starts all tasks in one call, except workflow bodies. The lease shows later if a start was rejected.
  void start(const std::vector<core::ClaimedTask>& tasks);

  [[nodiscard]] const std::string& worker_id() const { return worker_id_; }
  void say(const std::string& text) const { log_(text); }

 private:
  core::Result<std::vector<core::Result<core::ReportAnswer>>> tell(const std::vector<core::Report>& reports) {
    return connection_.calls().tasks().report(
        {.ns = connection_.ns(), .worker_id = worker_id_, .reports = reports});
  }

  // In this process the commit loop batches the reports.
  static constexpr int kAnyNumber = std::numeric_limits<int>::max();

  Connection& connection_;
  std::string worker_id_;
  const Log& log_;
  Together<core::Report, core::ReportAnswer> reports_;
};

}  // namespace pawl::detail
