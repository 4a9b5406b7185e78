// Backup of a store under load: the copy is complete, consistent, and usable to start a server.
#include <atomic>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "tests/cli/live_server.hpp"
#include "tests/places/places.hpp"

namespace pawl::testing {
namespace {

class Backup : public ::testing::Test {
 protected:
  std::string store() const { return "sqlite:" + server.file("pawl.db"); }
  Ended backup(const std::string& file) { return server.pawl({"backup", "--store", store(), file}); }

  LiveServer server;
};

TEST_F(Backup, OfABusyStoreHasEverythingAcknowledgedBefore) {
  std::vector<std::string> before;
  for (int i = 0; i < 15; ++i) before.push_back(server.enqueue("t"));
  Program worker{{"worker", "--handle", "t=echo 1"}, server.variables()};
  std::atomic<bool> is_over = false;
  std::thread others{[&] {
    while (!is_over) (void)server.enqueue("t");
  }};
  const std::string copy = server.file("copy.db");
  const Ended done = backup(copy);
  is_over = true;
  others.join();
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(done.out.find("holds the store as it was"), std::string::npos) << done.out;
  EXPECT_FALSE(std::filesystem::exists(copy + ".unfinished"));

  const Ended verified = server.pawl({"verify", "--store", "sqlite:" + copy});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
  LiveServer restored{"sqlite:" + copy};
  for (const std::string& id : before) EXPECT_EQ(restored.show(id)["id"], id);
  Program again{{"worker", "--handle", "t=echo 1"}, restored.variables()};
  for (const std::string& id : before) (void)restored.await_status(id, "completed");
}

TEST_F(Backup, NeverOverwritesAFile) {
  const std::string copy = server.file("copy.db");
  ASSERT_EQ(backup(copy).exit_code, 0);
  const Ended again = backup(copy);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("exists already"), std::string::npos) << again.err;
}

TEST_F(Backup, OfPostgresIsRejectedWithTheToolsToUse) {
  const Ended refused =
      server.pawl({"backup", "--store", "postgres://nobody@127.0.0.1:1/none", server.file("copy.db")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("pg_dump"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("pg_basebackup"), std::string::npos) << refused.err;
}

TEST_F(Backup, OfAMissingStoreFailsWithItsPath) {
  const Ended refused =
      server.pawl({"backup", "--store", "sqlite:" + server.file("none.db"), server.file("copy.db")});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.err.find("none.db"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(server.file("copy.db")));
}

TEST_F(Backup, RequiresAWritableFolder) {
  for (const auto* name : {"none/copy.db", "pawl.db/copy.db"}) {
    const Ended refused = backup(server.file(name));
    EXPECT_EQ(refused.exit_code, 1) << refused.err;
    EXPECT_NE(refused.err.find("cannot write into the folder"), std::string::npos) << refused.err;
  }
}

// A file size limit simulates a full disk.
TEST_F(Backup, LeavesNoFileOnAFullDisk) {
  const std::string copy = server.file("copy.db");
  Program limited{"/bin/sh",
                  {"-c", R"(trap '' XFSZ; ulimit -f 8; exec "$0" backup --store "$1" "$2")", pawl_binary(),
                   store(), copy},
                  {}};
  EXPECT_EQ(limited.wait(), 1) << limited.err();
  EXPECT_NE(limited.err().find("copy.db was not made"), std::string::npos) << limited.err();
  EXPECT_FALSE(std::filesystem::exists(copy));
  EXPECT_FALSE(std::filesystem::exists(copy + ".unfinished"));
}

}  // namespace
}  // namespace pawl::testing
