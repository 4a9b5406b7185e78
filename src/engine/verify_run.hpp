#pragma once
// Checks one run alone, from its rows and its log. Pure.

#include <array>
#include <string>
#include <vector>

#include "core/run/working_run.hpp"
#include "store/runs.hpp"

namespace pawl::engine {

struct RunFinding {
  std::string check;
  std::string message;

  bool operator==(const RunFinding&) const = default;
};

// The checks that apply to each run.
inline constexpr std::array kRunChecks{"I19", "I20", "I21", "I23", "I24", "I25",
                                       "I27", "I28", "I35", "I36", "I46"};

// `stored` must be loaded with all its parts.
[[nodiscard]] std::vector<RunFinding> findings_of(const store::StoredRun& stored, core::RunPlan plan);

}  // namespace pawl::engine
