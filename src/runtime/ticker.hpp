#pragma once
// What time brings: leases that are over, tasks that are due, claims that waited long enough, work that other
// processes left in the store, the store's housekeeping, and this node's signs of life. It only ever makes
// the engine look; correctness does not depend on when it does.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/engine.hpp"
#include "runtime/membership.hpp"
#include "runtime/retainer.hpp"

namespace pawl::runtime {

struct TickerOptions {
  core::Duration interval = std::chrono::milliseconds{100};  // looks at leases, due tasks and foreign changes
  core::Duration maintenance = std::chrono::seconds{1};
  core::Duration stuck = std::chrono::seconds{60};  // looks for runs that nothing happens to
  core::Duration stuck_after = core::kStuckAfter;
  std::size_t page = 1'000;
  core::Retention retention = {};
};

class Ticker {
 public:
  Ticker(engine::Engine& engine, Membership& membership, core::Clock& clock, TickerOptions options);
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  ~Ticker();

  // Something is due at `time` (store time): look then, if no look is planned before.
  void note_due(core::TimePoint time);

  // When it last saw what the store has due.
  [[nodiscard]] core::MonotonicTime looked_at();

 private:
  void run();
  void run_maintenance();
  // One look; returns when the next one should be at the latest.
  core::MonotonicTime look();
  void note_look();
  void look_into_stuck_if_due();
  // Until the next maintenance is due; the leader spends the time on what is too old. False when it is time
  // to stop.
  bool wait_for_maintenance();
  // False when it is time to stop.
  bool wait_until(core::MonotonicTime time);

  engine::Engine& engine_;
  Membership& membership_;
  core::Clock& clock_;
  TickerOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  core::MonotonicTime next_look_{};
  core::MonotonicTime looked_at_;
  core::MonotonicTime next_stuck_look_;  // of the maintenance thread
  Retainer retainer_;                    // the same
  core::Duration store_ahead_{0};        // store time less monotonic time, as of the last look
  std::thread thread_;
  std::thread maintenance_;
};

}  // namespace pawl::runtime
