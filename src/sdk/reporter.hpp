#pragma once
// Tells how claimed tasks ended, again and again while their leases are held, until somebody has answered.
// Any thread.

#include <functional>
#include <string>

#include "core/command.hpp"
#include "sdk/connection.hpp"
#include "sdk/outcome.hpp"
#include "worker/lease.hpp"

namespace pawl::detail {

using Log = std::function<void(const std::string&)>;

class Reporter {
 public:
  Reporter(Connection& connection, std::string worker_id, const Log& log)
      : connection_(connection), worker_id_(std::move(worker_id)), log_(log) {}

  // As the lease allows: one that is lost says nothing, one that is abandoned gives a failed task back. True:
  // it is known as completed.
  bool finish(const core::Task& task, const Outcome& outcome, worker::Lease& lease);
  void release(const core::Task& task);
  [[nodiscard]] core::Result<core::ReportAnswer> deliver(const core::Report& report, worker::Lease& lease);
  // All at once, bodies of workflows left out; one that is refused will be noticed by its lease.
  void start(const std::vector<core::ClaimedTask>& tasks);

  [[nodiscard]] const std::string& worker_id() const { return worker_id_; }
  void say(const std::string& text) const { log_(text); }

 private:
  Connection& connection_;
  std::string worker_id_;
  const Log& log_;
};

}  // namespace pawl::detail
