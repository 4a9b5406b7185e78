#include "core/schedule/cron.hpp"

namespace pawl::core {

namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::months;
using std::chrono::seconds;
using std::chrono::weekday;
using std::chrono::year;
using std::chrono::year_month;
using std::chrono::year_month_day;

// The calendar repeats after 400 years: a date that does not occur within them never occurs.
constexpr int kMonthsOfCalendar = 400 * 12;
constexpr year kYearMin{0};
constexpr year kYearMax{9999};

unsigned last_day_of(year_month_day date) {
  return static_cast<unsigned>((date.year() / date.month() / std::chrono::last).day());
}

bool is_weekend(unsigned weekday) { return weekday == 0 || weekday == 6; }

// The day from Monday to Friday that is nearest to `wanted`, in the same month.
unsigned nearest_weekday(year_month_day date, unsigned wanted) {
  const unsigned last = last_day_of(date);
  const year_month_day at{date.year(), date.month(), day{wanted}};
  const unsigned falls_on = weekday{local_days{at}}.c_encoding();
  if (falls_on == 6) return wanted > 1 ? wanted - 1 : wanted + 2;
  if (falls_on == 0) return wanted < last ? wanted + 1 : wanted - 2;
  return wanted;
}

unsigned last_weekday_of(year_month_day date) { return nearest_weekday(date, last_day_of(date)); }

bool match_in_month(const CronDays& wanted_days, year_month_day date) {
  const unsigned number = static_cast<unsigned>(date.day());
  const unsigned last = last_day_of(date);
  if (wanted_days.of_month[number] || wanted_days.before_last[last - number]) return true;
  const unsigned falls_on = weekday{local_days{date}}.c_encoding();
  if (is_weekend(falls_on)) return false;
  if (wanted_days.last_weekday && number == last_weekday_of(date)) return true;
  // A weekend moves a date by two days at most.
  for (unsigned wanted = number > 2 ? number - 2 : 1; wanted <= number + 2 && wanted <= last; ++wanted)
    if (wanted_days.nearest_weekday[wanted] && nearest_weekday(date, wanted) == number) return true;
  return false;
}

bool match_in_week(const CronDays& wanted_days, year_month_day date) {
  const unsigned number = static_cast<unsigned>(date.day());
  const unsigned falls_on = weekday{local_days{date}}.c_encoding();
  if (wanted_days.of_week[falls_on]) return true;
  if (wanted_days.nth.at(falls_on)[(number - 1) / 7 + 1]) return true;
  return wanted_days.last_of_week[falls_on] && number + 7 > last_day_of(date);
}

// The first set bit that is not before `from`, and the last one that is not after `to`.
template <std::size_t N>
std::optional<int> bit_from(const std::bitset<N>& bits, int from) {
  for (auto i = static_cast<std::size_t>(from); i < N; ++i)
    if (bits[i]) return static_cast<int>(i);
  return std::nullopt;
}
template <std::size_t N>
std::optional<int> bit_up_to(const std::bitset<N>& bits, int to) {
  for (int i = to; i >= 0; --i)
    if (bits[static_cast<std::size_t>(i)]) return i;
  return std::nullopt;
}

// A time of day by its three parts.
struct Parts {
  int hour = 0;
  int minute = 0;
  int second = 0;

