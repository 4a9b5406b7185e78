#pragma once
// One campaign: a cluster on a store, load, faults, then rest and the judgement.

#include <chrono>
#include <cstdint>
#include <string>

#include "tests/chaos/cluster.hpp"

namespace pawl::chaos {

struct Campaign {
  StoreKind store = StoreKind::postgres;
  std::uint64_t seed = 1;
  std::chrono::milliseconds time = {};  // under fire
  std::string binary = {};              // pawl
  std::string fault = {};               // this kind only; none: all of them
};

// Prints what happened; true if nothing was violated and everything was tried.
[[nodiscard]] bool run_campaign(const Campaign& campaign);

}  // namespace pawl::chaos
