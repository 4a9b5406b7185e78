// How a campaign judges its leadership changes.
#include "tests/chaos/leaders.hpp"

#include <gtest/gtest.h>

namespace pawl::chaos {
namespace {

LeaderChange change(const char* node, std::int64_t term, std::int64_t at, std::int64_t until) {
  return {.node = node, .term = term, .until = until, .at = at};
}

std::size_t violations(const std::vector<LeaderChange>& changes) {
  Ledger ledger;
  check_leaders(changes, ledger);
  return ledger.violations().size();
}

TEST(ChaosLeaders, InSuccessionAreAccepted) {
  EXPECT_EQ(violations({change("a", 1, 0, 10), change("a", 1, 5, 15), change("b", 2, 15, 25)}), 0U);
}

TEST(ChaosLeaders, MayBeFollowedImmediatelyAfterAHandOver) {
  EXPECT_EQ(violations({change("a", 1, 0, 10), change("a", 1, 5, 5), change("b", 2, 5, 15)}), 0U);
}

TEST(ChaosLeaders, WithOverlappingTermsAreDetected) {
  EXPECT_EQ(violations({change("a", 1, 0, 10), change("b", 2, 9, 19)}), 1U);
}

TEST(ChaosLeaders, WithANonconsecutiveTermAreDetected) {
  EXPECT_EQ(violations({change("a", 1, 0, 10), change("b", 1, 11, 19)}), 1U);
  EXPECT_EQ(violations({change("a", 3, 0, 10), change("b", 2, 11, 19)}), 1U);
}

}  // namespace
}  // namespace pawl::chaos
