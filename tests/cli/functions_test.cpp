// Transactions of another program (psql) that enqueue by SQL, while the server is killed with SIGKILL: what
// was committed is done once, what was rolled back never.
#include <thread>

#include <gtest/gtest.h>

#include "tests/cli/live_server.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {
namespace {

constexpr int kPsqlKills = 8;

class Functions : public ::testing::Test {
 protected:
  // What psql says, without blanks at the end.
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

TEST_F(Functions, AreDoneOnceHoweverOftenTheServerIsKilled) {
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

TEST_F(Functions, GiveIdsThatTheServerKnows) {
  const std::string id = psql(R"(select pawl.enqueue('mail', '{"to":  "ada"}', queue => 'slow'))");
  ASSERT_TRUE(await([&] { return psql("select count(*) from pawl.inbox") == "0"; }));
  const auto task = server.show(id);
  EXPECT_EQ(task.at("queue"), "slow");
  EXPECT_EQ(task.at("payload").at("to"), "ada");
}

}  // namespace
}  // namespace pawl::testing
