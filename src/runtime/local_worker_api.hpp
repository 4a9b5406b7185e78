#pragma once
// The calls on workers over an engine in this process: their records and the tasks they hold.

#include <string>
#include <vector>

#include "core/api/worker_api.hpp"
#include "runtime/local_context.hpp"

namespace pawl::runtime {

class LocalWorkerApi : public virtual core::WorkerApi {
 public:
  explicit LocalWorkerApi(LocalContext& context)
      : clock_(context.clock),
        options_(context.options),
        ids_(context.caches->ids),
        subscriptions_(context.subscriptions),
        caller_(context.caller),
        records_(context.records),
        tasks_(context.tasks) {}

  core::Result<core::Worker> register_worker(const core::RegisterWorker& request) override;
  core::Result<core::Worker> heartbeat_worker(const core::HeartbeatWorker& request) override;
  core::Result<core::Worker> drain_worker(const core::WorkerRef& request) override;
  core::Result<core::Done> deregister_worker(const core::WorkerRef& request) override;
  core::Result<std::vector<core::TaskId>> await_notices(const core::AwaitNotices& request) override;
  core::Result<core::Worker> get_worker(const std::string& ns, const std::string& worker_id) override;
  core::Result<core::Page<core::Worker>> list_workers(const core::ListRecords& list) override;

 private:
  // Evicts the tasks that a worker still holds, page by page.
  core::Status evict(const std::string& ns, const std::string& worker_id, core::Eviction eviction);
  core::Status renew_leases(const core::HeartbeatWorker& request);

  core::Clock& clock_;
  const LocalApiOptions& options_;
  engine::IdSource& ids_;
  const Subscriptions& subscriptions_;
  CommandCaller& caller_;
  RecordAccess& records_;
  TaskReader& tasks_;
};

}  // namespace pawl::runtime
