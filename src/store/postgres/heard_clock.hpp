#pragma once
// The server's clock as this node heard it last, so that a group can be worked out before the server has
// answered.
//
// Always: what it tells is not ahead of the server's clock, which it heard before the answer came, and not
// behind anything that it heard. After a silence it tells nothing: clocks drift, and are set. Any thread.

#include <mutex>
#include <optional>

#include "core/time.hpp"

namespace pawl::store::postgres {

class HeardClock {
 public:
  void hear(core::TimePoint server, core::MonotonicTime received_at);
  [[nodiscard]] std::optional<core::TimePoint> at(core::MonotonicTime now) const;

 private:
  [[nodiscard]] bool is_good(core::MonotonicTime now) const;

  mutable std::mutex mutex_;
  std::optional<core::MonotonicTime> heard_at_;
  core::Duration ahead_ = {};  // of our monotonic clock, by all that was heard
};

}  // namespace pawl::store::postgres
