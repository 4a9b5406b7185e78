#pragma once
// An engine with its threads, for embedding programs, the server and the benchmarks. The destructor executes
// the submitted commands, replies to everything that waits, and joins the threads.

#include <memory>

#include "core/api/api.hpp"
#include "engine/engine.hpp"
#include "runtime/commit_loop.hpp"
#include "runtime/inbox.hpp"
#include "runtime/local_api.hpp"
#include "runtime/membership.hpp"
#include "runtime/polling_thread.hpp"
#include "runtime/progress.hpp"
#include "runtime/scheduler.hpp"
#include "runtime/ticker.hpp"

namespace pawl::runtime {

struct RuntimeOptions {
  LoopOptions loop = {};
  TickerOptions ticker = {};
  engine::EngineLimits limits = {};
  LocalApiOptions api = {};
  NodeOptions node = {};
  core::Duration schedules = std::chrono::milliseconds{250};  // poll interval for due schedules
  core::Duration inbox = std::chrono::milliseconds{50};       // poll interval for the inbox
};

class Runtime {
 public:
  Runtime(store::Store& store, core::Clock& clock, core::Random& random, RuntimeOptions options = {});
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  void submit(core::Command&& command, core::Reply&& reply) {
    loop_->submit(std::move(command), std::move(reply));
  }
  [[nodiscard]] CommitLoop& commit_loop() { return *loop_; }
  // Engine::transact, on the caller's thread.
  [[nodiscard]] core::Result<std::optional<core::Answer>> transact(const engine::Engine::OwnWork& work);
  [[nodiscard]] core::Api& api() { return api_; }
  [[nodiscard]] LocalApi& local() { return api_; }
  [[nodiscard]] engine::Engine& engine() { return engine_; }
  [[nodiscard]] Progress progress();
  [[nodiscard]] const Membership& membership() const { return membership_; }

 private:
  void note_scheduled();

  engine::Engine engine_;
  Membership membership_;
  std::unique_ptr<Ticker> ticker_;
  std::unique_ptr<CommitLoop> loop_;
  LocalApi api_;
  Scheduler scheduler_;
  Inbox inbox_;
  std::unique_ptr<PollingThread> scheduler_thread_;
  std::unique_ptr<PollingThread> inbox_thread_;  // none: the store has no inbox
};

}  // namespace pawl::runtime
