#pragma once
// Renews leases through the Api, on its own connection, until the worker has stopped and its drain time is
// over. Then the leases expire, and other workers continue the tasks.

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sdk/connection.hpp"
#include "worker/lease_calls.hpp"

namespace pawl::detail {

class ApiLeaseCalls final : public worker::LeaseCalls {
 public:
  struct Of {
    std::string ns = {};
    std::string worker_id = {};
    std::shared_ptr<const std::atomic<bool>> is_over = {};  // shared with the worker, which sets it
  };
  // `calls` must time out within the time that one renewal has.
  ApiLeaseCalls(Calls calls, Of of)
      : calls_(std::move(calls)),
        ns_(std::move(of.ns)),
        worker_id_(std::move(of.worker_id)),
        is_over_(std::move(of.is_over)) {}

  [[nodiscard]] core::Result<std::vector<core::Result<worker::ReportResult>>> renew(
      const std::vector<worker::HeldTask>& tasks, core::Duration lease, core::Duration timeout) override;
  [[nodiscard]] core::Status tell_alive(const worker::Heartbeat& heartbeat, core::Duration timeout) override;
  void cancel() override { calls_.cancel(); }

 private:
  Calls calls_;
  std::string ns_;
  std::string worker_id_;
  std::shared_ptr<const std::atomic<bool>> is_over_;
};

}  // namespace pawl::detail
