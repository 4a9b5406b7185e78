// The campaigns that one invocation plans.
#include "tests/chaos/plan.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace pawl::chaos {
namespace {

using namespace std::chrono_literals;

std::vector<Campaign> plan(StoreKind store, std::string_view only = "") {
  return plan_of(store, only, {.time = 20min});
}

bool has(const std::vector<Campaign>& plan, Fault fault) {
  return std::any_of(plan.begin(), plan.end(), [fault](const Campaign& campaign) {
    return std::find(campaign.faults.begin(), campaign.faults.end(), fault) != campaign.faults.end();
  });
}

TEST(ChaosPlan, HasEveryFaultOnSomeStore) {
  const auto postgres = plan(StoreKind::postgres);
  const auto sqlite = plan(StoreKind::sqlite);
  for (std::size_t i = 0; i < kFaultNames.size(); ++i) {
    const auto fault = static_cast<Fault>(i);
    EXPECT_TRUE(has(postgres, fault) || has(sqlite, fault)) << name_of(fault);
  }
}

TEST(ChaosPlan, GivesATenthOfTheTimeToEachFaultWithItsOwnCluster) {
  const auto campaigns = plan(StoreKind::postgres);
  ASSERT_EQ(campaigns.size(), 4U);
  EXPECT_EQ(campaigns[0].time, 20min);
  EXPECT_EQ(campaigns[1].time, 2min);
  EXPECT_TRUE(has({campaigns[1]}, Fault::promote_asynchronous));
  EXPECT_TRUE(has({campaigns[2]}, Fault::crash_unflushed));
  EXPECT_TRUE(has({campaigns[3]}, Fault::step_database_clock));
}

TEST(ChaosPlan, HasAtMostOneCampaignPerStoreForASingleFault) {
  for (const std::string_view name : kFaultNames) {
    const auto postgres = plan(StoreKind::postgres, name);
    const auto sqlite = plan(StoreKind::sqlite, name);
    EXPECT_FALSE(postgres.empty() && sqlite.empty()) << name;
    EXPECT_LE(postgres.size(), 1U) << name;
    for (const Campaign& campaign : postgres) EXPECT_EQ(campaign.time, 20min) << name;
  }
  EXPECT_TRUE(plan(StoreKind::sqlite, "standby promoted").empty());
}

}  // namespace
}  // namespace pawl::chaos
