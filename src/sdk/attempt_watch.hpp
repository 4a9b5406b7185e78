#pragma once
// Watches the attempts that a worker's handlers run. It requests stop at an attempt's timeout, gives up an
// attempt that ignores it, and shows a step that takes long as started.
//
// A step that runs for kShownAfter is written as begun, so that its run's events and steps show it; shorter
// ones cost no commit of their own. An attempt that goes on for the grace after its timeout is given up: its
// end no longer counts, and its thread is left behind.
//
// Two threads, made with the first attempt: one for the times, one for the writes, which may block. Any
// thread may call it.

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/step.hpp"
#include "sdk/connection.hpp"

namespace pawl::detail {

inline constexpr core::Duration kShownAfter = std::chrono::milliseconds{200};

class AttemptWatch {
 public:
  // One attempt, owned by the thread that runs it. What it refers to must live until `end`.
  struct Attempt {
    std::optional<core::MonotonicTime> timeout_at = {};
    std::stop_source stop{std::nostopstate};  // requested at the timeout
    // The step as begun, to be shown; none: it is not.
    std::function<core::WriteSteps()> begin = {};
    // Called once, on the thread of the writes, when the attempt is given up; made while it still runs.
    std::function<std::function<void()>()> give_up = {};

    // Of the watch.
    core::MonotonicTime started_at = {};
    bool has_timed_out = false;
    bool is_given_up = false;
    bool is_shown = false;
    std::list<Attempt*>::iterator place = {};
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
  std::condition_variable changed_;  // for the thread of the times
  std::condition_variable queued_;   // for the thread of the writes
  std::list<Attempt*> attempts_;
  bool has_begun_any_ = false;  // since the last look
  bool is_idle_ = false;        // the thread of the times sleeps until something begins
  core::MonotonicTime wakes_at_ = {};
  std::vector<core::WriteSteps> begins_;
  std::vector<std::function<void()>> give_ups_;
  bool is_stopping_ = false;
  std::thread watcher_;
  std::thread writer_;
};

}  // namespace pawl::detail
