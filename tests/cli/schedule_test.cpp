// Schedules from the command line: the real program against a real server.
#include <gtest/gtest.h>

#include "tests/cli/live_server.hpp"

namespace pawl::testing {
namespace {

using Json = nlohmann::json;

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    lines.push_back(Json::parse(text.substr(from, to - from)));
    from = to + 1;
  }
  return lines;
}

TEST(Schedule, FiresATaskAndListsTheFiring) {
  LiveServer server;
  const Ended made =
      server.pawl({"schedule", "create", "tick", "--every", "1s", "--task", "report", "--input", "[1]"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(made.out.starts_with("tick  fires in")) << made.out;
  ASSERT_TRUE(await([&] { return !lines_of(server.pawl({"task", "list", "--json"}).out).empty(); }));
  const Json task = lines_of(server.pawl({"task", "list", "--json"}).out).at(0);
  EXPECT_EQ(task["type"], "report");
  EXPECT_EQ(task["payload"], Json::parse("[1]"));
  EXPECT_EQ(task["labels"]["schedule"], "tick");
  const std::string shown = server.pawl({"schedule", "show", "tick"}).out;
  EXPECT_NE(shown.find("every 1s"), std::string::npos) << shown;
  ASSERT_TRUE(await([&] {
    return server.pawl({"schedule", "show", "tick"}).out.find("fired") != std::string::npos;
  }));
}

TEST(Schedule, ContinuesAfterAKill) {
  LiveServer server;
  ASSERT_EQ(server.pawl({"schedule", "create", "tick", "--every", "1s", "--task", "report"}).exit_code, 0);
  const auto tasks = [&] { return lines_of(server.pawl({"task", "list", "--json"}).out); };
  ASSERT_TRUE(await([&] { return !tasks().empty(); }));
  server.restart();
  const std::size_t before = tasks().size();
  ASSERT_TRUE(await([&] { return tasks().size() > before; }));
  const auto all = tasks();
  std::vector<std::string> keys;
  for (const Json& task : all) keys.push_back(task["idempotency_key"]);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end()) << "a slot fired twice";
}

TEST(Schedule, ShowsItsDstRules) {
  LiveServer server;
  const Ended made = server.pawl({"schedule", "create", "nightly", "--cron", "30 2 * * *", "--timezone",
                                  "Europe/Berlin", "--dst-gap", "skip", "--dst-fold", "both", "--task", "t"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string shown = server.pawl({"schedule", "show", "nightly"}).out;
  EXPECT_NE(shown.find("gap skip, fold both"), std::string::npos) << shown;
  const Ended dry = server.pawl({"schedule", "backfill", "nightly", "--from", "2025-10-25T12:00:00Z", "--to",
                                 "2025-10-26T12:00:00Z", "--dry-run"});
  EXPECT_EQ(dry.out,
            "2025-10-26T00:30:00.000000Z\n2025-10-26T01:30:00.000000Z\n2 slots; nothing was fired\n");
  EXPECT_NE(server.pawl({"schedule", "next", "30 2 * * *", "--dst-gap", "sideways"}).exit_code, 0);
}

TEST(Schedule, IsPausedTriggeredBackfilledAndDeleted) {
  LiveServer server;
  ASSERT_EQ(server
                .pawl({"schedule", "create", "nightly", "--cron", "0 3 * * *", "--timezone", "Europe/Berlin",
                       "--task", "report", "--paused"})
                .exit_code,
            0);
  EXPECT_NE(server.pawl({"schedule", "list"}).out.find("paused"), std::string::npos);
  EXPECT_TRUE(server.pawl({"schedule", "resume", "nightly"}).out.starts_with("nightly  fires in"));
  EXPECT_EQ(server.pawl({"schedule", "pause", "nightly"}).out, "nightly  paused\n");
  EXPECT_EQ(server.pawl({"schedule", "trigger", "nightly"}).exit_code, 0);
  ASSERT_TRUE(await([&] { return lines_of(server.pawl({"task", "list", "--json"}).out).size() == 1; }));
  const Ended dry = server.pawl({"schedule", "backfill", "nightly", "--from", "2026-03-28T00:00:00Z", "--to",
                                 "2026-03-31T00:00:00Z", "--dry-run"});
  EXPECT_EQ(dry.out,
            "2026-03-28T02:00:00.000000Z\n2026-03-29T01:00:00.000000Z\n2026-03-30T01:00:00.000000Z\n"
            "3 slots; nothing was fired\n");
  EXPECT_EQ(server.pawl({"schedule", "delete", "nightly"}).out, "nightly is deleted\n");
  EXPECT_EQ(server.pawl({"schedule", "show", "nightly"}).exit_code, 1);
}

TEST(Schedule, IsRejectedByField) {
  LiveServer server;
  const Ended refused = server.pawl({"schedule", "create", "s", "--cron", "0 0 30 2 *", "--task", "t"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("cron: matches no date that ever occurs"), std::string::npos) << refused.err;
  EXPECT_EQ(server.pawl({"schedule", "create", "s", "--every", "1s"}).exit_code, 2);
  EXPECT_EQ(server.pawl({"schedule", "create", "s", "--workflow", "d"}).exit_code, 2);
}

TEST(Schedule, ShowsTheNextTimesWithoutAServer) {
  const Ended next =
      run_pawl({"schedule", "next", "0 0 29 2 *", "--timezone", "Asia/Tokyo", "--count", "2", "--json"});
  ASSERT_EQ(next.exit_code, 0) << next.err;
  const auto times = lines_of(next.out);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].get<std::string>().substr(4), "-02-28T15:00:00.000000Z");
  EXPECT_EQ(run_pawl({"schedule", "next", "@daily", "--count", "0"}).exit_code, 2);
  const Ended wrong = run_pawl({"schedule", "next", "61 * * * *"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("the minute \"61\" is not 0 to 59"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace pawl::testing
