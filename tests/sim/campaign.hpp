#pragma once
// Runs many seeds in sequence, until one fails or all are done.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/sim/run.hpp"

namespace pawl::sim {

struct Campaign {
  std::uint64_t first_seed = 1;
  int runs = 540;
  int lives = 2'000;                  // per run
  std::optional<Duration> time = {};  // stop after this much real time
  MakeStores make_stores = make_memory_stores;
};

struct Failure {
  std::uint64_t seed = 0;
  std::optional<Invariant> invariant = {};  // none: two runs of the seed differed
  std::string report = {};                  // the complete report
};

struct CampaignResult {
  Tally tally = {};
  std::optional<Failure> failure = {};
};

// Called after each run.
using Progress = std::function<void(int runs_done, const Tally& tally)>;

// Every hundredth seed runs twice, and both runs must be equal.
[[nodiscard]] CampaignResult run_campaign(const Campaign& campaign, const Progress& progress);

// Runs one seed. The result contains its failure, if any.
[[nodiscard]] CampaignResult run_seed(const Campaign& campaign, std::uint64_t seed);

}  // namespace pawl::sim
