#pragma once
// The server's clock as this node heard it last, so that a group can be worked out before the server has
// answered.
//
// Always: what it tells is not behind anything that it heard or told, unless it had to start over. It is a
// guess nevertheless: clocks drift, are set, and ours stands still while the machine is suspended. Whoever
// went by it compares it with the answer. Any thread.

#include <mutex>
#include <optional>

#include "core/time.hpp"

namespace pawl::store::postgres {

class HeardClock {
 public:
  // The server read its clock before the answer came, so that what is told is rather late than early.
  void hear(core::TimePoint server, core::MonotonicTime received_at);
  // After a silence it tells nothing.
  [[nodiscard]] std::optional<core::TimePoint> tell(core::MonotonicTime now);

  // Whether a group may go by what it was told, now that the server's clock was read for it.
  [[nodiscard]] static bool is_right(core::TimePoint told, core::TimePoint server);
  // Forgets what was heard before.
  void start_over(core::TimePoint server, core::MonotonicTime received_at);

 private:
  [[nodiscard]] bool is_good(core::MonotonicTime now) const;
  void begin(core::Duration ahead, core::MonotonicTime at);

  std::mutex mutex_;
  std::optional<core::MonotonicTime> heard_at_;
  // How far the server's clock is ahead of ours, at least: by what was heard in this second and in the one
  // before. Of all time it would only grow, and drift away.
  core::Duration ahead_ = core::Duration::min();
  core::Duration ahead_before_ = core::Duration::min();
  core::MonotonicTime since_ = {};
  core::TimePoint told_ = core::TimePoint::min();
};

}  // namespace pawl::store::postgres
