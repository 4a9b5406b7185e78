#pragma once
// Every use case of workers. See core/api/api.hpp.

#include <string>
#include <vector>

#include "core/api/page.hpp"
#include "core/base/ids.hpp"
#include "core/records/worker.hpp"

namespace pawl::core {

class WorkerApi {
 public:
  WorkerApi() = default;
  WorkerApi(const WorkerApi&) = delete;
  WorkerApi& operator=(const WorkerApi&) = delete;
  virtual ~WorkerApi() = default;

  virtual Result<Worker> register_worker(const RegisterWorker& request) = 0;
  virtual Result<Worker> heartbeat_worker(const HeartbeatWorker& request) = 0;
  virtual Result<Worker> drain_worker(const WorkerRef& request) = 0;
  virtual Result<Done> deregister_worker(const WorkerRef& request) = 0;
  // Waits for tasks of the worker to be canceled or lost to it since its last call and returns their ids;
  // empty when the wait elapses. The ids are hints: each task's heartbeat is authoritative.
  virtual Result<std::vector<TaskId>> await_notices(const AwaitNotices& request) = 0;
  virtual Result<Worker> get_worker(const std::string& ns, const std::string& worker_id) = 0;
  virtual Result<Page<Worker>> list_workers(const ListRecords& list) = 0;
};

}  // namespace pawl::core
