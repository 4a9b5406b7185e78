// Prints the slots of cron expressions, for compare.mjs. Each line of the input contains, separated by tabs:
// the expression, the time zone, the seconds since 1970 after which and up to which slots are printed, and
// the rules for gap and fold. Each line of the output contains the end of the zone's UTC offset that applies
// at the beginning, that offset, the next one, and the slots, all in seconds; or "refused".
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/zones.hpp"

namespace {

using namespace pawl;

core::TimePoint time_of(const std::string& seconds) {
  return core::TimePoint{std::chrono::seconds{std::stoll(seconds)}};
}

std::string slots_of(const std::vector<std::string>& fields) {
  const auto cron = core::Cron::parse(fields.at(0));
  const auto zone = runtime::find_zone(fields.at(1));
  if (!cron || zone == nullptr) return "refused";
  const core::Dst dst{.gap = core::dst_gap_from(fields.at(4)).value(),
                      .fold = core::dst_fold_from(fields.at(5)).value()};
  const auto period = zone->period_at(time_of(fields.at(2)));
  std::ostringstream out;
  out << std::chrono::floor<std::chrono::seconds>(period.end.time_since_epoch()).count() << ' '
      << period.offset.count() << ' ' << zone->period_at(period.end).offset.count() << ' ';
  auto slot = core::next_slot(*cron, *zone, dst, time_of(fields.at(2)));
  for (; slot && *slot <= time_of(fields.at(3)); slot = core::next_slot(*cron, *zone, dst, *slot))
    out << std::chrono::floor<std::chrono::seconds>(slot->time_since_epoch()).count() << ' ';
  return out.str();
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> fields;
    std::istringstream in{line};
    for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
    std::cout << slots_of(fields) << '\n';
  }
}
