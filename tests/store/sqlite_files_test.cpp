// Files that are deleted, replaced or damaged under an open store, or between two starts.

#include <filesystem>
#include <fstream>
#include <functional>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/sqlite_fixture.hpp"

namespace pawl::store {
namespace {

namespace fs = std::filesystem;

class SqliteFiles : public SqliteTest {
 protected:
  void expect_write_refused(const std::string& named) {
    std::string why;
    EXPECT_EQ(kind_thrown_by([&] { enqueue(); }, &why), StoreError::Kind::unavailable);
    EXPECT_TRUE(why.starts_with(named + ": ")) << why;
    EXPECT_NE(why.find("writes are refused"), std::string::npos) << why;
  }
  std::size_t count_tasks() {
    return store->list_task_ids({.filter = {.ns = "default"}, .limit = 100'000}).size();
  }
  // Runs the work in a process that ends like a killed one: nothing is closed, and the log stays as it is.
  void in_killed_process(const std::function<void()>& work) {
    store.reset();  // a connection must not be carried over a fork
    const pid_t child = ::fork();
    if (child == 0) {
      store = open();
      work();
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  void delete_log() const {
    fs::remove(path + "-wal");
    fs::remove(path + "-shm");
  }
  void expect_not_opened() {
    std::string why;
    EXPECT_EQ(kind_thrown_by([&] { (void)open(); }, &why), StoreError::Kind::unavailable);
    EXPECT_NE(why.find(path + "-wal was deleted or emptied"), std::string::npos) << why;
  }
};

TEST_F(SqliteFiles, RejectWritesAfterTheDatabaseWasDeleted) {
  enqueue();
  fs::remove(path);
  expect_write_refused(path);
  EXPECT_EQ(count_tasks(), 1U) << "reads go on";
}

TEST_F(SqliteFiles, RejectWritesAfterTheDatabaseWasReplaced) {
  enqueue();
  fs::copy_file(path, path + ".copy");
  fs::rename(path + ".copy", path);
  expect_write_refused(path);
}

TEST_F(SqliteFiles, AcceptWritesAfterTheDatabaseWasRestored) {
  enqueue();
  fs::rename(path, path + ".away");
  expect_write_refused(path);
  fs::rename(path + ".away", path);
  enqueue();
  EXPECT_EQ(count_tasks(), 2U);
}

TEST_F(SqliteFiles, RejectWritesAfterTheLogWasDeletedAndCloseWithoutLoss) {
  enqueue();
  fs::remove(path + "-wal");
  expect_write_refused(path + "-wal");
  store.reset();
  store = open();
  EXPECT_EQ(count_tasks(), 1U);
}

TEST_F(SqliteFiles, RejectWritesAfterTheSharedMemoryWasDeleted) {
  enqueue();
  fs::remove(path + "-shm");
  expect_write_refused(path + "-shm");
}

TEST_F(SqliteFiles, RejectNewLanesAfterTheDatabaseWasDeleted) {
  fs::remove(path);
  EXPECT_EQ(kind_thrown_by([&] { (void)lane("mail", "new"); }), StoreError::Kind::unavailable);
}

TEST_F(SqliteFiles, AreNotOpenedIfTheLogWasDeletedAfterAKill) {
  in_killed_process([&] { enqueue(); });
  delete_log();
  expect_not_opened();
  expect_not_opened();         // while it is missing
  fs::remove(path + "-mark");  // as the message advises
  store = open();
  EXPECT_EQ(count_tasks(), 0U);
}

TEST_F(SqliteFiles, AreNotOpenedIfTheLogWasTruncated) {
  in_killed_process([&] { enqueue(); });
  fs::resize_file(path + "-wal", 0);
  fs::remove(path + "-shm");
  expect_not_opened();
}

// A checkpoint runs in between: the commits after it are lost nevertheless.
TEST_F(SqliteFiles, AreNotOpenedIfTheLogWasDeletedAfterACheckpoint) {
  in_killed_process([&] {
    const std::string payload = "\"" + std::string(200'000, 'x') + "\"";
    for (int i = 0; i < 100; ++i) enqueue({.payload = {payload}});  // 50 pages each; a checkpoint every 1,000
    while (fs::file_size(path) < 2'000'000) ::usleep(1'000);
    for (int i = 0; i < 20; ++i) {
      ::usleep(10'000);  // the checkpoint ends
      enqueue();
    }
  });
  delete_log();
  expect_not_opened();
}

TEST_F(SqliteFiles, AreOpenedAfterAnotherProgramCheckpointedTheLog) {
  in_killed_process([&] { enqueue(); });
  execute(path, "pragma wal_checkpoint(truncate)");  // closing then removes it
  ASSERT_FALSE(fs::exists(path + "-wal"));
  store = open();
  EXPECT_EQ(count_tasks(), 1U);
}

TEST_F(SqliteFiles, CopiedTogetherCanBeOpened) {
  in_killed_process([&] { enqueue(); });
  const std::string copy = folder.file("copy.db");
  for (const auto* part : {"", "-wal", "-mark"}) fs::copy_file(path + part, copy + part);
  path = copy;
  store = open();
  EXPECT_EQ(count_tasks(), 1U);
}

TEST_F(SqliteFiles, ReplacedByABackupCanBeOpened) {
  enqueue();
  const std::string backup = folder.file("backup.db");
  backup_sqlite(path, backup);
  in_killed_process([&] { enqueue(); });
  delete_log();
  fs::rename(backup, path);
  store = open();
  EXPECT_EQ(count_tasks(), 1U);
  enqueue();
  in_killed_process([&] { enqueue(); });  // from then on it is monitored like any other
  delete_log();
  expect_not_opened();
}

}  // namespace
}  // namespace pawl::store
