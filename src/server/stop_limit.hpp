#pragma once
// Terminates the process if shutdown takes too long: a hanging store must not keep it running. This loses no
// more than a kill would, and nothing that was confirmed to a client.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "server/log.hpp"

namespace pawl::server {

class StopLimit {
 public:
  // Starts its thread immediately: when it is needed, the system may have none left.
  explicit StopLimit(Log& log) : log_(log), thread_([this] { run(); }) {}
  StopLimit(const StopLimit&) = delete;
  StopLimit& operator=(const StopLimit&) = delete;
  ~StopLimit();

  // Starts the countdown, within which this object must be destroyed.
  void begin(std::chrono::milliseconds time);

 private:
  void run();

  Log& log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::chrono::milliseconds> time_;  // none: not started
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace pawl::server
