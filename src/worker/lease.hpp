#pragma once
// What a worker knows of a lease it holds. The keeper renews it, whoever runs the handler watches it; both
// from their own threads. Time is this process's monotonic clock, counted from before a renewal was sent, so
// that the lease is over here no later than at the server.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "core/env.hpp"
#include "net/descriptor.hpp"
#include "worker/process.hpp"

namespace pawl::worker {

enum class LeaseState : std::uint8_t {
  held,
  cancelled,  // the server asked for the end: stop, then report
  timed_out,  // the attempt ran longer than its timeout: stop, then report that
  abandoned,  // the worker is going: stop, then release
  lost,       // somebody else may have the task: stop and say nothing
};

// What a holder reports for an attempt that it stopped at its timeout, with the code `timeout`.
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

  // A lease that is lost stays lost.
  void renew(core::MonotonicTime until);
  void end(LeaseState why);
  // Lost once it has expired, timed out once the attempt's timeout has passed.
  [[nodiscard]] LeaseState state();
  [[nodiscard]] core::MonotonicTime until();
  [[nodiscard]] core::MonotonicTime timeout_at() const { return timeout_at_; }
  // When the attempt has run too long. Set through the keeper, which then ends the lease in time.
  void set_timeout(core::MonotonicTime at) { timeout_at_ = at; }

  // Called once when the lease is not held any more, on the thread that ended it; at once if it is not now.
  // Returns only when a call under way is over.
  void when_ended(std::function<void()> call);

  // Waits at most so long, less when the lease ends.
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
  net::Descriptor wake_;  // an eventfd, made for whoever waits: most tasks end without
  // Changed with the mutex; whether it is held is asked before each step, and may be seen without.
  std::atomic<core::MonotonicTime> until_;
  std::atomic<core::MonotonicTime> timeout_at_ = core::MonotonicTime::max();  // max: it has no timeout
  std::atomic<LeaseState> state_ = LeaseState::held;
  std::function<void()> call_;
};

}  // namespace pawl::worker
