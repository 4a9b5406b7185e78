#pragma once
// One campaign: starts a cluster on a store, applies load and faults, lets the cluster settle, and judges the
// result.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/chaos/cluster.hpp"
#include "tests/chaos/faults.hpp"
#include "tests/chaos/score.hpp"

namespace pawl::chaos {

struct Campaign {
  ClusterOptions cluster = {};
  std::uint64_t seed = 1;
  std::chrono::milliseconds time = {};  // for which faults are injected
  std::string binary = {};              // path of the pawl program
  std::vector<Fault> faults = {};       // the kinds to inject
};

struct Outcome {
  bool is_well = false;  // nothing was violated, and everything was exercised
  std::vector<FaultScore> scores = {};
};

// Prints a report.
[[nodiscard]] Outcome run_campaign(const Campaign& campaign);

}  // namespace pawl::chaos
