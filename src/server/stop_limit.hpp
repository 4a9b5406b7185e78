#pragma once
// Ends the process where stopping takes too long: a store that hangs must not keep it. What that loses is
// what a kill would lose, and nothing that was answered is among it.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "server/log.hpp"

namespace pawl::server {

class StopLimit {
 public:
  // Its thread is made here: when it is needed there may be none left.
  explicit StopLimit(Log& log) : log_(log), thread_([this] { run(); }) {}
  StopLimit(const StopLimit&) = delete;
  StopLimit& operator=(const StopLimit&) = delete;
  ~StopLimit();

  // From now on there is so much time until this must have ended.
  void begin(std::chrono::milliseconds time);

 private:
  void run();

  Log& log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::chrono::milliseconds> time_;  // none: not begun
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace pawl::server
