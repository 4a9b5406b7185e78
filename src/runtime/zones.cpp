#include "runtime/zones.hpp"

#include <algorithm>

#include <date/tz.h>

namespace pawl::runtime {

namespace {

using std::chrono::seconds;

// The database gives the ends of time in seconds that microseconds cannot represent.
core::TimePoint time_from(date::sys_seconds time) {
  constexpr auto kLow = std::chrono::floor<seconds>(core::kTimeMin.time_since_epoch());
  constexpr auto kHigh = std::chrono::floor<seconds>(core::kTimeMax.time_since_epoch());
  return core::TimePoint{std::clamp(time.time_since_epoch(), kLow, kHigh)};
}

class DatabaseZone : public core::Zone {
 public:
  explicit DatabaseZone(const date::time_zone& zone) : zone_(zone) {}

  [[nodiscard]] core::OffsetPeriod period_at(core::TimePoint time) const override {
    const auto info = zone_.get_info(date::sys_seconds{std::chrono::floor<seconds>(time).time_since_epoch()});
    return {.begin = time_from(info.begin), .end = time_from(info.end), .offset = info.offset};
  }

 private:
  const date::time_zone& zone_;  // lives as long as the process
};

}  // namespace

std::shared_ptr<const core::Zone> find_zone(const std::string& name) {
  const auto& zones = date::get_tzdb().zones;
  const auto found = std::find_if(zones.begin(), zones.end(),
                                  [&](const date::time_zone& zone) { return zone.name() == name; });
  if (found == zones.end()) return nullptr;
  return std::make_shared<DatabaseZone>(*found);
}

std::vector<std::string> zone_names() {
  std::vector<std::string> names;
  for (const date::time_zone& zone : date::get_tzdb().zones) names.push_back(zone.name());
  return names;
}

}  // namespace pawl::runtime
