#pragma once
// One campaign: a cluster on a store, load, faults, then rest and the judgement.

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
  std::chrono::milliseconds time = {};  // under fire
  std::string binary = {};              // pawl
  std::vector<Fault> faults = {};       // these kinds
};

struct Outcome {
  bool is_well = false;  // nothing was violated, and everything was tried
  std::vector<FaultScore> scores = {};
};

// Prints what happened.
[[nodiscard]] Outcome run_campaign(const Campaign& campaign);

}  // namespace pawl::chaos
