#pragma once
// A thread that polls for work: again immediately if it found some, otherwise after the interval.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/base/time.hpp"

namespace pawl::runtime {

class PollingThread {
 public:
  // `poll` returns how much it found.
  PollingThread(std::function<int()> poll, core::Duration interval);
  PollingThread(const PollingThread&) = delete;
  PollingThread& operator=(const PollingThread&) = delete;
  ~PollingThread();

 private:
  void run();

  const std::function<int()> poll_;
  const core::Duration interval_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace pawl::runtime
