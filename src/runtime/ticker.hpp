#pragma once
// Drives the time-based work: expired leases, due tasks, expired waits of claims, work that other processes
// committed, the store's housekeeping, and this node's heartbeats. It only makes the engine poll; correctness
// does not depend on when it does.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/engine.hpp"
#include "runtime/membership.hpp"
#include "runtime/retainer.hpp"

namespace pawl::runtime {

struct TickerOptions {
  core::Duration interval = std::chrono::milliseconds{100};  // polls leases, due tasks, other nodes' commits
  core::Duration maintenance = std::chrono::seconds{1};
  core::Duration stuck = std::chrono::seconds{60};  // polls for runs without progress
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

  // Work is due at `time` (store time): polls then, unless a poll is planned before.
  void note_due(core::TimePoint time);

  // When it last read the due work of the store.
  [[nodiscard]] core::MonotonicTime polled_at();

 private:
  void run();
  void run_maintenance();
  // Polls once; returns the latest time of the next poll.
  core::MonotonicTime poll();
  void note_poll();
  void poll_stuck_if_due();
  // Waits until the next maintenance is due; the leader uses the time to erase rows past their retention.
  // False when it is time to stop.
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
  core::MonotonicTime next_poll_{};
  core::MonotonicTime polled_at_;
  core::MonotonicTime next_stuck_poll_;  // used by the maintenance thread only
  Retainer retainer_;                    // the same
  core::Duration store_ahead_{0};        // store time minus monotonic time, at the last poll
  std::thread thread_;
  std::thread maintenance_;
};

}  // namespace pawl::runtime
