// Opening a store: creation, migration, refusals, and a full disk.

#include <fstream>

#include <fcntl.h>
#include <unistd.h>

#include "tests/store/sqlite_fixture.hpp"

namespace pawl::store {
namespace {

using ::testing::Test;

class SqliteOpen : public Test {
 protected:
  std::unique_ptr<Store> open(const std::string& path, std::optional<std::int64_t> max_page_count = {}) {
    return open_sqlite({.path = path, .clock = &clock, .random = &random, .max_page_count = max_page_count});
  }

  void expect_refused(const std::string& path, StoreError::Kind kind, const std::string& reason) {
    std::string message;
    EXPECT_EQ(kind_thrown_by([&] { (void)open(path); }, &message), kind);
    EXPECT_NE(message.find(reason), std::string::npos) << message;
  }

  TempFolder folder;
  StillClock clock;
  CountingRandom random;
};

TEST_F(SqliteOpen, CreatesAndMigratesTheFileOnce) {
  const std::string path = folder.file("new.db");
  (void)open(path);
  const auto first = sqlite_migration_status(path);
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(first[0].version, 1);
  EXPECT_EQ(first[0].applied_at, clock.now());
  clock.advance(1h);
  (void)open(path);
  EXPECT_EQ(sqlite_migration_status(path)[0].applied_at, first[0].applied_at);
}

TEST_F(SqliteOpen, RejectsAFolderThatDoesNotExist) {
  const std::string path = folder.file("no/such/folder.db");
  expect_refused(path, StoreError::Kind::unavailable, path);
}

TEST_F(SqliteOpen, RejectsAFileThatIsNotADatabase) {
  const std::string path = folder.file("letter.txt");
  std::ofstream{path} << std::string(5000, 'x');
  expect_refused(path, StoreError::Kind::internal, path);
  expect_refused(path, StoreError::Kind::internal, "not a SQLite database");
}

TEST_F(SqliteOpen, ReportsAFailureWithoutSqlTerms) {
  const std::string path = folder.file("letter.txt");
  std::ofstream{path} << std::string(5000, 'x');
  std::string message;
  (void)kind_thrown_by([&] { (void)open(path); }, &message);
  EXPECT_TRUE(message.starts_with(path + ": the file is not a SQLite database while opening it")) << message;
  EXPECT_EQ(message.find("pragma"), std::string::npos) << message;
}

TEST_F(SqliteOpen, ReportsThatAnotherProcessHoldsTheWriteLockAndGivesUp) {
  const std::string path = folder.file("held.db");
  execute(path, "pragma journal_mode = wal; create table other (a)");
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "begin immediate", nullptr, nullptr, nullptr), SQLITE_OK);
  std::vector<std::string> notices;
  const MigrationWait wait{.notice = [&](const std::string& line) { notices.push_back(line); },
                           .notice_after = 20ms,
                           .longest = 100ms};
  std::string message;
  const auto open_it = [&] {
    (void)open_sqlite({.path = path, .clock = &clock, .random = &random, .migration = wait});
  };
  EXPECT_EQ(kind_thrown_by(open_it, &message), StoreError::Kind::unavailable);
  EXPECT_TRUE(message.starts_with(path + ": another process has held the write lock for 100ms")) << message;
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_TRUE(notices[0].starts_with(path + ": waiting for another process")) << notices[0];
  sqlite3_close(other);
  open_it();
}

TEST_F(SqliteOpen, RejectsAReadOnlyFile) {
  const std::string path = folder.file("mine.db");
  (void)open(path);
  std::filesystem::permissions(folder.file(""), std::filesystem::perms::all);
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  const uid_t self = ::geteuid();
  constexpr uid_t kNobody = 65534;
  if (self == 0) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }  // root may write everything
  expect_refused(path, StoreError::Kind::unavailable, path + ": the database file is read-only");
  if (self == 0) {
    ASSERT_EQ(::seteuid(self), 0);
  }
}

TEST_F(SqliteOpen, RejectsANewerSchema) {
  const std::string path = folder.file("newer.db");
  (void)open(path);
  execute(path, "insert into schema_migrations values (99, 'from_the_future', 'x', 0)");
  expect_refused(path, StoreError::Kind::schema, "newer pawl");
  EXPECT_EQ(kind_thrown_by([&] { (void)sqlite_migration_status(path); }), StoreError::Kind::schema);
}

TEST_F(SqliteOpen, RejectsAnEditedMigration) {
  const std::string path = folder.file("edited.db");
  (void)open(path);
  execute(path, "update schema_migrations set checksum = 'edited'");
  expect_refused(path, StoreError::Kind::schema, "other content");
}

TEST_F(SqliteOpen, ReportsAllMigrationsOfAnEmptyFileAsPending) {
  const std::string path = folder.file("empty.db");
  std::ofstream{path}.flush();
  ASSERT_FALSE(sqlite_migration_status(path).empty());
  EXPECT_FALSE(sqlite_migration_status(path)[0].applied_at);
}

TEST_F(SqliteOpen, ReportsADamagedDatabase) {
  const std::string path = folder.file("damaged.db");
  (void)open(path);
  const int file = ::open(path.c_str(), O_WRONLY);
  const std::string rubbish(4000, 'x');
  ASSERT_EQ(::pwrite(file, rubbish.data(), rubbish.size(), 4096), static_cast<ssize_t>(rubbish.size()));
  ::close(file);
  std::string message;
  const auto kind = kind_thrown_by(
      [&] {
        const auto store = open(path);
        for (const char* name : {"a", "b"}) {
          const LaneKey key{.ns = "default", .queue = name, .type = "t"};
          (void)store->intern_lanes({&key, 1});
        }
        (void)store->list_queues("default");
      },
      &message);
  EXPECT_EQ(kind, StoreError::Kind::internal) << message;
  EXPECT_NE(message.find(path), std::string::npos) << message;
}

class SqliteFullDisk : public SqliteTest {};

TEST_F(SqliteFullDisk, RollsBackTheGroupAndRecoversWhenThereIsRoom) {
  const auto before = enqueue();
  store.reset();
  store = open(100);
  std::vector<core::TaskRecord> records;
  WriteSet writes;
  for (int i = 0; i < 200; ++i)
    records.push_back(new_task({.payload = {"\"" + std::string(5000, 'x') + "\""}}));
  for (const auto& record : records) writes.tasks.push_back(added(record));

  std::string message;
  EXPECT_EQ(kind_thrown_by([&] { store->begin()->commit(writes); }, &message), StoreError::Kind::unavailable);
  EXPECT_NE(message.find("disk is full"), std::string::npos) << message;
  EXPECT_EQ(store->list_task_ids({.filter = {.ns = "default"}}).size(), 1U);

  auto held = claim(1).front();  // small writes still fit, so that work under way can end
  EXPECT_EQ(held.id, before.id);
  complete(held);
  store.reset();
  store = open();
  for (auto& record : records) record.lane = &lane();
  store->begin()->commit(writes);
  EXPECT_EQ(store->list_task_ids({.filter = {.ns = "default"}, .limit = 500}).size(), 201U);
}

}  // namespace
}  // namespace pawl::store
