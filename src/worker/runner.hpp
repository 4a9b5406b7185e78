#pragma once
// Takes one claimed task from its start to its report. Each thread that runs tasks has its own runner.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/handlers.hpp"
#include "worker/lease_keeper.hpp"
#include "worker/outcome.hpp"
#include "worker/worker_api.hpp"

namespace pawl::worker {

struct RunnerOptions {
  client::HttpTarget server = {};
  std::string ns = {};
  std::string worker_id = {};
  core::Duration lease = {};
  bool allow_private = false;                 // HTTP handlers may have private addresses
  std::vector<std::string> environment = {};  // of the handlers: NAME=VALUE
};

using Say = std::function<void(const std::string&)>;

// A handler may do what its task needs, not what the worker or a server on the same machine may. Of Pawl's
// own variables, which may hold tokens and passwords, it gets those that locate the server.
[[nodiscard]] bool is_for_handlers(std::string_view variable);
// Adds the handler's own variables to those of the worker.
[[nodiscard]] std::vector<std::string> environment_for(const ClaimedTask& task, const std::string& ns,
                                                       std::vector<std::string> environment);

class TaskRunner {
 public:
  TaskRunner(const RunnerOptions& options, const Handlers& handlers, LeaseKeeper& keeper, core::Clock& clock,
             core::Random& random, const Say& say);

  void run(const ClaimedTask& task);
  // Releases a task that was claimed and not started.
  void release(const ClaimedTask& task);

 private:
  [[nodiscard]] std::shared_ptr<Lease> start(const ClaimedTask& task);
  [[nodiscard]] Outcome handle(const Handler& handler, const ClaimedTask& task, Lease& lease);
  [[nodiscard]] Outcome run_shell(const ShellHandler& handler, const ClaimedTask& task, Lease& lease);
  [[nodiscard]] Outcome call_http(const HttpHandler& handler, const ClaimedTask& task, Lease& lease);
  void finish(const ClaimedTask& task, const Outcome& outcome, Lease& lease);
  // Retries until the server has answered, unless the lease is lost.
  core::Result<ReportResult> deliver(const std::string& report, Lease& lease);

  const RunnerOptions& options_;
  const Handlers& handlers_;
  LeaseKeeper& keeper_;
  core::Clock& clock_;
  core::Random& random_;
  const Say& say_;
  WorkerApi api_;
};

}  // namespace pawl::worker
