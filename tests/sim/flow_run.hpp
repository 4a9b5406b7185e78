#pragma once
// Runs one seed with workflows: graphs and code under faults, then the heal. After that, every run must end
// and match its event log.

#include <optional>
#include <string>

#include "tests/sim/flow_checker.hpp"
#include "tests/sim/stores.hpp"

namespace pawl::sim {

struct FlowResult {
  FlowTally tally = {};
  std::uint64_t hash = 0;
  std::string failure = {};  // with the seed and its options; empty: none
};

[[nodiscard]] FlowResult run_flows(std::uint64_t seed, int flows, const MakeStores& make_stores);

}  // namespace pawl::sim
