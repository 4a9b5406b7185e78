#pragma once
// The table at the end of a campaign: one row for each fault, with its violations and recovery times.
//
// A violation is counted in the row of the fault during or after which it was found. Violations found in the
// final comparison of the store with the ledger cannot be attributed to one fault: they are counted in the
// row "whole campaign", which is shown only if there are any.
//
// The recovery time begins when the fault's cause is gone: the process is restarted or continues, the
// connection passes bytes, the database accepts connections, the file is back, descriptors are free. It ends
// with the first acknowledged write through each affected node. For a killed leader it begins with the kill
// instead, and ends when another node leads.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/chaos/ledger.hpp"

namespace pawl::chaos {

struct FaultScore {
  std::string fault = {};
  int times = 0;  // how often it landed
  int lost = 0;
  int doubled = 0;
  int wrong = 0;
  std::optional<std::chrono::milliseconds> recovery_median = {};
  std::optional<std::chrono::milliseconds> recovery_max = {};
};

// The lower median; none without times.
[[nodiscard]] std::optional<std::chrono::milliseconds> median(std::vector<std::chrono::milliseconds> times);

// In the order of `times_landed`, followed by faults that only violations name.
[[nodiscard]] std::vector<FaultScore> score(
    const std::vector<std::pair<std::string, int>>& times_landed, const std::vector<Violation>& violations,
    const std::map<std::string, std::vector<std::chrono::milliseconds>>& recoveries);

[[nodiscard]] std::string table_of(const std::vector<FaultScore>& scores);
[[nodiscard]] nlohmann::json json_of(const std::vector<FaultScore>& scores);

}  // namespace pawl::chaos
