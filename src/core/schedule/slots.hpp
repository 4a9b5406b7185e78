#pragma once
// Computes the moments at which a cron expression fires in a time zone.
//
// When the clocks change, an expression with a wildcard in the minute or the hour follows the clock, as in
// Vixie cron: it has no slot in the hour that is omitted in spring, and slots in both of the hours that are
// repeated in autumn. An expression for fixed times follows `Dst`. Slots are strictly increasing: two local
// times at the same moment are one slot.

#include <optional>
#include <string_view>

#include "core/base/time.hpp"
#include "core/schedule/cron.hpp"

namespace pawl::core {

// A period during which a zone keeps one offset. `end` is exclusive.
struct OffsetPeriod {
  TimePoint begin = {};
  TimePoint end = {};
  std::chrono::seconds offset = {};
};

// The rules of a time zone; immutable.
class Zone {
 public:
  virtual ~Zone() = default;
  [[nodiscard]] virtual OffsetPeriod period_at(TimePoint time) const = 0;
};

// A fixed time that a change of the clocks omits fires at the first moment after the gap, or not at all.
enum class DstGap : std::uint8_t { shift, skip };
inline constexpr int kDstGapCount = 2;
[[nodiscard]] std::string_view to_string(DstGap gap);
[[nodiscard]] std::optional<DstGap> dst_gap_from(std::string_view name);

// A fixed time that the clocks show twice fires the first time, the last time, or both times.
enum class DstFold : std::uint8_t { first, last, both };
inline constexpr int kDstFoldCount = 3;
[[nodiscard]] std::string_view to_string(DstFold fold);
[[nodiscard]] std::optional<DstFold> dst_fold_from(std::string_view name);

struct Dst {
  DstGap gap = DstGap::shift;
  DstFold fold = DstFold::first;

  bool operator==(const Dst&) const = default;
};

// Strictly after; strictly before.
[[nodiscard]] std::optional<TimePoint> next_slot(const Cron& cron, const Zone& zone, Dst dst,
                                                 TimePoint after);
[[nodiscard]] std::optional<TimePoint> previous_slot(const Cron& cron, const Zone& zone, Dst dst,
                                                     TimePoint before);

}  // namespace pawl::core
