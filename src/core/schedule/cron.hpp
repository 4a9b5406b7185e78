#pragma once
// Cron expressions: which local times they match. core/schedule/slots.hpp adds the time zones.
//
// Five fields (minute, hour, day of month, month, day of week) or six (seconds first), each a list of values,
// ranges and steps; months and days of the week also by name. In the day of the month: L (the last day), L-3,
// 15W (the weekday nearest to the 15th), LW (the last weekday). In the day of the week: 5L (the last Friday),
// MON#2 (the second Monday). If both are given, either matches. @hourly, @daily, @weekly, @monthly, @yearly.

#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace pawl::core {

using LocalTime = std::chrono::local_seconds;

// Which days of a month match.
struct CronDays {
  std::bitset<32> of_month = {};           // 1 to 31
  std::bitset<32> nearest_weekday = {};    // 15W
  std::bitset<32> before_last = {};        // L is 0, L-3 is 3
  bool last_weekday = false;               // LW
  std::bitset<7> of_week = {};             // 0 is Sunday
  std::bitset<7> last_of_week = {};        // 5L
  std::array<std::bitset<6>, 7> nth = {};  // MON#2: nth[1][2]
  bool is_month_given = false;  // otherwise every day of the month matches, unless a day of the week is given
  bool is_week_given = false;

  [[nodiscard]] bool match(std::chrono::year_month_day day) const;
};

// A parsed expression.
struct CronFields {
  std::bitset<60> seconds = {};
  std::bitset<60> minutes = {};
  std::bitset<24> hours = {};
  std::bitset<13> months = {};  // 1 to 12
  CronDays days = {};
  // The minute or the hour is `*` or `*/n`, or every hour is listed: the expression describes an interval,
  // not a time of day, and follows clock changes as in cron(8).
  bool is_wildcard = false;
};

class Cron {
 public:
  // Fails with the field and its allowed values, also for a date that never occurs.
  [[nodiscard]] static Result<Cron, std::string> parse(std::string_view text);

  // Strictly after; strictly before. nullopt outside the years 0 to 9999.
  [[nodiscard]] std::optional<LocalTime> next(LocalTime after) const;
  [[nodiscard]] std::optional<LocalTime> previous(LocalTime before) const;
  [[nodiscard]] bool match(LocalTime time) const;
  [[nodiscard]] bool is_wildcard() const { return fields_.is_wildcard; }

 private:
  explicit Cron(const CronFields& fields) : fields_(fields) {}

  [[nodiscard]] std::optional<std::chrono::local_days> next_day(std::chrono::local_days from) const;
  [[nodiscard]] std::optional<std::chrono::local_days> previous_day(std::chrono::local_days from) const;

  CronFields fields_;
};

}  // namespace pawl::core
