// Workflows in the simulation: graphs and code, on several engines, with crashes at any point.
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/sim/flow_run.hpp"

namespace pawl::sim {
namespace {

TEST(Flows, EndInTheStateOfTheirEvents) {
  FlowTally tally;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const FlowResult result = run_flows(seed, 40, make_memory_stores);
    ASSERT_EQ(result.failure, "");
    tally += result.tally;
  }
  EXPECT_EQ(gaps(tally), std::vector<std::string>{});
  std::printf("%s", account(tally).c_str());
}

TEST(Flows, AreDeterministicForASeed) {
  const FlowResult first = run_flows(4711, 20, make_memory_stores);
  EXPECT_EQ(first.hash, run_flows(4711, 20, make_memory_stores).hash);
  EXPECT_NE(first.hash, run_flows(4712, 20, make_memory_stores).hash);
}

TEST(Flows, EndOnSqlite) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    EXPECT_EQ(run_flows(seed, 10, make_sqlite_stores).failure, "");
}

TEST(FlowCoverage, OfAnEmptyCampaignHasGaps) { EXPECT_FALSE(gaps(FlowTally{}).empty()); }

}  // namespace
}  // namespace pawl::sim
