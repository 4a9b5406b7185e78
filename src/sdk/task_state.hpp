#pragma once
// The state behind a pawl::Task: the claimed task, its lease as a stop token, and the connection for its
// checkpoints.

#include <stop_token>
#include <string>

#include "core/task/command.hpp"
#include "sdk/connection.hpp"
#include "worker/lease.hpp"

namespace pawl::detail {

// Requests stop when the lease is no longer held.
class LeaseStop {
 public:
  explicit LeaseStop(worker::Lease& lease) : lease_(lease) {
    lease_.when_ended([this] { source_.request_stop(); });
  }
  LeaseStop(const LeaseStop&) = delete;
  LeaseStop& operator=(const LeaseStop&) = delete;
  ~LeaseStop() { lease_.when_ended(nullptr); }
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  worker::Lease& lease_;
  std::stop_source source_;
};

class TaskState {
 public:
  TaskState(Connection& connection, const core::ClaimedTask& claimed, worker::Lease& lease)
      : connection_(connection), claimed_(claimed), id_(to_string(claimed.task.id)), stop_(lease) {}

  [[nodiscard]] Connection& connection() const { return connection_; }
  [[nodiscard]] const core::ClaimedTask& claimed() const { return claimed_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] std::stop_token stop_token() const { return stop_.token(); }

 private:
  Connection& connection_;
  const core::ClaimedTask& claimed_;
  std::string id_;
  LeaseStop stop_;
};

}  // namespace pawl::detail
