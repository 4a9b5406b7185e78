#pragma once
// A worker: claims over HTTP, runs handlers side by side, ends in good order. `run` blocks until it is told
// to stop by SIGTERM or SIGINT (a second one does not wait for what runs).

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"
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

  // Blocks SIGTERM and SIGINT in the calling thread for good. The problem is one that no waiting helps: the
  // server refuses this worker.
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
  // Until a signal (true), `wake`, or the given time.
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
  net::Descriptor idle_;     // an eventfd: nothing runs any more, or there is no use in going on

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ClaimedTask> waiting_;
  int busy_ = 0;  // waiting or running
  bool stopping_ = false;
  bool closed_ = false;  // no runner has anything more to do
  std::optional<core::Problem> problem_;
};

}  // namespace pawl::worker
