// The pawl program without a server.
#include "tests/cli/program.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/scripted_server.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {
namespace {

TEST(PawlProgram, ShowsItsVersionAndItsHelp) {
  EXPECT_TRUE(run_pawl({"--version"}).out.starts_with("pawl "));
  EXPECT_EQ(run_pawl({"task", "enqueue", "--help"}).exit_code, 0);
}

TEST(PawlProgram, ReportsWrongUsageOnStderrWithExitCodeTwo) {
  const auto ended = run_pawl({"taks", "list"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("did you mean 'task'?"), std::string::npos);
}

TEST(PawlProgram, CompletesCommandsInBash) {
  const TemporaryFolder folder;
  const auto script = run_pawl({"completion", "bash"}).out;
  EXPECT_NE(script.find("'task') words='enqueue list show retry cancel dead --help'"), std::string::npos)
      << script;
  EXPECT_NE(run_pawl({"completion", "zsh"}).out.find("#compdef pawl"), std::string::npos);
  EXPECT_NE(run_pawl({"completion", "fish"}).out.find("complete -c pawl"), std::string::npos);
}

TEST(PawlProgram, MigratesAStoreAndShowsTheAppliedMigrations) {
  const TemporaryFolder folder;
  const auto store = "sqlite:" + folder.path() + "/pawl.db";
  EXPECT_EQ(run_pawl({"migrate", "--store", store}).exit_code, 0);
  const auto status = run_pawl({"migrate", "--store", store, "--status"});
  EXPECT_NE(status.out.find("tasks"), std::string::npos);
  EXPECT_EQ(status.out.find("pending"), std::string::npos);
  EXPECT_EQ(run_pawl({"migrate", "--store", "sqlite:/no/such/folder/x.db"}).exit_code, 3);
}

TEST(PawlProgram, ShowsTheConfigurationWithItsOrigins) {
  const auto ended =
      run_pawl({"serve", "--print-config", "--set", "log.level=debug"}, {{"PAWL_LEADER_TTL", "7s"}});
  EXPECT_NE(ended.out.find("# --set"), std::string::npos);
  EXPECT_NE(ended.out.find("# PAWL_LEADER_TTL"), std::string::npos);
  EXPECT_EQ(run_pawl({"serve", "--set", "lgo.level=debug"}).exit_code, 2);
}

TEST(PawlProgram, RejectsAConfigurationThatAServerWouldReject) {
  for (const auto* set : {"leader.ttl=0s", "lease.default=1ms", "store=mysql:x"}) {
    const auto ended = run_pawl({"serve", "--print-config", "--set", set});
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_EQ(ended.out, "");
  }
}

TEST(PawlProgram, ShowsNoPasswordOfAStoreThatItCannotUse) {
  for (const auto* store :
       {"postgre://bob:secret@h/x", "postgres://bob:secret%zz@h/x", "postgres://bob:secret@[::1/x"}) {
    for (const auto* command : {"serve", "migrate", "verify"}) {
      const auto ended = run_pawl({command, "--store", store});
      EXPECT_NE(ended.exit_code, 0);
      EXPECT_NE(ended.err, "");
      EXPECT_EQ(ended.err.find("secret"), std::string::npos) << ended.err;
    }
  }
}

TEST(PawlProgram, ReportsAFileThatIsNotADatabase) {
  const TemporaryFolder folder;
  const auto file = folder.path() + "/notes.txt";
  std::ofstream{file} << "Buy milk, and then some more of it.\n";
  for (const auto* command : {"serve", "migrate", "verify"}) {
    const auto ended = run_pawl({command, "--store", "sqlite:" + file});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_NE(ended.err.find(": " + file + " is not a SQLite database\n"), std::string::npos) << ended.err;
  }
}

TEST(PawlProgram, ShowsAWorkflowAsADrawingOrAsJson) {
  const auto both = run_pawl({"workflow", "show", "w", "--graph", "--json"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.err.find("exclude each other"), std::string::npos) << both.err;
}

// Exit code 3 is only for a server that cannot be reached, not for any response.
TEST(PawlProgram, ExitsWithOneForAServerThatIsNotReady) {
  const std::string body = R"({"status":503,"code":"unavailable","detail":"the store is away"})";
  const auto at = [](const ScriptedServer& server) {
    return Variables{{"PAWL_ADDRESS", "http://127.0.0.1:" + server.port()}};
  };
  ScriptedServer once{{{response(503, body)}}};
  EXPECT_EQ(run_pawl({"task", "list"}, at(once)).exit_code, 1);
  using Words = std::vector<std::string>;
  for (const auto& words : {Words{"verify"}, Words{"admin", "retention"}}) {
    ScriptedServer unready{{{response(503, body)}, {response(200, "{}")}}};
    const auto refused = run_pawl(words, at(unready));
    EXPECT_EQ(refused.exit_code, 1) << refused.err;
    EXPECT_NE(refused.err.find("the store is away"), std::string::npos) << refused.err;
    EXPECT_EQ(run_pawl(words, {{"PAWL_ADDRESS", "http://127.0.0.1:1"}}).exit_code, 3);
  }
}

TEST(PawlProgram, WarnsAboutAnUnusedVariableInEveryCommandExceptScripts) {
  const Variables mistyped{{"PAWL_TIMEZONE", "x"}, {"PAWL_ADRESS", "x"}, {"PAWL_TEST_X", "x"}};
  const auto next = run_pawl({"schedule", "next", "@daily"}, mistyped);
  EXPECT_EQ(next.exit_code, 0);
  EXPECT_NE(next.err.find("PAWL_ADRESS; did you mean 'PAWL_ADDRESS'?"), std::string::npos) << next.err;
  EXPECT_NE(next.err.find("PAWL_TIMEZONE"), std::string::npos) << next.err;
  EXPECT_EQ(next.err.find("PAWL_TEST_X"), std::string::npos) << next.err;
  EXPECT_EQ(run_pawl({"completion", "bash"}, mistyped).err, "");
  EXPECT_EQ(run_pawl({"task", "list", "--help"}, mistyped).err, "");
}

TEST(PawlProgram, NamesTheMetricsOfStepsAsDocumented) {
  const auto ended =
      run_pawl({"bench", "steps", "--store", "memory:", "--seconds", "0.1", "--workers", "2", "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find(R"("metric":"steps","store":"memory")"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find(R"("metric":"workflow_p50","store":"memory")"), std::string::npos) << ended.out;
}

TEST(PawlProgram, ReportsAMissingStoreInABench) {
  const auto ended = run_pawl({"bench", "steps", "--store", "postgres:host=/nowhere/at/all", "--json"});
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_NE(ended.err.find("/nowhere/at/all"), std::string::npos) << ended.err;
}

TEST(PawlProgram, RejectsAWorkerWithoutAHandler) {
  EXPECT_EQ(run_pawl({"worker"}).exit_code, 2);
  EXPECT_EQ(run_pawl({"worker", "--handle", "no rule"}).exit_code, 2);
}

}  // namespace
}  // namespace pawl::testing
