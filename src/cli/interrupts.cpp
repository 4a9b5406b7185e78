#include "cli/interrupts.hpp"

namespace pawl::cli {

Interrupts::Interrupts() {
  sigemptyset(&ends_);
  sigaddset(&ends_, SIGINT);
  sigaddset(&ends_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends_, nullptr);
}

bool Interrupts::ended_within(core::Duration wait) const {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(wait);
  const std::chrono::nanoseconds rest = wait - seconds;
  const timespec time{.tv_sec = seconds.count(), .tv_nsec = rest.count()};
  return sigtimedwait(&ends_, nullptr, &time) > 0;
}

}  // namespace pawl::cli
