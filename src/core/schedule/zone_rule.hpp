#pragma once
// The rule by which a time zone changes its clocks after the last change that its file lists: a POSIX TZ
// string such as "CET-1CEST,M3.5.0,M10.5.0/3", with the extensions of RFC 9636, section 3.3. Immutable.

#include <array>
#include <optional>
#include <string_view>

#include "core/schedule/slots.hpp"

namespace pawl::core {

// A day that each year has, and a time on it or in the week before or after it.
struct YearlyTime {
  enum class Day : std::uint8_t { of_week, of_common_year, of_year };
  Day kind = Day::of_year;
  int number = 0;  // of_week: 0 is Sunday; of_common_year: 1 to 365, without February 29; of_year: 0 to 365
  int month = 1;   // of_week only
  int week = 1;    // of_week only; 5 is the last one of the month
  std::chrono::seconds time = std::chrono::hours{2};

  [[nodiscard]] LocalTime in(std::chrono::year year) const;
};

class ZoneRule {
 public:
  static constexpr std::size_t kTextMax = 256;

  // Nullopt if the text is not a valid rule.
  [[nodiscard]] static std::optional<ZoneRule> parse(std::string_view text);
  // Reads the rule from the contents of a TZif file. Nullopt if the file has none, or is damaged.
  [[nodiscard]] static std::optional<ZoneRule> of_file(std::string_view contents);

  // Takes constant time. Consecutive periods may have the same offset.
  [[nodiscard]] OffsetPeriod period_at(TimePoint time) const;

 private:
  struct Daylight {
    std::chrono::seconds offset = {};
    YearlyTime begin = {};  // in standard time
    YearlyTime end = {};    // in daylight saving time
  };

  std::chrono::seconds standard_ = {};
  std::optional<Daylight> daylight_;
};

}  // namespace pawl::core
