#include "runtime/looking_thread.hpp"

#include <utility>

#include "core/base/low_memory.hpp"

namespace pawl::runtime {

LookingThread::LookingThread(std::function<int()> look, core::Duration interval)
    : look_(std::move(look)), interval_(interval) {
  thread_ = std::thread{[this] { run(); }};
}

LookingThread::~LookingThread() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LookingThread::run() {
  std::unique_lock lock{mutex_};
  while (!is_stopping_) {
    lock.unlock();
    int found = 0;
    (void)core::has_memory_for([&] { found = look_(); });
    lock.lock();
    if (found == 0) changed_.wait_for(lock, interval_, [this] { return is_stopping_; });
  }
}

}  // namespace pawl::runtime
