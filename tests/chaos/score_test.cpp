// The arithmetic of the score table at the end of a campaign.
#include "tests/chaos/score.hpp"

#include <gtest/gtest.h>

namespace pawl::chaos {
namespace {

using namespace std::chrono_literals;

TEST(ChaosScore, UsesTheLowerMedian) {
  EXPECT_EQ(median({}), std::nullopt);
  EXPECT_EQ(median({7ms}), 7ms);
  EXPECT_EQ(median({9ms, 1ms}), 1ms);
  EXPECT_EQ(median({30ms, 10ms, 20ms}), 20ms);
  EXPECT_EQ(median({40ms, 10ms, 30ms, 20ms}), 20ms);
}

TEST(ChaosScore, CountsEachViolationInTheRowOfItsFault) {
  const auto scores = score({{"node killed", 3}, {"node paused", 2}},
                            {{Harm::lost, "node paused", "a"},
                             {Harm::doubled, "node paused", "b"},
                             {Harm::doubled, "node paused", "c"},
                             {Harm::wrong, kWholeCampaign, "d"}},
                            {});
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_EQ(scores[0].times, 3);
  EXPECT_EQ(scores[0].lost + scores[0].doubled + scores[0].wrong, 0);
  EXPECT_EQ(scores[1].times, 2);
  EXPECT_EQ(scores[1].lost, 1);
  EXPECT_EQ(scores[1].doubled, 2);
  EXPECT_EQ(scores[1].wrong, 0);
  EXPECT_EQ(scores[2].fault, kWholeCampaign);
  EXPECT_EQ(scores[2].wrong, 1);
}

TEST(ChaosScore, ShowsTheMedianAndTheMaximumOfRecoveries) {
  const auto scores =
      score({{"node killed", 3}, {"node paused", 0}}, {}, {{"node killed", {50ms, 10ms, 20ms}}});
  EXPECT_EQ(scores[0].recovery_median, 20ms);
  EXPECT_EQ(scores[0].recovery_max, 50ms);
  EXPECT_EQ(scores[1].recovery_median, std::nullopt);
  EXPECT_NE(table_of(scores).find("20 ms"), std::string::npos);
  EXPECT_EQ(json_of(scores)[0]["recovery_max_ms"], 50);
  EXPECT_TRUE(json_of(scores)[1]["recovery_median_ms"].is_null());
}

TEST(ChaosScore, AttributesAViolationToTheLastFaultThatBegan) {
  Ledger ledger;
  ledger.fault_begins("node killed");
  ledger.violation(Harm::wrong, "during or after it");
  ledger.faults_are_over();
  ledger.violation(Harm::lost, "at the end");
  EXPECT_EQ(ledger.violations()[0].fault, "node killed");
  EXPECT_EQ(ledger.violations()[1].fault, kWholeCampaign);
}

}  // namespace
}  // namespace pawl::chaos
