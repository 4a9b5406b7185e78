// Several stores on one file: with threads in one process, and in other processes by fork. No caller sees a
// busy database, no task is claimed twice, and each store sees the lanes and commits of the others.

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/sqlite_fixture.hpp"

namespace pawl::store {
namespace {

using SqliteProcesses = SqliteTest;

TEST_F(SqliteProcesses, LoadEachOthersLanes) {
  const auto other = open();
  const core::Lane& made = lane("mail", "new");
  const auto record = enqueue({.type = "new", .queue = "mail"});
  EXPECT_EQ(other->find_task(record.id)->record.lane->type, "new");  // a read registers the new lane
  enqueue({.type = "newer", .queue = "mail"});
  (void)other->begin();  // and so does a transaction
  const auto lanes = other->lanes_of({.ns = "default", .name = "mail"});
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(lanes[0]->id, made.id);
  const LaneKey same{.ns = "default", .queue = "mail", .type = "newer"};
  EXPECT_EQ(other->intern_lanes({&same, 1}).front(), lanes[1]);
}

TEST_F(SqliteProcesses, DetectForeignCommitsAndNotTheirOwn) {
  const auto other = open();
  (void)other->may_have_changed();
  EXPECT_FALSE(other->may_have_changed());
  enqueue();
  EXPECT_TRUE(other->may_have_changed());
  EXPECT_FALSE(other->may_have_changed());
  enqueue();
  EXPECT_EQ(claim_from(*other, {other->lanes_of({"default", "default"}).front()}, 2).size(), 2U);
  EXPECT_TRUE(other->may_have_changed());  // seen by the claim's transaction, and reported once more
  EXPECT_FALSE(other->may_have_changed());
}

TEST_F(SqliteProcesses, DetectNoForeignCommitDuringTheirOwnTransaction) {
  (void)store->may_have_changed();
  const auto transaction = store->begin();
  EXPECT_FALSE(store->may_have_changed());
}

// B60: several writers, a reader that stays on its snapshot, and checkpoints in between.
TEST_F(SqliteProcesses, ClaimDisjointTasksAndNeverSeeABusyDatabase) {
  constexpr int kStores = 8;
  constexpr std::size_t kEach = 50;
  (void)lane();
  TaskPage all{.filter = {.ns = "default"}, .limit = 10'000};
  const auto reader = open();
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < kStores; ++i) stores.push_back(open());

  std::vector<std::vector<core::TaskId>> claimed(kStores);
  std::atomic<bool> is_over = false;
  std::thread long_reader([&] {
    while (!is_over) EXPECT_LE(reader->list_tasks(all).size(), kStores * kEach);
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < kStores; ++i) {
    threads.emplace_back([&, i] {
      Store& own = *stores[static_cast<std::size_t>(i)];
      CountingRandom chance{static_cast<std::uint64_t>(i) << 40U};
      core::IdGenerator generator{chance};
      const core::Lane* lane_here = own.lanes_of({"default", "default"}).front();
      for (std::size_t n = 0; n < kEach; ++n) {
        const auto record = core::new_task(core::TaskId{generator.next(clock.now())}, *lane_here,
                                           {.type = "t", .payload = {"\"" + std::string(2000, 'x') + "\""}},
                                           clock.now(), true);
        own.begin()->commit({.tasks = {added(record)}});
        for (const auto& taken : claim_from(own, {lane_here}, 2)) {
          claimed[static_cast<std::size_t>(i)].push_back(taken.id);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  long_reader.join();

  std::set<core::TaskId> distinct;
  std::size_t count = 0;
  for (const auto& ids_of_one : claimed) {
    distinct.insert(ids_of_one.begin(), ids_of_one.end());
    count += ids_of_one.size();
  }
  for (const auto& rest : claim(1000)) distinct.insert(rest.id), ++count;
  EXPECT_EQ(count, kStores * kEach);
  EXPECT_EQ(distinct.size(), kStores * kEach);
  EXPECT_EQ(store->list_task_ids(all).size(), kStores * kEach);
}

TEST_F(SqliteProcesses, OpeningANewFileConcurrentlyAllSucceed) {
  const std::string fresh = folder.file("fresh.db");
  std::atomic<int> opened = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      CountingRandom chance{static_cast<std::uint64_t>(i)};
      if (open_sqlite({.path = fresh, .clock = &clock, .random = &chance})) ++opened;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(opened, 8);
}

// An open snapshot pins the log: it may grow meanwhile, and is truncated once the snapshot is released.
TEST_F(SqliteProcesses, TruncateTheLogAfterAForgottenSnapshotEnds) {
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &reader), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(reader, "begin; select count(*) from tasks", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto log_bytes = [&] { return std::filesystem::file_size(path + "-wal"); };
  while (log_bytes() < (40U << 20U)) {
    std::vector<core::TaskRecord> records;
    for (int i = 0; i < 2; ++i)
      records.push_back(new_task({.payload = {"\"" + std::string(2'000'000, 'x') + "\""}}));
    store->begin()->commit({.tasks = {added(records[0]), added(records[1])}});
  }
  store->maintain();  // times out waiting for the reader
  const auto pinned = log_bytes();
  enqueue();
  EXPECT_GE(log_bytes(), pinned);
  sqlite3_close(reader);
  store->maintain();
  enqueue();
  EXPECT_LE(log_bytes(), 17U << 20U);
}

// A child claims until no tasks are left. Its exit code is the number of claimed tasks.
int claim_as_child(const std::string& path, core::Clock& clock) {
  CountingRandom chance{static_cast<std::uint64_t>(::getpid())};
  const auto own = open_sqlite({.path = path, .clock = &clock, .random = &chance});
  const LaneShare share{.lane = own->lanes_of({"default", "default"}).front(), .max = 1};
  for (int got = 0;;) {
    const auto transaction = own->begin();
    auto records = transaction->take_ready({&share, 1}, 1);
    if (records.empty()) return got;
    core::apply(records[0], core::decide_claim(records[0], "child", 30s, transaction->now()));
    transaction->commit({.tasks = {moved(records[0], core::Place::nowhere, 0)}});
    ++got;
  }
}

TEST_F(SqliteProcesses, AsRealProcessesClaimEachTaskOnce) {
  for (int i = 0; i < 100; ++i) enqueue();
  store.reset();  // a connection must not be carried over a fork
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(claim_as_child(path, clock));
    children.push_back(child);
  }
  int claimed = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    claimed += WEXITSTATUS(status);
  }
  EXPECT_EQ(claimed, 100);
  store = open();
  EXPECT_EQ(store->list_task_ids({.filter = {.ns = "default", .worker_id = "child"}, .limit = 500}).size(),
            100U);
}

}  // namespace
}  // namespace pawl::store
