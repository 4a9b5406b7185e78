#pragma once
// The moments at which a cron expression fires in a time zone.
//
// At a change of the clocks: a time that is left out fires once, at the first moment after the gap; a time
// that comes twice fires once, the first time. Slots rise strictly: two times that fall on one moment are one
// slot.

#include <optional>
#include <vector>

#include "core/cron.hpp"
#include "core/time.hpp"

namespace pawl::core {

// While the clocks of a zone stand at one offset. `end` is excluded.
struct OffsetPeriod {
  TimePoint begin = {};
  TimePoint end = {};
  std::chrono::seconds offset = {};
};

// Where the rules of a time zone come from; immutable.
class Zone {
 public:
  virtual ~Zone() = default;
  [[nodiscard]] virtual OffsetPeriod period_at(TimePoint time) const = 0;
};

// When the clocks first show that time, or pass it by.
[[nodiscard]] TimePoint first_moment(const Zone& zone, LocalTime time);

// Strictly after; strictly before.
[[nodiscard]] std::optional<TimePoint> next_slot(const Cron& cron, const Zone& zone, TimePoint after);
[[nodiscard]] std::optional<TimePoint> previous_slot(const Cron& cron, const Zone& zone, TimePoint before);

}  // namespace pawl::core