  [[nodiscard]] seconds time() const { return hours{hour} + minutes{minute} + seconds{second}; }
};
Parts parts_of(seconds time) {
  const auto count = static_cast<int>(time.count());
  return {.hour = count / 3600, .minute = count / 60 % 60, .second = count % 60};
}

// The first matching time that is not before `from`. Once a part advances, the parts after it start again.
std::optional<seconds> time_from(const CronFields& fields, Parts from) {
  for (auto hour = bit_from(fields.hours, from.hour); hour; hour = bit_from(fields.hours, *hour + 1)) {
    const bool is_first_hour = *hour == from.hour;
    for (auto minute = bit_from(fields.minutes, is_first_hour ? from.minute : 0); minute;
         minute = bit_from(fields.minutes, *minute + 1)) {
      const bool is_first = is_first_hour && *minute == from.minute;
      if (const auto second = bit_from(fields.seconds, is_first ? from.second : 0))
        return Parts{*hour, *minute, *second}.time();
    }
  }
  return std::nullopt;
}

std::optional<seconds> time_up_to(const CronFields& fields, Parts to) {
  for (auto hour = bit_up_to(fields.hours, to.hour); hour; hour = bit_up_to(fields.hours, *hour - 1)) {
    const bool is_first_hour = *hour == to.hour;
    for (auto minute = bit_up_to(fields.minutes, is_first_hour ? to.minute : 59); minute;
         minute = bit_up_to(fields.minutes, *minute - 1)) {
      const bool is_first = is_first_hour && *minute == to.minute;
      if (const auto second = bit_up_to(fields.seconds, is_first ? to.second : 59))
        return Parts{*hour, *minute, *second}.time();
    }
  }
  return std::nullopt;
}

constexpr Parts kLastOfDay{.hour = 23, .minute = 59, .second = 59};

}  // namespace

bool CronDays::match(year_month_day date) const {
  if (!is_month_given && !is_week_given) return true;
  return (is_month_given && match_in_month(*this, date)) || (is_week_given && match_in_week(*this, date));
}

bool Cron::match(LocalTime time) const {
  const auto date = std::chrono::floor<days>(time);
  const year_month_day ymd{date};
  const Parts parts = parts_of(time - date);
  return fields_.seconds[static_cast<std::size_t>(parts.second)] &&
         fields_.minutes[static_cast<std::size_t>(parts.minute)] &&
         fields_.hours[static_cast<std::size_t>(parts.hour)] &&
         fields_.months[static_cast<unsigned>(ymd.month())] && fields_.days.match(ymd);
}

std::optional<local_days> Cron::next_day(local_days from) const {
  const year_month_day first{from};
  year_month month = first.year() / first.month();
  unsigned number = static_cast<unsigned>(first.day());
  for (int i = 0; i <= kMonthsOfCalendar && month.year() <= kYearMax; ++i, month += months{1}, number = 1) {
    if (!fields_.months[static_cast<unsigned>(month.month())]) continue;
    const unsigned last = last_day_of(month / 1);
    for (; number <= last; ++number)
      if (fields_.days.match(month / day{number})) return local_days{month / day{number}};
  }
  return std::nullopt;
}

std::optional<local_days> Cron::previous_day(local_days from) const {
  const year_month_day first{from};
  year_month month = first.year() / first.month();
  unsigned number = static_cast<unsigned>(first.day());
  for (int i = 0; i <= kMonthsOfCalendar && month.year() >= kYearMin; ++i) {
    if (fields_.months[static_cast<unsigned>(month.month())])
      for (; number >= 1; --number)
        if (fields_.days.match(month / day{number})) return local_days{month / day{number}};
    month -= months{1};
    number = last_day_of(month / 1);
  }
  return std::nullopt;
}

std::optional<LocalTime> Cron::next(LocalTime after) const {
  const LocalTime from = after + seconds{1};
  const auto today = std::chrono::floor<days>(from);
  auto date = next_day(today);
  if (!date) return std::nullopt;
  auto time = time_from(fields_, *date == today ? parts_of(from - today) : Parts{});
  if (!time) {
    date = next_day(*date + days{1});
    if (!date) return std::nullopt;
    time = time_from(fields_, Parts{});
  }
  return *date + *time;
}

std::optional<LocalTime> Cron::previous(LocalTime before) const {
  const LocalTime to = before - seconds{1};
  const auto today = std::chrono::floor<days>(to);
  auto date = previous_day(today);
  if (!date) return std::nullopt;
  auto time = time_up_to(fields_, *date == today ? parts_of(to - today) : kLastOfDay);
  if (!time) {
    date = previous_day(*date - days{1});
    if (!date) return std::nullopt;
    time = time_up_to(fields_, kLastOfDay);
  }
  return *date + *time;
}

}  // namespace pawl::core
