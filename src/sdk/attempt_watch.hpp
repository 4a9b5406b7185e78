#pragma once
// Watches the attempts that a worker's handlers run. It requests stop at an attempt's timeout, gives up an
// attempt that ignores it, and shows a step that takes long as started.
//
// A step that runs for kShownAfter is written as begun, so that its run's events and steps show it; shorter
// steps cost no commit of their own. An attempt that continues for the grace period after its timeout is
// given up: its end no longer counts, and its thread is left behind.
//
// The first attempt starts two threads: a timer thread, and a writer thread for the writes, which may block.
// Thread-safe.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/run/step.hpp"
#include "sdk/connection.hpp"

namespace pawl::detail {

inline constexpr core::Duration kShownAfter = std::chrono::milliseconds{100};

class AttemptWatch {
 public:
  // One attempt, owned by the thread that runs it. Whatever it refers to must live until `end`.
  struct Attempt {
    std::optional<core::MonotonicTime> timeout_at = {};
    std::stop_source stop{std::nostopstate};  // requested at the timeout
    // Makes the write that shows the step as started; empty: the step is not shown.
    std::function<core::WriteSteps()> begin = {};
    // Makes the function that gives the attempt up, while the attempt still runs. The writer thread calls
    // that function once.
    std::function<std::function<void()>()> give_up = {};

    // Used by the watch only.
    core::MonotonicTime started_at = {};
    bool has_timed_out = false;
    bool is_given_up = false;
    bool is_shown = false;
    Attempt* previous = nullptr;
    Attempt* next = nullptr;
  };
  enum class End : std::uint8_t { in_time, timed_out, given_up };

  AttemptWatch(Connection& connection, core::Duration grace) : connection_(connection), grace_(grace) {}
  AttemptWatch(const AttemptWatch&) = delete;
  AttemptWatch& operator=(const AttemptWatch&) = delete;
  ~AttemptWatch() { stop(); }

  void begin(Attempt& attempt);
  [[nodiscard]] End end(Attempt& attempt);
  // Ends the threads: nothing is given up or shown any more. Attempts may still end.
  void stop();

 private:
  void watch();
  void write();
  // With the lock held.
  void check(Attempt& attempt, core::MonotonicTime now, std::vector<std::stop_source>& stopped);
  [[nodiscard]] core::MonotonicTime next_wake(core::MonotonicTime now) const;
  void show(std::vector<core::WriteSteps> begins);

  Connection& connection_;
  const core::Duration grace_;
  std::mutex mutex_;
  std::condition_variable changed_;  // for the timer thread
  std::condition_variable queued_;   // for the writer thread
  // The attempts in progress, linked through themselves: to watch a step allocates nothing.
  Attempt* first_ = nullptr;
  bool has_begun_any_ = false;  // since the last check
  bool is_idle_ = false;        // the timer thread sleeps until an attempt begins
  core::MonotonicTime wakes_at_ = {};
  std::vector<core::WriteSteps> begins_;
  std::vector<std::function<void()>> give_ups_;
  bool is_stopping_ = false;
  std::thread watcher_;
  std::thread writer_;
};

}  // namespace pawl::detail
