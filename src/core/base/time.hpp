#pragma once
// Times are microseconds since 1970 in UTC; durations are microseconds. The API writes them as
// "2026-01-29T10:00:00.000000Z" and as "1500ms", "30s", "7d".

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::core {

using Duration = std::chrono::microseconds;
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Duration>;
// Never steps; only for waits inside one process.
using MonotonicTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;

[[nodiscard]] constexpr std::int64_t micros(TimePoint time) { return time.time_since_epoch().count(); }
[[nodiscard]] constexpr TimePoint time_from_micros(std::int64_t value) { return TimePoint{Duration{value}}; }

[[nodiscard]] std::string format_time(TimePoint time);
void append_time(std::string& out, TimePoint time);  // appends it to `out`
[[nodiscard]] std::optional<TimePoint> parse_time(std::string_view text);

// The shortest exact form: whole days, hours, minutes or seconds, otherwise milliseconds.
[[nodiscard]] std::string format_duration(Duration duration);
// Digits (a fraction is allowed) and a unit; not negative; at most kDurationMax.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

inline constexpr Duration kDurationMax = std::chrono::hours{24 * 365 * 100};
// The range of RFC 3339: the years 0 to 9999.
inline constexpr TimePoint kTimeMin{std::chrono::sys_days{std::chrono::year{0} / 1 / 1}};
inline constexpr TimePoint kTimeMax{std::chrono::sys_days{std::chrono::year{10000} / 1 / 1} - Duration{1}};

}  // namespace pawl::core
