// The program itself, without a server.
#include "tests/cli/program.hpp"

#include <gtest/gtest.h>

#include "tests/support/stores.hpp"

namespace pawl::testing {
namespace {

TEST(PawlProgram, ShowsItsVersionAndItsHelp) {
  EXPECT_TRUE(run_pawl({"--version"}).out.starts_with("pawl "));
  EXPECT_EQ(run_pawl({"task", "enqueue", "--help"}).exit_code, 0);
}

TEST(PawlProgram, WrongUsageIsExitCodeTwoOnStderr) {
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

TEST(PawlProgram, MigratesAStoreAndShowsWhatIsApplied) {
  const TemporaryFolder folder;
  const auto store = "sqlite:" + folder.path() + "/pawl.db";
  EXPECT_EQ(run_pawl({"migrate", "--store", store}).exit_code, 0);
  const auto status = run_pawl({"migrate", "--store", store, "--status"});
  EXPECT_NE(status.out.find("tasks"), std::string::npos);
  EXPECT_EQ(status.out.find("pending"), std::string::npos);
  EXPECT_EQ(run_pawl({"migrate", "--store", "sqlite:/no/such/folder/x.db"}).exit_code, 3);
}

TEST(PawlProgram, ShowsTheConfigurationAndWhereItCameFrom) {
  const auto ended =
      run_pawl({"serve", "--print-config", "--set", "log.level=debug"}, {{"PAWL_LEADER_TTL", "7s"}});
  EXPECT_NE(ended.out.find("# --set"), std::string::npos);
  EXPECT_NE(ended.out.find("# PAWL_LEADER_TTL"), std::string::npos);
  EXPECT_EQ(run_pawl({"serve", "--set", "lgo.level=debug"}).exit_code, 2);
}

TEST(PawlProgram, WarnsOfAVariableThatNothingReadsInEveryCommandButTheScripts) {
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

TEST(PawlProgram, ABenchOfAStoreThatIsNotThereSaysSo) {
  const auto ended = run_pawl({"bench", "steps", "--store", "postgres:host=/nowhere/at/all", "--json"});
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_NE(ended.err.find("/nowhere/at/all"), std::string::npos) << ended.err;
}

TEST(PawlProgram, AWorkerNeedsAHandler) {
  EXPECT_EQ(run_pawl({"worker"}).exit_code, 2);
  EXPECT_EQ(run_pawl({"worker", "--handle", "no rule"}).exit_code, 2);
}

}  // namespace
}  // namespace pawl::testing
