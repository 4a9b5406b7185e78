// Schedules through the client, on every kind of address.

#include <atomic>

#include "tests/sdk/fixture.hpp"

namespace pawl::testing {
namespace {

using Scheduled = SdkTest;

std::string code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

TEST_P(Scheduled, TasksAndWorkflowsStartOnTime) {
  std::atomic<int> mails = 0;
  std::atomic<int> reports = 0;
  Worker worker{client, quiet()};
  worker.task("mail", [&](const std::string& to) { mails += to == "ada" ? 1 : 0; });
  worker.workflow("report", [&](Workflow&, const int& number) { reports += number == 7 ? 1 : 0; });
  worker.start();
  (void)client.schedule_task("mails", "mail", "ada", {.every = 1s});
  (void)client.schedule_workflow("reports", "report", 7, {.every = 1s});
  EXPECT_TRUE(eventually([&] { return mails > 0 && reports > 0; }));
}

TEST_P(Scheduled, WorkIsListedPausedAndDeletedByName) {
  const auto made = client.schedule_workflow(
      "nightly", "report", 7, {.cron = "30 2 * * *", .timezone = "Europe/Berlin", .overlap = Overlap::skip});
  EXPECT_EQ(made.workflow, "report");
  EXPECT_EQ(made.cron, "30 2 * * *");
  EXPECT_TRUE(made.next_fire_at);
  (void)client.schedule_task("hourly", "mail", "ada", {.every = 1h});
  const auto all = client.schedules();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "hourly");
  EXPECT_EQ(all[0].task_type, "mail");
  EXPECT_EQ(all[0].every, Duration{1h});
  EXPECT_EQ(all[1].timezone, "Europe/Berlin");
  client.pause_schedule("nightly");
  EXPECT_TRUE(client.schedule("nightly").is_paused);
  EXPECT_FALSE(client.schedule("nightly").next_fire_at);
  client.resume_schedule("nightly");
  EXPECT_FALSE(client.schedule("nightly").is_paused);
  client.delete_schedule("hourly");
  EXPECT_EQ(code_of([&] { (void)client.schedule("hourly"); }), "not_found");
  EXPECT_EQ(client.schedules().size(), 1U);
}

TEST_P(Scheduled, WorkKeepsItsDstRules) {
  const Dst dst{.gap = DstGap::skip, .fold = DstFold::last};
  const auto made =
      client.schedule_task("nightly", "mail", "ada", {.cron = "30 2 * * *", .timezone = "UTC", .dst = dst});
  EXPECT_EQ(made.dst, dst);
  EXPECT_FALSE(made.last_fired_at);
  EXPECT_EQ(client.schedule("nightly").dst, dst);
  EXPECT_EQ(client.schedule_task("hourly", "mail", "ada", {.every = 1h}).dst, Dst{});
}

TEST_P(Scheduled, WorkCanBeTriggered) {
  (void)client.schedule_task("yearly", "mail", "ada", {.cron = "0 0 1 1 *"});
  client.trigger_schedule("yearly");
  std::atomic<int> mails = 0;
  Worker worker{client, quiet()};
  worker.task("mail", [&] { ++mails; });
  worker.start();
  EXPECT_TRUE(eventually([&] { return mails > 0; }));
}

TEST_P(Scheduled, WorkIsRejectedIfInvalid) {
  EXPECT_EQ(code_of([&] { (void)client.schedule_task("s", "mail", 1, {.cron = "every day"}); }),
            "invalid_argument");
  EXPECT_EQ(code_of([&] { (void)client.schedule_task("s", "mail", 1, {}); }), "invalid_argument");
  (void)client.schedule_task("s", "mail", 1, {.every = 1h});
  EXPECT_EQ(code_of([&] { (void)client.schedule_task("s", "mail", 1, {.every = 1h}); }), "conflict");
}

PAWL_ON_EVERY_WAY(Scheduled);

}  // namespace
}  // namespace pawl::testing
