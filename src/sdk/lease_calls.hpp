#pragma once
// Renews leases through the Api, on a connection of its own.

#include <string>
#include <utility>
#include <vector>

#include "sdk/connection.hpp"
#include "worker/lease_calls.hpp"

namespace pawl::detail {

class ApiLeaseCalls final : public worker::LeaseCalls {
 public:
  // `calls` end by themselves within the time that a renewal has.
  ApiLeaseCalls(Calls calls, std::string ns, std::string worker_id)
      : calls_(std::move(calls)), ns_(std::move(ns)), worker_id_(std::move(worker_id)) {}

  [[nodiscard]] core::Result<std::vector<core::Result<worker::ReportResult>>> renew(
      const std::vector<worker::HeldTask>& tasks, core::Duration lease, core::Duration timeout) override;
  [[nodiscard]] core::Status tell_alive(const worker::WorkerCounts& counts, core::Duration timeout) override;
  void cancel() override { calls_.cancel(); }

 private:
  Calls calls_;
  std::string ns_;
  std::string worker_id_;
};

}  // namespace pawl::detail
