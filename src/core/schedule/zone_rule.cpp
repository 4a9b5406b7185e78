#include "core/schedule/zone_rule.hpp"

#include <algorithm>
#include <tuple>

namespace pawl::core {

namespace {

using std::chrono::seconds;

constexpr int kOffsetHoursMax = 24;
constexpr int kTimeHoursMax = 167;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Reads the parts of a rule from left to right. After a part that is missing or invalid, the rest is not
// read.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

  bool skip(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // At least three letters; in angle brackets also digits and signs.
  bool skip_name() {
    const bool is_quoted = skip('<');
    const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), [&](char c) {
      return is_letter(c) || (is_quoted && (is_digit(c) || c == '+' || c == '-'));
    });
    const auto length = static_cast<std::size_t>(end - rest_.begin());
    rest_.remove_prefix(length);
    return length >= 3 && (!is_quoted || skip('>'));
  }

  std::optional<int> number(int min, int max) {
    int value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && digits < 3 && is_digit(rest_[digits]); ++digits)
      value = value * 10 + (rest_[digits] - '0');
    rest_.remove_prefix(digits);
    return digits > 0 && value >= min && value <= max ? std::optional{value} : std::nullopt;
  }

  // hh, hh:mm or hh:mm:ss, with an optional sign.
  std::optional<seconds> time(int hours_max) {
    const bool is_negative = skip('-');
    if (!is_negative) skip('+');
    const auto hour = number(0, hours_max);
    const auto minute = skip(':') ? number(0, 59) : 0;
    const auto second = skip(':') ? number(0, 59) : 0;
    if (!hour || !minute || !second) return std::nullopt;
    const seconds time = std::chrono::hours{*hour} + std::chrono::minutes{*minute} + seconds{*second};
    return is_negative ? -time : time;
  }

  // Spelled as the distance to UTC: positive in the west.
  std::optional<seconds> offset() {
    const auto west = time(kOffsetHoursMax);
    return west ? std::optional{-*west} : std::nullopt;
  }

  std::optional<YearlyTime> yearly_time() {
    auto yearly = day();
    if (!yearly || !skip('/')) return yearly;
    const auto at = time(kTimeHoursMax);
    if (!at) return std::nullopt;
    yearly->time = *at;
    return yearly;
  }

 private:
  std::optional<YearlyTime> day() {
    using Day = YearlyTime::Day;
    if (!skip('M')) {
      const Day kind = skip('J') ? Day::of_common_year : Day::of_year;
      const auto number = this->number(kind == Day::of_year ? 0 : 1, 365);
      return number ? std::optional{YearlyTime{.kind = kind, .number = *number}} : std::nullopt;
    }
    const auto month = number(1, 12);
    if (!month || !skip('.')) return std::nullopt;
    const auto week = number(1, 5);
    if (!week || !skip('.')) return std::nullopt;
    const auto weekday = number(0, 6);
    if (!weekday) return std::nullopt;
    return YearlyTime{.kind = Day::of_week, .number = *weekday, .month = *month, .week = *week};
  }

  std::string_view rest_;
};

std::chrono::local_days day_in(const YearlyTime& yearly, std::chrono::year year) {
  using namespace std::chrono;
  const local_days first{year / January / 1};
  if (yearly.kind == YearlyTime::Day::of_year) return first + days{yearly.number};
  if (yearly.kind == YearlyTime::Day::of_common_year) {
    constexpr int kFebruary28 = 59;
    return first + days{yearly.number - 1 + (year.is_leap() && yearly.number > kFebruary28 ? 1 : 0)};
  }
  const auto month = year / yearly.month;
  const weekday day{static_cast<unsigned>(yearly.number)};
  if (yearly.week == 5) return local_days{month / day[last]};
  return local_days{month / day[static_cast<unsigned>(yearly.week)]};
}

}  // namespace

LocalTime YearlyTime::in(std::chrono::year year) const { return LocalTime{day_in(*this, year)} + time; }

std::optional<ZoneRule> ZoneRule::parse(std::string_view text) {
  if (text.size() > kTextMax) return std::nullopt;
  RuleReader reader{text};
  if (!reader.skip_name()) return std::nullopt;
  const auto standard = reader.offset();
  if (!standard) return std::nullopt;
  ZoneRule rule;
  rule.standard_ = *standard;
  if (reader.is_at_end()) return rule;

  if (!reader.skip_name()) return std::nullopt;
  Daylight daylight{.offset = *standard + std::chrono::hours{1}};
  if (!reader.skip(',')) {
    const auto offset = reader.offset();
    if (!offset || !reader.skip(',')) return std::nullopt;
    daylight.offset = *offset;
  }
  const auto begin = reader.yearly_time();
  if (!begin || !reader.skip(',')) return std::nullopt;
  const auto end = reader.yearly_time();
  if (!end || !reader.is_at_end()) return std::nullopt;
  daylight.begin = *begin;
  daylight.end = *end;
  rule.daylight_ = daylight;
  return rule;
}

// The last line of the file. Files of version 1, whose version is a zero, have none.
std::optional<ZoneRule> ZoneRule::of_file(std::string_view contents) {
  constexpr std::string_view kMagic = "TZif";
  if (!contents.starts_with(kMagic) || contents.size() <= kMagic.size() || contents[kMagic.size()] < '2')
    return std::nullopt;
  if (!contents.ends_with('\n')) return std::nullopt;
  contents.remove_suffix(1);
  const std::size_t before = contents.rfind('\n');
  return before == std::string_view::npos ? std::nullopt : parse(contents.substr(before + 1));
}

OffsetPeriod ZoneRule::period_at(TimePoint time) const {
  OffsetPeriod period{.begin = kTimeMin, .end = std::chrono::floor<seconds>(kTimeMax), .offset = standard_};
  if (!daylight_) return period;
  time = std::clamp(time, kTimeMin, kTimeMax);
  const std::chrono::year_month_day today{
      std::chrono::sys_days{std::chrono::floor<std::chrono::days>(time.time_since_epoch())}};

  struct Change {
    TimePoint at = {};
    bool is_begin = false;  // of daylight saving time
  };
  // A change may be eight days away from the year that it is counted in: two years on each side have one.
  constexpr int kYearsAround = 2;
  std::array<Change, 2 * (2 * kYearsAround + 1)> changes;
  auto* next = changes.begin();
  for (int years = -kYearsAround; years <= kYearsAround; ++years) {
    const auto year = today.year() + std::chrono::years{years};
    *next++ = {TimePoint{daylight_->begin.in(year).time_since_epoch() - standard_}, true};
    *next++ = {TimePoint{daylight_->end.in(year).time_since_epoch() - daylight_->offset}, false};
  }
  // A year of daylight saving time may end in the moment in which the next one begins.
  std::sort(changes.begin(), changes.end(), [](const Change& left, const Change& right) {
    return std::tie(left.at, left.is_begin) < std::tie(right.at, right.is_begin);
  });
  const auto* const after =
      std::find_if(changes.begin(), changes.end(), [&](const Change& change) { return change.at > time; });
  const auto* const last = after - 1;
  period.begin = std::max(period.begin, last->at);
  period.end = std::min(period.end, after->at);
  period.offset = last->is_begin ? daylight_->offset : standard_;
  return period;
}

}  // namespace pawl::core
