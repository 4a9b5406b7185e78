#pragma once
// One run of one seed with workflows in it: graphs and code under fire, then heal, then every run must come
// to its end and be what its events say.

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
