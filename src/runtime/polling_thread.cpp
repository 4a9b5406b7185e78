#include "runtime/polling_thread.hpp"

#include <utility>

#include "core/base/low_memory.hpp"

namespace pawl::runtime {

PollingThread::PollingThread(std::function<int()> poll, core::Duration interval)
    : poll_(std::move(poll)), interval_(interval) {
  thread_ = std::thread{[this] { run(); }};
}

PollingThread::~PollingThread() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PollingThread::run() {
  std::unique_lock lock{mutex_};
  while (!is_stopping_) {
    lock.unlock();
    int found = 0;
    (void)core::has_memory_for([&] { found = poll_(); });
    lock.lock();
    if (found == 0) changed_.wait_for(lock, interval_, [this] { return is_stopping_; });
  }
}

}  // namespace pawl::runtime
