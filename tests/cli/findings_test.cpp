// The doctor's finding for each problem, and no findings for healthy parts.
#include "cli/findings.hpp"

#include <gtest/gtest.h>

namespace pawl::cli {
namespace {

bool is_well(const Finding& finding) { return finding.verdict == Verdict::ok && finding.advice.empty(); }

Json queues_of(const std::string& items) { return Json::parse(R"({"items":[)" + items + "]}"); }

TEST(Findings, AcceptClaimedWork) {
  for (const auto* items : {"", R"({"name":"default","paused":false,"oldest_pending_age":"2s"})"}) {
    const auto found = lag_findings(queues_of(items), Json::object());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(is_well(found[0])) << found[0].seen;
  }
}

TEST(Findings, NameEachLaggingQueueWithTheReason) {
  const auto found = lag_findings(queues_of(R"(
      {"name":"held","paused":true,"oldest_pending_age":"2h"},
      {"name":"mails","paused":false,"oldest_pending_age":"880s"},
      {"name":"fine","paused":false,"oldest_pending_age":"1s"},
      {"name":"slow","paused":false,"oldest_pending_age":"61s"})"),
                                  queues_of(R"(
      {"status":"online","queues":["slow","fine"]},{"status":"offline","queues":["mails"]})"));
  ASSERT_EQ(found.size(), 3U);
  for (const Finding& finding : found) EXPECT_EQ(finding.verdict, Verdict::warning);
  EXPECT_EQ(found[0].seen, "a task of the queue held waits for 2h; the queue is paused");
  EXPECT_EQ(found[1].seen, "a task of the queue mails waits for 14m 40s, and no worker of it is online");
  EXPECT_NE(found[1].advice.find("pawl worker --queue mails"), std::string::npos) << found[1].advice;
  EXPECT_EQ(found[2].seen, "a task of the queue slow waits for 1m 1s, with 1 of its workers online");
}

TEST(Findings, NameSleepingRunsThatNothingCanWake) {
  const auto run = [](const std::string& body, const std::string& others) {
    return Json::parse(R"({"id":"r1","kind":"code","tasks":[{"node_id":"body","state":"waiting")" + body +
                       "}" + others + "]}");
  };
  const Json stuck = run("", R"(,{"node_id":"a","state":"completed"})");
  EXPECT_TRUE(is_well(sleepers_finding({})));
  EXPECT_TRUE(is_well(sleepers_finding({run(R"(,"awaits":"approved")", ""), run(R"(,"due_at":"2026")", ""),
                                        run("", R"(,{"node_id":"child","state":"waiting"})")})));
  const Finding found = sleepers_finding({run(R"(,"awaits":"approved")", ""), stuck});
  EXPECT_EQ(found.verdict, Verdict::failed);
  EXPECT_EQ(found.seen, "nothing can wake 1 sleeping runs, the first: r1");
  EXPECT_NE(found.advice.find("pawl run terminate r1"), std::string::npos) << found.advice;
}

TEST(Findings, ReportUnreadableTasks) {
  EXPECT_TRUE(is_well(damage_finding("pawl_tasks_set_aside_total 0\n")));
  const Finding damaged = damage_finding("pawl_tasks_set_aside_total 2\n");
  EXPECT_EQ(damaged.verdict, Verdict::failed);
  EXPECT_NE(damaged.advice.find("pawl verify"), std::string::npos);
}

TEST(Findings, ReportParkedRuns) {
  EXPECT_TRUE(is_well(damage_finding("pawl_tasks_set_aside_total 0\npawl_runs_parked_total 0\n")));
  const Finding parked = damage_finding("pawl_tasks_set_aside_total 0\npawl_runs_parked_total 1\n");
  EXPECT_EQ(parked.verdict, Verdict::failed);
  EXPECT_NE(parked.advice.find("pawl run terminate"), std::string::npos);
}

TEST(Findings, ReportLeasesThatExpireTooOften) {
  const std::string well = "# HELP x\npawl_leases_expired_total 19\npawl_tasks_claimed_total 19\n";
  EXPECT_TRUE(is_well(leases_finding(well)));
  EXPECT_TRUE(is_well(leases_finding("pawl_leases_expired_total 50\npawl_tasks_claimed_total 5000\n")));
  const Finding often = leases_finding("pawl_leases_expired_total 50\npawl_tasks_claimed_total 400\n");
  EXPECT_EQ(often.verdict, Verdict::warning);
  EXPECT_EQ(often.seen, "50 expired, while 400 tasks were claimed on this node");
  EXPECT_TRUE(is_well(leases_finding("")));
}

TEST(Findings, ReportAMissingLeaderAndClockSkew) {
  EXPECT_TRUE(is_well(
      nodes_finding(Json::parse(R"({"items":[{"hostname":"a","is_leader":true,"clock_skew_ms":-900}]})"))));
  EXPECT_NE(
      nodes_finding(Json::parse(R"({"items":[{"hostname":"a","is_leader":false}]})")).seen.find("none leads"),
      std::string::npos);
  const Finding skewed = nodes_finding(Json::parse(
      R"({"items":[{"hostname":"a","is_leader":true},{"hostname":"b","clock_skew_ms":-60000}]})"));
  EXPECT_EQ(skewed.seen, "the clock of b is 1m behind the store's");
}

TEST(Findings, ReportAStoreThatGrowsOrCannotBeVacuumed) {
  for (const Finding& finding : store_findings(Json::parse(
           R"({"bytes":5000000,"free_bytes":0,"log_bytes":0,"tables":[],"oldest_transaction":null})")))
    EXPECT_TRUE(is_well(finding)) << finding.seen;
  const auto ill = store_findings(Json::parse(
      R"({"bytes":900000000,"free_bytes":800000000,"log_bytes":0,
          "tables":[{"name":"ready","rows":10,"dead_rows":400000,"bytes":90000000}],
          "oldest_transaction":{"who":"pid 7, ann@shop, idle in transaction","age":"2h"
}
})"));
  ASSERT_EQ(ill.size(), 4U);
  EXPECT_TRUE(is_well(ill[3]));  // the clock
  for (const Finding& finding : {ill[0], ill[1], ill[2]}) {
    EXPECT_EQ(finding.verdict, Verdict::warning);
    EXPECT_FALSE(finding.advice.empty());
  }
  EXPECT_NE(ill[1].seen.find("ready has 400000 dead rows"), std::string::npos);
  EXPECT_NE(ill[2].seen.find("open for 2h: pid 7"), std::string::npos);
  const auto log = store_findings(Json::parse(R"({"bytes":1,"free_bytes":0,"log_bytes":900000000})"));
  EXPECT_NE(log[0].seen.find("write-ahead log"), std::string::npos);
}

TEST(Findings, ReportClockSteps) {
  EXPECT_EQ(clock_finding(Json::parse("{}")).seen, "the store's clock was never set");
  const auto vitals = [](const char* ahead, const char* last) {
    return Json{{"now", "2026-03-02T10:00:00.000000Z"},
                {"clock",
                 {{"steps", 3},
                  {"steps_back", 2},
                  {"largest_step", "1h"},
                  {"ahead", ahead},
                  {"last_step_at", last}}}};
  };
  const Finding ahead = clock_finding(vitals("30m", "2026-02-01T10:00:00.000000Z"));
  EXPECT_EQ(ahead.verdict, Verdict::warning);
  EXPECT_NE(ahead.seen.find("3 times (2 back), at most by 1h"), std::string::npos) << ahead.seen;
  EXPECT_NE(ahead.seen.find("store time is 30m ahead"), std::string::npos) << ahead.seen;
  EXPECT_EQ(clock_finding(vitals("0s", "2026-03-01T12:00:00.000000Z")).verdict, Verdict::warning);
  EXPECT_TRUE(is_well(clock_finding(vitals("0s", "2026-02-01T10:00:00.000000Z"))));
}

}  // namespace
}  // namespace pawl::cli
