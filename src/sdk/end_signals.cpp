#include "sdk/end_signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "pawl/error.hpp"

namespace pawl::detail {

namespace {

// Global, because a signal handler cannot access anything else. An entry is a file descriptor plus one; 0 is
// free.
std::array<std::atomic<int>, 256> told_through;
std::atomic<int> telling = 0;  // running signal handlers
std::atomic<int> last_signal = SIGTERM;

struct SignalsTaken {
  std::mutex mutex;
  int by = 0;
  struct sigaction terminate_before = {};
  struct sigaction interrupt_before = {};
};

SignalsTaken& signals_taken() {
  static SignalsTaken of_the_process;
  return of_the_process;
}

void tell(int number) {
  const int saved = errno;
  last_signal = number;
  const std::uint64_t one = 1;
  ++telling;
  for (const std::atomic<int>& place : told_through) {
    if (const int through = place.load(); through != 0)
      static_cast<void>(!write(through - 1, &one, sizeof one));
  }
  --telling;
  errno = saved;
}

}  // namespace

EndSignals::EndSignals() : came_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) {
  SignalsTaken& all = signals_taken();
  const std::lock_guard lock{all.mutex};
  while (place_ < told_through.size() && told_through[place_] != 0) ++place_;
  if (place_ == told_through.size())
    throw Error{"invalid_state", "too many workers of this process wait for its end"};
  told_through[place_] = came_.get() + 1;
  if (++all.by > 1) return;
  struct sigaction action = {};
  action.sa_handler = tell;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, &all.terminate_before);
  sigaction(SIGINT, &action, &all.interrupt_before);
}

EndSignals::~EndSignals() {
  SignalsTaken& all = signals_taken();
  const std::lock_guard lock{all.mutex};
  if (--all.by == 0) {
    sigaction(SIGTERM, &all.terminate_before, nullptr);
    sigaction(SIGINT, &all.interrupt_before, nullptr);
  }
  told_through[place_] = 0;
  // A handler may be about to write to the descriptor that is closed next.
  while (telling != 0) std::this_thread::yield();
}

void EndSignals::end_process() {
  const int number = last_signal;
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(number, &action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(number);
  std::abort();  // the default action of both signals ends the process
}

bool EndSignals::came_within(core::Duration wait) const {
  pollfd came{.fd = came_.get(), .events = POLLIN, .revents = 0};
  poll(&came, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count()));
  std::uint64_t count = 0;
  return read(came_.get(), &count, sizeof count) == sizeof count;
}

}  // namespace pawl::detail
