#include "tests/chaos/score.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pawl::chaos {

namespace {

using std::chrono::milliseconds;

FaultScore& row_of(std::vector<FaultScore>& scores, const std::string& fault) {
  const auto found = std::find_if(scores.begin(), scores.end(),
                                  [&](const FaultScore& score) { return score.fault == fault; });
  return found != scores.end() ? *found : scores.emplace_back(FaultScore{.fault = fault});
}

void add(FaultScore& score, Harm harm) {
  switch (harm) {
    case Harm::lost: ++score.lost; break;
    case Harm::doubled: ++score.doubled; break;
    case Harm::wrong: ++score.wrong; break;
  }
}

std::string text_of(const std::optional<milliseconds>& time) {
  return time ? fmt::format("{} ms", time->count()) : "-";
}

nlohmann::json json_of(const std::optional<milliseconds>& time) {
  return time ? nlohmann::json(time->count()) : nlohmann::json(nullptr);
}

}  // namespace

std::optional<milliseconds> median(std::vector<milliseconds> times) {
  if (times.empty()) return std::nullopt;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

std::vector<FaultScore> score(const std::vector<std::pair<std::string, int>>& times_landed,
                              const std::vector<Violation>& violations,
                              const std::map<std::string, std::vector<milliseconds>>& recoveries) {
  std::vector<FaultScore> scores;
  for (const auto& [fault, times] : times_landed) scores.push_back({.fault = fault, .times = times});
  for (const Violation& violation : violations) add(row_of(scores, violation.fault), violation.harm);
  for (const auto& [fault, times] : recoveries) {
    if (times.empty()) continue;
    FaultScore& row = row_of(scores, fault);
    row.recovery_median = median(times);
    row.recovery_max = *std::max_element(times.begin(), times.end());
  }
  return scores;
}

std::string table_of(const std::vector<FaultScore>& scores) {
  constexpr const char* kRow = "{:<32} {:>6} {:>5} {:>8} {:>6} {:>16} {:>17}\n";
  std::string text =
      fmt::format(kRow, "fault", "times", "lost", "doubled", "wrong", "recovery median", "recovery maximum");
  for (const FaultScore& row : scores)
    text += fmt::format(kRow, row.fault, row.times, row.lost, row.doubled, row.wrong,
                        text_of(row.recovery_median), text_of(row.recovery_max));
  return text;
}

nlohmann::json json_of(const std::vector<FaultScore>& scores) {
  nlohmann::json rows = nlohmann::json::array();
  for (const FaultScore& row : scores)
    rows.push_back({{"fault", row.fault},
                    {"times", row.times},
                    {"lost", row.lost},
                    {"doubled", row.doubled},
                    {"wrong", row.wrong},
                    {"recovery_median_ms", json_of(row.recovery_median)},
                    {"recovery_max_ms", json_of(row.recovery_max)}});
  return rows;
}

}  // namespace pawl::chaos
