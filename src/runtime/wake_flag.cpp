#include "runtime/wake_flag.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pawl::runtime {

namespace {

// The states besides the reasons.
constexpr std::uint32_t kUnset = 0;
constexpr std::uint32_t kAwaited = 1;

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel reads the number");

}  // namespace

void WakeFlag::set(Reason why) {
  const void* const address = &state_;
  if (state_.exchange(static_cast<std::uint32_t>(why)) != kAwaited) return;
  syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

WakeFlag::Reason WakeFlag::wait() {
  std::uint32_t seen = kUnset;
  if (state_.compare_exchange_strong(seen, kAwaited)) seen = kAwaited;
  while (seen == kAwaited) {
    syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, kAwaited, nullptr, nullptr, 0);
    seen = state_.load();
  }
  return Reason{seen};
}

bool WakeFlag::reset(Reason seen) {
  auto expected = static_cast<std::uint32_t>(seen);
  return state_.compare_exchange_strong(expected, kUnset);
}

}  // namespace pawl::runtime
