#pragma once
// The calls on workers over a server.

#include <string>
#include <vector>

#include "client/http_connection.hpp"
#include "core/api/worker_api.hpp"

namespace pawl::client {

class HttpWorkerApi : public virtual core::WorkerApi {
 public:
  explicit HttpWorkerApi(HttpConnection& connection) : connection_(connection) {}

  core::Result<core::Worker> register_worker(const core::RegisterWorker& request) override;
  core::Result<core::Worker> heartbeat_worker(const core::HeartbeatWorker& request) override;
  // Under the caller's key, so that the caller can repeat it after a lost reply.
  core::Result<core::Worker> heartbeat_worker(const core::HeartbeatWorker& request, const std::string& key);
  core::Result<std::vector<core::TaskId>> await_notices(const core::AwaitNotices& request) override;
  core::Result<core::Worker> drain_worker(const core::WorkerRef& request) override;
  core::Result<core::Done> deregister_worker(const core::WorkerRef& request) override;
  core::Result<core::Worker> get_worker(const std::string& ns, const std::string& worker_id) override;
  core::Result<core::Page<core::Worker>> list_workers(const core::ListRecords& list) override;

 private:
  HttpConnection& connection_;
};

}  // namespace pawl::client
