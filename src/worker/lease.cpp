#include "worker/lease.hpp"

#include <algorithm>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>

namespace pawl::worker {

Lease::Lease(LeaseTerms terms, core::Clock& clock)
    : task_id_(std::move(terms.task_id)), fence_(terms.fence), clock_(clock), until_(terms.until) {}

void Lease::renew(core::MonotonicTime until) {
  const std::lock_guard lock{mutex_};
  if (state_locked() != LeaseState::lost) until_ = std::max(until_.load(), until);
}

void Lease::end(LeaseState why) {
  const std::lock_guard lock{mutex_};
  end_locked(why);
}

LeaseState Lease::state() {
  const core::MonotonicTime ends_at = std::min(until_.load(), timeout_at_.load());
  if (state_ == LeaseState::held && clock_.monotonic() < ends_at) return LeaseState::held;
  const std::lock_guard lock{mutex_};
  return state_locked();
}

core::MonotonicTime Lease::until() { return until_; }

void Lease::when_ended(std::function<void()> call) {
  const std::lock_guard lock{mutex_};
  if (call && state_locked() != LeaseState::held) {
    call();
  } else {
    call_ = std::move(call);
  }
}

void Lease::wait(core::Duration at_most) {
  const bool ended = state() != LeaseState::held;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(at_most).count();
  pollfd wake{.fd = ended ? -1 : wake_fd(), .events = POLLIN, .revents = 0};
  poll(&wake, 1, static_cast<int>(wait));
}

LeaseState Lease::state_locked() {
  const core::MonotonicTime now = clock_.monotonic();
  if (now >= until_.load()) end_locked(LeaseState::lost);
  if (now >= timeout_at_.load()) end_locked(LeaseState::timed_out);
  return state_;
}

void Lease::end_locked(LeaseState why) {
  const bool was_held = state_ == LeaseState::held;
  if (was_held || why == LeaseState::lost) state_ = why;
  if (!was_held) return;
  wake_locked();
  if (call_) std::exchange(call_, nullptr)();
}

void Lease::wake_locked() {
  if (wake_.get() < 0) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written =
      write(wake_.get(), &one, sizeof one);  // cannot be full: it is written once
}

int Lease::wake_fd() {
  const std::lock_guard lock{mutex_};
  if (wake_.get() < 0) {
    wake_ = net::Descriptor{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (state_ != LeaseState::held) wake_locked();
  }
  return wake_.get();
}

}  // namespace pawl::worker
