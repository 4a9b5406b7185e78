// New files of a store are readable by their owner only, whatever the umask allows.

#include <filesystem>

#include <sys/stat.h>

#include "tests/store/sqlite_fixture.hpp"

namespace pawl::store {
namespace {

namespace fs = std::filesystem;

class SqliteFileModes : public SqliteTest {
 protected:
  void SetUp() override {
    umask_ = ::umask(022);
    store.reset();
    for (const auto& entry : fs::directory_iterator{folder()}) fs::remove(entry);
    store = open();
    enqueue();
  }
  void TearDown() override { ::umask(umask_); }

  [[nodiscard]] fs::path folder() const { return fs::path{path}.parent_path(); }
  void expect_private_files() const {
    for (const auto& entry : fs::directory_iterator{folder()}) {
      EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write) << entry.path();
    }
  }

 private:
  mode_t umask_ = 0;
};

TEST_F(SqliteFileModes, OfNewFilesAllowOnlyTheOwner) {
  EXPECT_TRUE(fs::exists(path + "-wal"));
  EXPECT_TRUE(fs::exists(path + "-turn"));
  expect_private_files();
}

TEST_F(SqliteFileModes, OfBackupsAllowOnlyTheOwner) {
  backup_sqlite(path, path + ".backup");
  EXPECT_TRUE(fs::exists(path + ".backup"));
  expect_private_files();
}

TEST_F(SqliteFileModes, OfExistingFilesAreKept) {
  store.reset();
  fs::permissions(path, fs::perms::group_read, fs::perm_options::add);
  store = open();
  EXPECT_EQ(fs::status(path).permissions() & fs::perms::group_read, fs::perms::group_read);
}

}  // namespace
}  // namespace pawl::store
