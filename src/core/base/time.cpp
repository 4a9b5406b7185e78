#include "core/base/time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace pawl::core {

using namespace std::chrono_literals;

namespace {

struct Unit {
  std::string_view suffix;
  Duration length;
};
// The longest unit first, so that formatting finds the shortest exact form; "ms" comes before "m" and "s" for
// parsing.
constexpr std::array kUnits{Unit{"ms", 1ms}, Unit{"d", 24h}, Unit{"h", 1h}, Unit{"m", 1min}, Unit{"s", 1s}};

std::optional<int> parse_digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// "+02:00" or "Z", which is no offset; "-0530" is rejected.
std::optional<Duration> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z") return Duration{0};
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto hour = parse_digits(text, 1, 2);
  const auto minute = parse_digits(text, 4, 2);
  if (!hour || !minute || *hour > 23 || *minute > 59) return std::nullopt;
  const Duration size = std::chrono::hours{*hour} + std::chrono::minutes{*minute};
  return text[0] == '+' ? size : -size;
}

// The fraction after the dot, truncated to microseconds; `rest` receives what follows it.
std::optional<Duration> parse_fraction(std::string_view text, std::string_view& rest) {
  std::size_t end = 0;
  std::int64_t value = 0;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') {
    if (end < 6) value = value * 10 + (text[end] - '0');
    ++end;
  }
  if (end == 0) return std::nullopt;
  for (std::size_t i = end; i < 6; ++i) value *= 10;
  rest = text.substr(end);
  return Duration{value};
}

}  // namespace

// By hand: a task has half a dozen times, and a format string would be parsed for each.
void append_time(std::string& out, TimePoint time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  std::array<char, 27> text = {'0', '0', '0', '0', '-', '0', '0', '-', '0', '0', 'T', '0', '0', ':',
                               '0', '0', ':', '0', '0', '.', '0', '0', '0', '0', '0', '0', 'Z'};
  const auto put = [&text](std::size_t last, std::int64_t number) {
    for (; number > 0; number /= 10) text.at(last--) = static_cast<char>('0' + number % 10);
  };
  put(3, std::clamp(static_cast<int>(date.year()), 0, 9'999));
  put(6, static_cast<unsigned>(date.month()));
  put(9, static_cast<unsigned>(date.day()));
  put(12, clock.hours().count());
  put(15, clock.minutes().count());
  put(18, clock.seconds().count());
  put(25, clock.subseconds().count());
  out.append(text.data(), text.size());
}

std::string format_time(TimePoint time) {
  std::string text;
  append_time(text, time);
  return text;
}

std::optional<TimePoint> parse_time(std::string_view text) {
  const auto year = parse_digits(text, 0, 4);
  const auto month = parse_digits(text, 5, 2);
  const auto day = parse_digits(text, 8, 2);
  const auto hour = parse_digits(text, 11, 2);
  const auto minute = parse_digits(text, 14, 2);
  const auto second = parse_digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't') || text[13] != ':' ||
      text[16] != ':') {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;

  std::string_view rest = text.substr(19);
  Duration fraction{0};
  if (!rest.empty() && rest[0] == '.') {
    const auto parsed = parse_fraction(rest.substr(1), rest);
    if (!parsed) return std::nullopt;
    fraction = *parsed;
  }
  const auto offset = parse_offset(rest);
  if (!offset) return std::nullopt;
  return TimePoint{std::chrono::sys_days{date}} + std::chrono::hours{*hour} + std::chrono::minutes{*minute} +
         std::chrono::seconds{*second} + fraction - *offset;
}

std::string format_duration(Duration duration) {
  if (duration == std::chrono::minutes{1}) return "60s";  // as the API writes it
  if (duration != Duration{0}) {
    for (const Unit& unit : {kUnits[1], kUnits[2], kUnits[3], kUnits[4], kUnits[0]}) {
      if (duration % unit.length == Duration{0})
        return fmt::format("{}{}", duration / unit.length, unit.suffix);
    }
    return fmt::format("{}.{:03}ms", duration.count() / 1000, duration.count() % 1000);
  }
  return "0s";
}

std::optional<Duration> parse_duration(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const std::string_view number = text.substr(0, text.size() - unit.suffix.size());
    if (number.empty() || number.front() < '0' || number.front() > '9' || number.back() == '.')
      return std::nullopt;
    double value = 0;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), value, std::chars_format::fixed);
    if (error != std::errc{} || end != number.data() + number.size()) return std::nullopt;
    const double micros_count = value * static_cast<double>(unit.length.count());
    if (micros_count > static_cast<double>(kDurationMax.count())) return std::nullopt;
    return Duration{std::llround(micros_count)};
  }
  return std::nullopt;
}

}  // namespace pawl::core
