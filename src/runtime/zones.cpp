#include "runtime/zones.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <date/tz.h>

#include "core/schedule/zone_rule.hpp"

namespace pawl::runtime {

namespace {

using std::chrono::seconds;

// The database gives the ends of time in seconds that microseconds cannot represent.
core::TimePoint time_from(date::sys_seconds time) {
  constexpr auto kLow = std::chrono::floor<seconds>(core::kTimeMin.time_since_epoch());
  constexpr auto kHigh = std::chrono::floor<seconds>(core::kTimeMax.time_since_epoch());
  return core::TimePoint{std::clamp(time.time_since_epoch(), kLow, kHigh)};
}

// The changes that the file of a zone lists, and after the last one its rule, which the `date` library
// ignores.
class DatabaseZone : public core::Zone {
 public:
  DatabaseZone(const date::time_zone& zone, std::optional<core::ZoneRule> rule) : zone_(zone), rule_(rule) {}

  [[nodiscard]] core::OffsetPeriod period_at(core::TimePoint time) const override {
    const auto info = zone_.get_info(date::sys_seconds{std::chrono::floor<seconds>(time).time_since_epoch()});
    const core::OffsetPeriod listed{
        .begin = time_from(info.begin), .end = time_from(info.end), .offset = info.offset};
    const bool is_last = listed.end >= std::chrono::floor<seconds>(core::kTimeMax);
    if (!is_last || !rule_) return listed;
    core::OffsetPeriod period = rule_->period_at(time);
    period.begin = std::max(period.begin, listed.begin);
    return period;
  }

 private:
  const date::time_zone& zone_;  // lives as long as the process
  std::optional<core::ZoneRule> rule_;
};

// As the `date` library chooses it, which does not export its choice.
std::filesystem::path zone_directory() {
  const std::filesystem::path buildroot = "/usr/share/zoneinfo/uclibc";
  std::error_code failed;
  return std::filesystem::is_directory(buildroot, failed) ? buildroot : "/usr/share/zoneinfo";
}

std::optional<core::ZoneRule> read_rule(const std::string& zone) {
  std::ifstream file{zone_directory() / zone, std::ios::binary};
  std::ostringstream contents;
  contents << file.rdbuf();
  return core::ZoneRule::of_file(contents.view());
}

}  // namespace

std::shared_ptr<const core::Zone> find_zone(const std::string& name) {
  const auto& zones = date::get_tzdb().zones;
  const auto found = std::find_if(zones.begin(), zones.end(),
                                  [&](const date::time_zone& zone) { return zone.name() == name; });
  if (found == zones.end()) return nullptr;
  return std::make_shared<DatabaseZone>(*found, read_rule(name));
}

std::vector<std::string> zone_names() {
  std::vector<std::string> names;
  for (const date::time_zone& zone : date::get_tzdb().zones) names.push_back(zone.name());
  return names;
}

}  // namespace pawl::runtime
