#pragma once
// An engine with its threads: what an embedding program, the server and the benchmarks start. Destroying it
// executes what was submitted, answers what waits, and joins the threads.

#include <memory>

#include "core/api.hpp"
#include "engine/engine.hpp"
#include "runtime/commit_loop.hpp"
#include "runtime/local_api.hpp"
#include "runtime/membership.hpp"
#include "runtime/progress.hpp"
#include "runtime/scheduler.hpp"
#include "runtime/ticker.hpp"

namespace pawl::runtime {

struct RuntimeOptions {
  LoopOptions loop = {};
  TickerOptions ticker = {};
  std::size_t waiting_claims_max = core::kWaitingClaimsMax;
  LocalApiOptions api = {};
  NodeOptions node = {};
  core::Duration schedules = std::chrono::milliseconds{250};  // looks at what schedules have due
};

class Runtime {
 public:
  Runtime(store::Store& store, core::Clock& clock, core::Random& random, RuntimeOptions options = {});
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  void submit(core::Command command, core::Reply reply) {
    loop_->submit(std::move(command), std::move(reply));
  }
  [[nodiscard]] core::Api& api() { return api_; }
  [[nodiscard]] LocalApi& local() { return api_; }
  [[nodiscard]] engine::Engine& engine() { return engine_; }
  [[nodiscard]] Progress progress();
  [[nodiscard]] const Membership& membership() const { return membership_; }

 private:
  engine::Engine engine_;
  Membership membership_;
  std::unique_ptr<Ticker> ticker_;
  std::unique_ptr<CommitLoop> loop_;
  LocalApi api_;
  Scheduler scheduler_;
  std::unique_ptr<SchedulerThread> scheduler_thread_;
};

}  // namespace pawl::runtime
