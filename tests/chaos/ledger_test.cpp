// The campaign's ledger detects forbidden histories.
#include "tests/chaos/ledger.hpp"

#include <gtest/gtest.h>

namespace pawl::chaos {
namespace {

using namespace std::chrono_literals;

Time at(int second) { return Time{} + std::chrono::seconds{second}; }
Hold from_to(int from, int until) { return {.from = at(from), .until = at(until)}; }
const Time kFarAway = Time::max();

TEST(ChaosLedger, DetectsATaskCompletedTwice) {
  Ledger ledger;
  ledger.completed("a", 1);
  ledger.completed("b", 1);
  EXPECT_TRUE(ledger.violations().empty());
  ledger.completed("a", 2);
  EXPECT_EQ(ledger.violations().size(), 1U);
}

TEST(ChaosLedger, DetectsAFenceIssuedTwice) {
  Ledger ledger;
  ledger.claimed("a", 1, kFarAway);
  ledger.claimed("a", 2, kFarAway);
  EXPECT_TRUE(ledger.violations().empty());
  ledger.claimed("a", 2, kFarAway);
  EXPECT_EQ(ledger.violations().size(), 1U);
}

TEST(ChaosLedger, DetectsATaskClaimedAfterItsCompletion) {
  Ledger ledger;
  ledger.completed("a", 1);
  ledger.claimed("a", 2, Time{});  // an answer that took longer than its lease proves nothing
  EXPECT_TRUE(ledger.violations().empty());
  ledger.claimed("a", 3, kFarAway);
  EXPECT_EQ(ledger.violations().size(), 1U);
}

TEST(ChaosLedger, DetectsALateReportThatWasAccepted) {
  Ledger ledger;
  const Time claimed_at = std::chrono::steady_clock::now();
  ledger.reported_late("a", claimed_at, false);
  EXPECT_TRUE(ledger.violations().empty());
  ledger.reported_late("a", claimed_at, true);
  EXPECT_EQ(ledger.violations().size(), 1U);
}

TEST(ChaosLedger, AllowsALateReportOfALostClaimAfterTheNextClaim) {
  Ledger ledger;
  ledger.lost_tail_begins();
  const Time claimed_at = std::chrono::steady_clock::now();
  ledger.claimed("a", 1, kFarAway);
  ledger.lost_tail_ends();
  ledger.claimed("a", 1, kFarAway);  // by the same worker: its first report applies here too
  ledger.reported_late("a", claimed_at, true);
  EXPECT_TRUE(ledger.violations().empty());
  ledger.reported_late("a", std::chrono::steady_clock::now(), true);
  EXPECT_EQ(ledger.violations().size(), 1U) << "nothing is lost after the tail";
}

TEST(ChaosLedger, AllowsRepetitionOfWorkLostWithTheTail) {
  Ledger ledger;
  ledger.lost_tail_begins();
  ledger.claimed("a", 1, kFarAway);
  ledger.completed("a", 1);
  ledger.lost_tail_ends();
  ledger.claimed("a", 1, kFarAway);
  ledger.completed("a", 1);
  EXPECT_TRUE(ledger.violations().empty());
  ledger.completed("a", 2);
  EXPECT_EQ(ledger.violations().size(), 1U) << "nothing is lost after the tail";
}

TEST(ChaosLedger, DetectsAnAcknowledgmentWhileNothingCanBeDurable) {
  Ledger ledger;
  const Time before = std::chrono::steady_clock::now();
  ledger.must_not_acknowledge();
  ledger.acknowledged(before);  // it may have been committed before
  EXPECT_TRUE(ledger.violations().empty());
  ledger.acknowledged(kFarAway);
  EXPECT_EQ(ledger.violations().size(), 1U);
}

TEST(ChaosLedger, DetectsALeaseThatIsNotRecovered) {
  Ledger ledger;
  ledger.limit_standstill(10s);
  ledger.abandoned("a", std::chrono::steady_clock::now());
  ledger.claimed("a", 2, kFarAway);
  EXPECT_TRUE(ledger.violations().empty());
  ledger.abandoned("a", std::chrono::steady_clock::now() - 11s);
  ledger.claimed("a", 3, kFarAway);
  EXPECT_EQ(ledger.violations().size(), 1U);
}

TEST(ChaosLedger, CountsConcurrentlyHeldTasks) {
  EXPECT_EQ(most_at_once({}), 0);
  EXPECT_EQ(most_at_once({from_to(0, 2), from_to(2, 4), from_to(4, 5)}), 1) << "one after the other";
  EXPECT_EQ(most_at_once({from_to(0, 3), from_to(2, 4), from_to(5, 9)}), 2);
  EXPECT_EQ(most_at_once({from_to(0, 9), from_to(1, 8), from_to(2, 3), from_to(2, 7)}), 4);
}

}  // namespace
}  // namespace pawl::chaos
