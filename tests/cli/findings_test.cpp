// What the doctor says of each illness, and that it says nothing of what is well.
#include "cli/findings.hpp"

#include <gtest/gtest.h>

namespace pawl::cli {
namespace {

bool is_well(const Finding& finding) { return finding.verdict == Verdict::ok && finding.advice.empty(); }

TEST(Findings, WorkThatNobodyTakes) {
  EXPECT_TRUE(is_well(lag_finding(Json::parse(R"({"items":[]})"))));
  EXPECT_TRUE(is_well(lag_finding(
      Json::parse(R"({"items":[{"name":"default","paused":false,"oldest_pending_age":"2s"}]})"))));
  const Finding late =
      lag_finding(Json::parse(R"({"items":[{"name":"mails","paused":false,"oldest_pending_age":"10m"},
                              {"name":"b","paused":false,"oldest_pending_age":"61s"}]})"));
  EXPECT_EQ(late.verdict, Verdict::warning);
  EXPECT_NE(late.seen.find("mails"), std::string::npos);
  EXPECT_NE(late.advice.find("worker"), std::string::npos);
  const Finding paused =
      lag_finding(Json::parse(R"({"items":[{"name":"mails","paused":true,"oldest_pending_age":"10m"}]})"));
  EXPECT_NE(paused.advice.find("is paused"), std::string::npos);
}

TEST(Findings, LeasesThatExpireTooOften) {
  const std::string well = "# HELP x\npawl_leases_expired_total 19\npawl_tasks_claimed_total 19\n";
  EXPECT_TRUE(is_well(leases_finding(well)));
  EXPECT_TRUE(is_well(leases_finding("pawl_leases_expired_total 50\npawl_tasks_claimed_total 5000\n")));
  const Finding often = leases_finding("pawl_leases_expired_total 50\npawl_tasks_claimed_total 400\n");
  EXPECT_EQ(often.verdict, Verdict::warning);
  EXPECT_EQ(often.seen, "50 of 400 claimed here expired");
  EXPECT_TRUE(is_well(leases_finding("")));
}

TEST(Findings, NodesWithoutALeaderOrWithAnotherTime) {
  EXPECT_TRUE(is_well(
      nodes_finding(Json::parse(R"({"items":[{"hostname":"a","is_leader":true,"clock_skew_ms":-900}]})"))));
  EXPECT_NE(
      nodes_finding(Json::parse(R"({"items":[{"hostname":"a","is_leader":false}]})")).seen.find("none leads"),
      std::string::npos);
  const Finding skewed = nodes_finding(Json::parse(
      R"({"items":[{"hostname":"a","is_leader":true},{"hostname":"b","clock_skew_ms":-60000}]})"));
  EXPECT_EQ(skewed.seen, "the clock of b is 1m behind the store's");
}

TEST(Findings, AStoreThatGrowsOrIsHeldBack) {
  for (const Finding& finding : store_findings(Json::parse(
           R"({"bytes":5000000,"free_bytes":0,"log_bytes":0,"tables":[],"oldest_transaction":null})")))
    EXPECT_TRUE(is_well(finding)) << finding.seen;
  const auto ill = store_findings(Json::parse(
      R"({"bytes":900000000,"free_bytes":800000000,"log_bytes":0,
          "tables":[{"name":"ready","rows":10,"dead_rows":400000,"bytes":90000000}],
          "oldest_transaction":{"who":"pid 7, ann@shop, idle in transaction","age":"2h"
}
})"));
  ASSERT_EQ(ill.size(), 3U);
  for (const Finding& finding : ill) {
    EXPECT_EQ(finding.verdict, Verdict::warning);
    EXPECT_FALSE(finding.advice.empty());
  }
  EXPECT_NE(ill[1].seen.find("ready has 400000 dead rows"), std::string::npos);
  EXPECT_NE(ill[2].seen.find("open for 2h: pid 7"), std::string::npos);
  const auto log = store_findings(Json::parse(R"({"bytes":1,"free_bytes":0,"log_bytes":900000000})"));
  EXPECT_NE(log[0].seen.find("write-ahead log"), std::string::npos);
}

}  // namespace
}  // namespace pawl::cli
