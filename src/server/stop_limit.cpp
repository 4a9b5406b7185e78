#include "server/stop_limit.hpp"

#include <cstdlib>

namespace pawl::server {

StopLimit::~StopLimit() {
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StopLimit::begin(std::chrono::milliseconds time) {
  {
    const std::lock_guard lock{mutex_};
    time_ = time;
  }
  changed_.notify_all();
}

// _Exit skips destructors and exit handlers, which would wait for the store too.
void StopLimit::run() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return is_over_ || time_; });
  if (is_over_ || changed_.wait_for(lock, *time_, [this] { return is_over_; })) return;
  log_.write(LogLevel::error, "shutdown timed out: terminated without waiting for the store",
             {{"after", core::format_duration(*time_)}});
  std::_Exit(EXIT_FAILURE);
}

}  // namespace pawl::server
