// Another program (psql) enqueues by SQL in its transactions while the server is killed with SIGKILL:
// committed work is executed once, rolled back work never.
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "tests/cli/live_server.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {
namespace {

constexpr int kPsqlKills = 8;

class Functions : public ::testing::Test {
 protected:
  // psql's output, without trailing whitespace.
  std::string psql(const std::string& sql) {
    Program program{
        "/usr/bin/env", {"psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", sql, database.location()}, {}};
    EXPECT_EQ(program.wait(), 0) << program.err();
    std::string said = program.out();
    while (!said.empty() && said.back() == '\n') said.pop_back();
    return said;
  }

  Database database{StoreKind::postgres};
  LiveServer server{"postgres:" + database.location()};
};

TEST_F(Functions, AreExecutedOnceHoweverOftenTheServerIsKilled) {
  constexpr const char* kRounds = R"sql(
    do $$ begin for n in 1..25 loop
      perform pawl.enqueue('kept', to_json(n), key => 'line');
      commit;
      perform pawl.enqueue('undone', to_json(n));
      rollback;
    end loop; end $$)sql";
  for (int kill = 0; kill < kPsqlKills; ++kill) {
    std::thread program{[&] { (void)psql(kRounds); }};
    server.restart();
    program.join();
  }
  ASSERT_TRUE(await([&] { return psql("select count(*) from pawl.inbox") == "0"; }));
  EXPECT_EQ(psql("select count(*) from pawl.tasks"), std::to_string(25 * kPsqlKills));
  EXPECT_EQ(
      psql("select count(*) from pawl.tasks t join pawl.lanes l on l.id = t.lane where l.type = 'undone'"),
      "0");
}

TEST_F(Functions, ReturnTheIdsOfLaterEnqueuesOnTwoServers) {
  LiveServer other{"postgres:" + database.location()};
  constexpr int kKeys = 40;
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = "welcome-" + std::to_string(i);
    const std::string id = psql("select pawl.enqueue('mail', '1', idempotency_key => '" + key + "')");
    EXPECT_EQ((i % 2 == 0 ? server : other).enqueue("mail", {"--idempotency-key", key}), id);
  }
  EXPECT_EQ(psql("select count(*) from pawl.tasks"), std::to_string(kKeys));
}

TEST_F(Functions, ReturnTheIdsOfLaterStartsOnTwoServers) {
  LiveServer other{"postgres:" + database.location()};
  std::ofstream{server.file("w.json")}
      << R"({"name":"w","tasks":[{"id":"a","type":"signal","signal":"go"}]})";
  ASSERT_EQ(server.pawl({"workflow", "apply", server.file("w.json")}).exit_code, 0);
  constexpr int kKeys = 40;
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = "order-" + std::to_string(i);
    const std::string id = psql("select pawl.start_workflow('w', '1', '" + key + "')");
    const Ended started =
        (i % 2 == 0 ? server : other).pawl({"run", "start", "w", "1", "--key", key, "--json"});
    ASSERT_EQ(started.exit_code, 0) << started.err;
    const auto answer = nlohmann::json::parse(started.out);
    EXPECT_EQ(answer.at("created"), false);
    EXPECT_EQ(answer.at("run").at("id"), id);
  }
  EXPECT_EQ(psql("select count(*) from pawl.runs"), std::to_string(kKeys));
}

TEST_F(Functions, ReturnIdsThatTheServerAccepts) {
  const std::string id = psql(R"(select pawl.enqueue('mail', '{"to":  "ada"}', queue => 'slow'))");
  ASSERT_TRUE(await([&] { return psql("select count(*) from pawl.inbox") == "0"; }));
  const auto task = server.show(id);
  EXPECT_EQ(task.at("queue"), "slow");
  EXPECT_EQ(task.at("payload").at("to"), "ada");
}

}  // namespace
}  // namespace pawl::testing
