// A short campaign of the simulation: no promise is broken, everything is exercised, and seeds are
// reproducible.
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/sim/campaign.hpp"

namespace pawl::sim {
namespace {

std::string report_of(const CampaignResult& result) { return result.failure ? result.failure->report : ""; }

TEST(Simulation, KeepsEveryInvariantAndCoversEverything) {
  const Campaign campaign{.first_seed = 1, .runs = 200, .lives = 400};
  const CampaignResult result = run_campaign(campaign, [](int, const Tally&) {});
  EXPECT_EQ(report_of(result), "");
  EXPECT_EQ(gaps(result.tally), std::vector<std::string>{});
  std::printf("%s", account(result.tally).c_str());
}

TEST(Simulation, IsDeterministicForASeed) {
  const Options options = options_for(4711, 300);
  const RunResult first = run(options, make_memory_stores);
  const RunResult second = run(options, make_memory_stores);
  EXPECT_EQ(first.hash, second.hash);
  EXPECT_EQ(first.tally.commits, second.tally.commits);
  EXPECT_NE(first.hash, run(options_for(4712, 300), make_memory_stores).hash);
}

TEST(Simulation, KeepsEveryInvariantOnSqlite) {
  const Campaign campaign{.first_seed = 1, .runs = 4, .lives = 60, .make_stores = make_sqlite_stores};
  EXPECT_EQ(report_of(run_campaign(campaign, [](int, const Tally&) {})), "");
}

TEST(Coverage, OfAnEmptyCampaignHasGaps) { EXPECT_FALSE(gaps(Tally{}).empty()); }

TEST(Coverage, DetectsRetriesWithoutJitter) {
  Tally tally;
  for (int i = 0; i < 1'000; ++i) tally.spread_by(0);
  EXPECT_GT(tally.jitter_chi_square(), 1'000);
}

}  // namespace
}  // namespace pawl::sim
