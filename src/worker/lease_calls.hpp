#pragma once
// The calls of a lease keeper to the grantor of its leases: a server, or an engine in this process. One
// thread at a time, except for `cancel`.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "worker/worker_api.hpp"

namespace pawl::worker {

struct HeldTask {
  std::string task_id = {};
  std::int64_t fence = 0;
};

class LeaseCalls {
 public:
  LeaseCalls() = default;
  LeaseCalls(const LeaseCalls&) = delete;
  LeaseCalls& operator=(const LeaseCalls&) = delete;
  virtual ~LeaseCalls() = default;

  // Returns one result per task, in order; a problem of the whole call if no answer arrived within `timeout`.
  [[nodiscard]] virtual core::Result<std::vector<core::Result<ReportResult>>> renew(
      const std::vector<HeldTask>& tasks, core::Duration lease, core::Duration timeout) = 0;
  [[nodiscard]] virtual core::Status tell_alive(const Heartbeat& heartbeat, core::Duration timeout) = 0;
  virtual void cancel() = 0;
};

// Over HTTP, on a connection of its own.
class HttpLeaseCalls final : public LeaseCalls {
 public:
  HttpLeaseCalls(client::HttpTarget server, const std::string& ns, std::string worker_id,
                 core::Random& random)
      : api_(std::move(server), ns, random), worker_id_(std::move(worker_id)) {}

  [[nodiscard]] core::Result<std::vector<core::Result<ReportResult>>> renew(
      const std::vector<HeldTask>& tasks, core::Duration lease, core::Duration timeout) override;
  [[nodiscard]] core::Status tell_alive(const Heartbeat& heartbeat, core::Duration timeout) override {
    return api_.heartbeat(worker_id_, heartbeat, timeout);
  }
  void cancel() override { api_.cancel(); }

 private:
  WorkerApi api_;
  std::string worker_id_;
};

}  // namespace pawl::worker
