#include "cli/file_modes.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/cli/program.hpp"
#include "tests/support/stores.hpp"

namespace pawl::cli {
namespace {

TEST(FileModes, OfAPrivateStoreAreAccepted) {
  const auto finding = files_finding({{"/d/pawl.db", 0600}, {"/d/pawl.db-turn", 0400}, {"/d", 0755, true}});
  EXPECT_EQ(finding.verdict, Verdict::ok);
  EXPECT_TRUE(finding.advice.empty());
}

TEST(FileModes, AllowingAccessByOtherUsersAreReportedWithAdvice) {
  const auto finding = files_finding(
      {{"/d/pawl.db", 0644}, {"/d/pawl.db-wal", 0600}, {"/d/pawl.db-turn", 0640}, {"/d", 01777, true}});
  EXPECT_EQ(finding.verdict, Verdict::warning);
  EXPECT_EQ(finding.seen,
            "other users can open or replace them: /d/pawl.db has mode 0644, /d/pawl.db-turn has mode 0640, "
            "/d has mode 1777");
  EXPECT_EQ(finding.advice, "chmod 600 /d/pawl.db; chmod 600 /d/pawl.db-turn; chmod go-w /d");
}

TEST(FileModes, AreReadFromExistingFiles) {
  const testing::TemporaryFolder folder;
  const std::string database = folder.path() + "/pawl.db";
  for (const char* suffix : {"", "-turn"}) std::ofstream{database + suffix} << "x";
  chmod(database.c_str(), 0644);
  chmod((database + "-turn").c_str(), 0666);
  const auto files = store_file_modes(database);
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].mode, 0644U);
  EXPECT_EQ(files[1].path, database + "-turn");
  EXPECT_EQ(files[1].mode, 0666U);
  EXPECT_TRUE(files[2].is_folder);
  EXPECT_EQ(files[2].path, folder.path());
}

TEST(FileModes, OfAnOldStoreCauseAWarningOfTheDoctor) {
  const testing::TemporaryFolder folder;
  const std::string database = folder.path() + "/pawl.db";
  ASSERT_EQ(testing::run_pawl({"migrate", "--store", "sqlite:" + database}).exit_code, 0);
  const auto seen = [&] {
    return testing::run_pawl({"doctor", "--store", "sqlite:" + database, "--address", "http://127.0.0.1:1"})
        .out;
  };
  EXPECT_EQ(seen().find("pawl.db has mode"), std::string::npos) << seen();
  chmod(database.c_str(), 0644);
  EXPECT_NE(seen().find(database + " has mode 0644"), std::string::npos) << seen();
}

}  // namespace
}  // namespace pawl::cli
