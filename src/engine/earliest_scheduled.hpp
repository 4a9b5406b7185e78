#pragma once
// The earliest time for which a group scheduled work since the last poll of the ticker, which need not poll
// earlier. Thread-safe.

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/base/time.hpp"

namespace pawl::engine {

class EarliestScheduled {
 public:
  void note(core::TimePoint time) {
    std::int64_t known = micros_.load();
    while (core::micros(time) < known && !micros_.compare_exchange_weak(known, core::micros(time))) {
    }
  }
  [[nodiscard]] std::optional<core::TimePoint> take() {
    const std::int64_t earliest = micros_.exchange(kNone);
    if (earliest == kNone) return std::nullopt;
    return core::time_from_micros(earliest);
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> micros_{kNone};
};

}  // namespace pawl::engine
