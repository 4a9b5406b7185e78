#include "sdk/end_signals.hpp"

#include <atomic>
#include <cerrno>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace pawl::detail {

namespace {

// A signal handler can reach nothing else.
std::atomic<int> told_through{-1};

void tell(int) {
  const int saved = errno;
  const std::uint64_t one = 1;
  static_cast<void>(!write(told_through.load(), &one, sizeof one));
  errno = saved;
}

}  // namespace

EndSignals::EndSignals() : came_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  told_through = came_.get();
  struct sigaction action = {};
  action.sa_handler = tell;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, &terminate_before_);
  sigaction(SIGINT, &action, &interrupt_before_);
}

EndSignals::~EndSignals() {
  sigaction(SIGTERM, &terminate_before_, nullptr);
  sigaction(SIGINT, &interrupt_before_, nullptr);
  told_through = -1;
}

bool EndSignals::came_within(core::Duration wait) const {
  pollfd came{.fd = came_.get(), .events = POLLIN, .revents = 0};
  poll(&came, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count()));
  std::uint64_t count = 0;
  return read(came_.get(), &count, sizeof count) == sizeof count;
}

}  // namespace pawl::detail
