#pragma once
// A worker: claims over HTTP, runs handlers concurrently, and shuts down gracefully. `run` blocks until
// SIGTERM or SIGINT (a second signal does not wait for running tasks).

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/result.hpp"
#include "net/descriptor.hpp"
#include "worker/handlers.hpp"
#include "worker/lease_keeper.hpp"
#include "worker/runner.hpp"

namespace pawl::worker {

struct WorkerOptions {
  client::HttpTarget server = {};
  std::string ns = "default";
  std::vector<std::string> queues = {"default"};
  int concurrency = 4;
  core::Duration lease = std::chrono::seconds{30};
  core::Duration drain_timeout = std::chrono::seconds{30};
  bool allow_private = false;
  std::vector<std::string> environment = {};
  std::string version = {};
};

class Worker {
 public:
  Worker(WorkerOptions options, Handlers handlers, core::Clock& clock, core::Random& random, Say say);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() = default;

  // Blocks SIGTERM and SIGINT in the calling thread permanently. Returns a problem if the server refuses this
  // worker, which waiting would not change.
  [[nodiscard]] core::Status run();

 private:
  bool enlist();
  void claim_loop(WorkerApi& api);
  void run_loop(LeaseKeeper& keeper);
  [[nodiscard]] int wait_for_slots();  // 0: stopping
  [[nodiscard]] ClaimRequest claim_request(int max) const;
  void take(std::vector<ClaimedTask> tasks);
  void back_off(core::Duration wait);
  void say_unless_stopping(const std::string& text);
  void give_up(const core::Problem& problem);
  void stop();
  void drain(LeaseKeeper& keeper);
  [[nodiscard]] bool is_idle();
  // Waits until a signal (true), `wake`, or the given time.
  bool wait_for_signal(std::optional<core::MonotonicTime> until);
  void wake();

  WorkerOptions options_;
  Handlers handlers_;
  core::Clock& clock_;
  core::Random& random_;
  Say say_;
  RunnerOptions runner_options_;
  std::string id_;
  net::Descriptor signals_;  // a signalfd
  net::Descriptor idle_;     // an eventfd: no task runs any more, or the worker gave up

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ClaimedTask> waiting_;
  int busy_ = 0;  // waiting or running
  bool stopping_ = false;
  bool closed_ = false;  // the runners get no more tasks
  std::optional<core::Problem> problem_;
};

}  // namespace pawl::worker
