#pragma once
// The worker's view of a lease that it holds. The keeper renews it and the thread that runs the handler
// watches it. Thread-safe. Time is this process's monotonic clock, counted from before a renewal was sent, so
// that the lease ends here no later than at the server.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "core/base/env.hpp"
#include "net/descriptor.hpp"
#include "worker/process.hpp"

namespace pawl::worker {

enum class LeaseState : std::uint8_t {
  held,
  cancelled,  // the server requested the end: stop, then report
  timed_out,  // the attempt ran longer than its timeout: stop, then report that
  abandoned,  // the worker shuts down: stop, then release
  lost,       // another worker may have the task: stop and report nothing
};

// The message of the failure, with the code `timeout`, that a holder reports for an attempt that it stopped
// at its timeout.
inline constexpr const char* kTimeoutMessage = "the attempt ran longer than its timeout";

struct LeaseTerms {
  std::string task_id;
  std::int64_t fence = 0;
  core::MonotonicTime until;
};

class Lease final : public ProcessWatch {
 public:
  Lease(LeaseTerms terms, core::Clock& clock);

  [[nodiscard]] const std::string& task_id() const { return task_id_; }
  [[nodiscard]] std::int64_t fence() const { return fence_; }

  // A lost lease stays lost.
  void renew(core::MonotonicTime until);
  void end(LeaseState why);
  // Lost once it has expired, timed out once the attempt's timeout has passed.
  [[nodiscard]] LeaseState state();
  [[nodiscard]] core::MonotonicTime until();
  [[nodiscard]] core::MonotonicTime timeout_at() const { return timeout_at_; }
  // When the attempt times out. Set it through the keeper, which then ends the lease in time.
  void set_timeout(core::MonotonicTime at) { timeout_at_ = at; }

  // `call` runs once when the lease is no longer held, on the thread that ended it; immediately if it is not
  // held now. Returns only after a call in progress has returned.
  void when_ended(std::function<void()> call);

  // Waits for at most this time, less if the lease ends.
  void wait(core::Duration at_most);

  [[nodiscard]] bool must_stop() override { return state() != LeaseState::held; }
  [[nodiscard]] core::MonotonicTime look_again_at() override {
    const core::MonotonicTime timeout_at = timeout_at_;
    return timeout_at > clock_.monotonic() ? std::min(until(), timeout_at) : until();
  }
  [[nodiscard]] int wake_fd() override;

 private:
  void end_locked(LeaseState why);
  void wake_locked();
  LeaseState state_locked();

  std::string task_id_;
  std::int64_t fence_;
  core::Clock& clock_;
  std::mutex mutex_;
  net::Descriptor wake_;  // an eventfd, created on first use: most tasks end without one
  // Changed under the mutex. They are also read without it, since the state is checked before each step.
  std::atomic<core::MonotonicTime> until_;
  std::atomic<core::MonotonicTime> timeout_at_ = core::MonotonicTime::max();  // max: it has no timeout
  std::atomic<LeaseState> state_ = LeaseState::held;
  std::function<void()> call_;
};

}  // namespace pawl::worker
