// Parses cron expressions, field by field.
#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "core/schedule/cron.hpp"

namespace pawl::core {

namespace {

using Checked = Result<Done, std::string>;

struct FieldKind {
  std::string_view name;
  int low;
  int high;
  std::string_view first_names = {};  // three letters each, the first one for the value `names_from`
  int names_from = 0;
};
constexpr FieldKind kSecond{.name = "second", .low = 0, .high = 59};
constexpr FieldKind kMinute{.name = "minute", .low = 0, .high = 59};
constexpr FieldKind kHour{.name = "hour", .low = 0, .high = 23};
constexpr FieldKind kDayOfMonth{.name = "day of the month", .low = 1, .high = 31};
constexpr FieldKind kMonth{.name = "month",
                           .low = 1,
                           .high = 12,
                           .first_names = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC",
                           .names_from = 1};
// 7 is Sunday too.
constexpr FieldKind kDayOfWeek{
    .name = "day of the week", .low = 0, .high = 7, .first_names = "SUNMONTUEWEDTHUFRISAT", .names_from = 0};

struct Macro {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array kMacros{Macro{"@YEARLY", "0 0 1 1 *"},  Macro{"@ANNUALLY", "0 0 1 1 *"},
                             Macro{"@MONTHLY", "0 0 1 * *"}, Macro{"@WEEKLY", "0 0 * * 0"},
                             Macro{"@DAILY", "0 0 * * *"},   Macro{"@MIDNIGHT", "0 0 * * *"},
                             Macro{"@HOURLY", "0 * * * *"}};

std::string upper(std::string_view text) {
  std::string out{text};
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t to = std::min(text.find_first_of(separators, from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

std::vector<std::string_view> words_of(std::string_view text) {
  auto words = split(text, " \t");
  std::erase(words, std::string_view{});
  return words;
}

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || number < 0)
    return std::nullopt;
  return number;
}

std::string refusal(const FieldKind& kind, std::string_view text, std::string_view why) {
  return fmt::format("the {} \"{}\" {}", kind.name, text, why);
}

std::string out_of_range(const FieldKind& kind, std::string_view text) {
  const std::string names = kind.first_names.empty()
                                ? ""
                                : fmt::format(" or {} to {}", kind.first_names.substr(0, 3),
                                              kind.first_names.substr(kind.first_names.size() - 3));
  return refusal(kind, text, fmt::format("is not {} to {}{}", kind.low, kind.high, names));
}

Result<int, std::string> value_of(const FieldKind& kind, std::string_view text) {
  if (const auto number = number_of(text)) {
    if (*number < kind.low || *number > kind.high) return out_of_range(kind, text);
    return *number;
  }
  if (text.size() == 3)
    for (std::size_t i = 0; i < kind.first_names.size(); i += 3)
      if (kind.first_names.substr(i, 3) == text) return static_cast<int>(i / 3) + kind.names_from;
  return out_of_range(kind, text);
}

struct Range {
  int low = 0;
  int high = 0;
  int step = 1;
};

// "*", "5", "1-5", "MON-FRI", any of them with "/2"; "5/15" runs to the field's maximum.
Result<Range, std::string> range_of(const FieldKind& kind, std::string_view text) {
  Range range{.low = kind.low, .high = kind.high};
  const auto slash = text.find('/');
  const std::string_view span = text.substr(0, slash);
  if (span != "*") {
    const auto dash = span.find('-');
    const auto low = value_of(kind, span.substr(0, dash));
    if (!low) return low.problem();
    range.low = *low;
    if (dash != std::string_view::npos) {
      const auto high = value_of(kind, span.substr(dash + 1));
      if (!high) return high.problem();
      range.high = *high;
    } else if (slash == std::string_view::npos) {
      range.high = *low;
    }
    if (range.low > range.high) return refusal(kind, text, "is a range whose end is before its start");
  }
  if (slash == std::string_view::npos) return range;
  const auto step = number_of(text.substr(slash + 1));
  if (!step || *step < 1 || *step > kind.high)
    return refusal(kind, text, fmt::format("has a step that is not 1 to {}", kind.high));
  range.step = *step;
  return range;
}

template <std::size_t N>
Checked read_item(const FieldKind& kind, std::string_view item, std::bitset<N>& bits) {
  const auto range = range_of(kind, item);
  if (!range) return range.problem();
  for (int i = range->low; i <= range->high; i += range->step) bits.set(static_cast<std::size_t>(i) % N);
  return Done{};
}

template <std::size_t N>
Checked read_field(const FieldKind& kind, std::string_view text, std::bitset<N>& bits) {
  for (const std::string_view item : split(text, ","))
    if (const auto read = read_item(kind, item, bits); !read) return read;
  return Done{};
}

bool is_any(std::string_view text) { return text == "*" || text == "?"; }

Checked read_day_of_month(std::string_view item, CronDays& wanted_days) {
  if (item == "LW") {
    wanted_days.last_weekday = true;
    return Done{};
  }
  if (item == "L" || item.starts_with("L-")) {
    const auto before = item == "L" ? std::optional{0} : number_of(item.substr(2));
    if (!before || *before > 30) return refusal(kDayOfMonth, item, "is not L-1 to L-30");
    wanted_days.before_last.set(static_cast<std::size_t>(*before));
    return Done{};
  }
  if (item.ends_with('W')) {
    const auto wanted = value_of(kDayOfMonth, item.substr(0, item.size() - 1));
    if (!wanted) return wanted.problem();
    wanted_days.nearest_weekday.set(static_cast<std::size_t>(*wanted));
    return Done{};
  }
  return read_item(kDayOfMonth, item, wanted_days.of_month);
}

Checked read_day_of_week(std::string_view item, CronDays& wanted_days) {
  if (const auto hash = item.find('#'); hash != std::string_view::npos) {
    const auto day = value_of(kDayOfWeek, item.substr(0, hash));
    if (!day) return day.problem();
    const auto nth = number_of(item.substr(hash + 1));
    if (!nth || *nth < 1 || *nth > 5) return refusal(kDayOfWeek, item, "must end in #1 to #5");
    wanted_days.nth.at(static_cast<std::size_t>(*day) % 7).set(static_cast<std::size_t>(*nth));
    return Done{};
  }
  if (item.size() > 1 && item.ends_with('L')) {
    const auto day = value_of(kDayOfWeek, item.substr(0, item.size() - 1));
    if (!day) return day.problem();
    wanted_days.last_of_week.set(static_cast<std::size_t>(*day) % 7);
    return Done{};
  }
  if (item == "L") return refusal(kDayOfWeek, item, "needs a day before it: 5L is the last Friday");
  return read_item(kDayOfWeek, item, wanted_days.of_week);
}

Checked read_days(std::string_view of_month, std::string_view of_week, CronDays& wanted_days) {
  wanted_days.is_month_given = !is_any(of_month);
  wanted_days.is_week_given = !is_any(of_week);
  if (wanted_days.is_month_given)
    for (const std::string_view item : split(of_month, ","))
      if (const auto read = read_day_of_month(item, wanted_days); !read) return read;
  if (wanted_days.is_week_given)
    for (const std::string_view item : split(of_week, ","))
      if (const auto read = read_day_of_week(item, wanted_days); !read) return read;
  return Done{};
}

}  // namespace

Result<Cron, std::string> Cron::parse(std::string_view text) {
  std::string expression = upper(text);
  if (const auto* macro = std::find_if(kMacros.begin(), kMacros.end(),
                                       [&](const Macro& one) { return one.name == expression; });
      macro != kMacros.end())
    expression = macro->meaning;
  auto words = words_of(expression);
  if (words.size() != 5 && words.size() != 6)
    return fmt::format(
        "has {} fields: minute, hour, day of the month, month and day of the week are needed, "
        "with seconds before them or without; or @hourly, @daily, @weekly, @monthly, @yearly",
        words.size());
  CronFields fields;
  if (words.size() == 5) words.insert(words.begin(), "0");
  for (const auto& read :
       {read_field(kSecond, words[0], fields.seconds), read_field(kMinute, words[1], fields.minutes),
        read_field(kHour, words[2], fields.hours), read_days(words[3], words[5], fields.days),
        read_field(kMonth, words[4], fields.months)})
    if (!read) return read.problem();
  fields.is_wildcard = words[1].starts_with('*') || words[2].starts_with('*') || fields.hours.all();
  const Cron cron{fields};
  if (!cron.next(LocalTime{})) return std::string{"matches no date that ever occurs"};
  return cron;
}

}  // namespace pawl::core
