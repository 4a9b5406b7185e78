#include "server/stop_limit.hpp"

#include <cstdlib>

namespace pawl::server {

StopLimit::~StopLimit() {
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StopLimit::begin(std::chrono::milliseconds time) {
  thread_ = std::thread{[this, time] { run(time); }};
}

// Without destructors and handlers of the end: they would wait for the same.
void StopLimit::run(std::chrono::milliseconds time) {
  std::unique_lock lock{mutex_};
  if (changed_.wait_for(lock, time, [this] { return is_over_; })) return;
  log_.write(LogLevel::error, "ended without waiting for the store",
             {{"after", core::format_duration(time)}});
  std::_Exit(EXIT_FAILURE);
}

}  // namespace pawl::server
