#pragma once
// A thread that polls for work: again immediately if it found some, otherwise after the interval.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/base/time.hpp"

namespace pawl::runtime {

class LookingThread {
 public:
  // `look` returns how much it found.
  LookingThread(std::function<int()> look, core::Duration interval);
  LookingThread(const LookingThread&) = delete;
  LookingThread& operator=(const LookingThread&) = delete;
  ~LookingThread();

 private:
  void run();

  const std::function<int()> look_;
  const core::Duration interval_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace pawl::runtime
