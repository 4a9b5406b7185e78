// How commits reach the disk: one flush for many, and checkpoints that run concurrently with later commits.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>

#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "store/sqlite/checkpointer.hpp"
#include "store/sqlite/flusher.hpp"
#include "tests/store/sqlite_fixture.hpp"

namespace pawl::store {
namespace {

using sqlite::Checkpointer;
using sqlite::Connection;
using sqlite::Flusher;

class SqliteFlush : public SqliteTest {};

TEST_F(SqliteFlush, CoversAllEarlierCommits) {
  enqueue();  // creates the log
  int flushes = 0;
  Flusher flusher{path + "-wal", [&](int) { return ++flushes, 0; }};
  const std::uint64_t first = flusher.number([] {});
  const std::uint64_t second = flusher.number([] {});
  EXPECT_EQ(flusher.last(), second);
  flusher.await_durable(second);
  flusher.await_durable(first);
  EXPECT_EQ(flushes, 1);
  flusher.await_durable(flusher.number([] {}));
  EXPECT_EQ(flushes, 2);
}

TEST_F(SqliteFlush, InProgressDoesNotCoverLaterCommits) {
  enqueue();
  std::promise<void> began;
  std::promise<void> may_end;
  std::atomic<int> flushes = 0;
  Flusher flusher{path + "-wal", [&](int) {
                    if (++flushes == 1) {
                      began.set_value();
                      may_end.get_future().wait();
                    }
                    return 0;
                  }};
  const std::uint64_t first = flusher.number([] {});
  std::thread one{[&] { flusher.await_durable(first); }};
  began.get_future().wait();
  const std::uint64_t second = flusher.number([] {});  // not covered by the flush that has begun
  std::thread other{[&] { flusher.await_durable(second); }};
  may_end.set_value();
  one.join();
  other.join();
  EXPECT_EQ(flushes, 2);
}

TEST_F(SqliteFlush, IsNotMadeUpForByTheNextOneAfterAFailure) {
  enqueue();
  bool works = false;
  Flusher flusher{path + "-wal", [&](int) {
                    errno = EIO;
                    return works ? 0 : -1;
                  }};
  flusher.check();
  const std::uint64_t lost = flusher.number([] {});
  std::string why;
  EXPECT_EQ(kind_thrown_by([&] { flusher.await_durable(lost); }, &why), StoreError::Kind::unknown);
  EXPECT_NE(why.find("Input/output error"), std::string::npos) << why;
  works = true;  // as the operating system would report from now on
  EXPECT_EQ(kind_thrown_by([&] { flusher.await_durable(lost); }), StoreError::Kind::unknown);
  EXPECT_EQ(kind_thrown_by([&] { flusher.check(); }), StoreError::Kind::unavailable);
}

TEST_F(SqliteFlush, IsRetriedIfItCouldNotStart) {
  TempFolder elsewhere;
  const std::string log = elsewhere.file("log");
  Flusher flusher{log, [](int) { return 0; }};
  const std::uint64_t number = flusher.number([] {});
  EXPECT_EQ(kind_thrown_by([&] { flusher.await_durable(number); }), StoreError::Kind::unknown);
  std::ofstream{log} << "frames";
  flusher.await_durable(number);
  flusher.check();
}

TEST_F(SqliteFlush, IsRejectedAfterTheDatabaseFileFailedToFlush) {
  Flusher flusher{path + "-wal", [](int) { return 0; }};
  const std::uint64_t number = flusher.number([] {});
  flusher.distrust("the database");
  EXPECT_EQ(kind_thrown_by([&] { flusher.check(); }), StoreError::Kind::unavailable);
  EXPECT_EQ(kind_thrown_by([&] { flusher.await_durable(number); }), StoreError::Kind::unknown);
}

TEST_F(SqliteFlush, FindsTheLogOfAFileBehindALink) {
  TempFolder elsewhere;
  const std::string link = elsewhere.file("link.db");
  std::filesystem::create_symlink(path, link);
  const auto linked = open_sqlite({.path = link, .clock = &clock, .random = &random});
  const core::TaskRecord record = new_task();
  linked->begin()->commit({.tasks = {added(record)}});
  EXPECT_TRUE(load(record.id).has_value());
}

TEST_F(SqliteFlush, IsAwaitedByAReplyThatDependsOnAnEarlierCommit) {
  engine::Engine engine{*store, clock, random};
  const auto commit = [&engine] {
    std::vector<engine::Request> group;
    group.push_back({.command = core::EnqueueTasks{.tasks = {{.type = "t", .idempotency_key = "welcome-42"}}},
                     .reply = [](const core::Result<core::Answer>&) {}});
    return engine.commit(std::move(group));
  };
  const CommitNumber made = commit().number;
  EXPECT_GT(made, kDurable);
  EXPECT_EQ(commit().number, made) << "the reply waits until the existing task is durable";
}

TEST_F(SqliteFlush, IsAwaitedByCommitNumber) {
  const core::TaskRecord record = new_task();
  const CommitNumber number = store->begin()->commit_soon({.tasks = {added(record)}});
  EXPECT_GT(number, kDurable);
  store->await_durable(number);
  EXPECT_TRUE(store->flushes_apart());
  EXPECT_TRUE(load(record.id).has_value());
}

TEST_F(SqliteFlush, LetsTheLogRestartAfterAConcurrentCheckpoint) {
  const auto connect = [this] {
    auto connection =
        std::make_unique<Connection>(sqlite::ConnectionOptions{.path = path, .is_writer = true});
    connection->only_append();
    return connection;
  };
  const auto writer = connect();
  writer->execute("create table filler (bytes blob)", "a test");
  Flusher flusher{path + "-wal"};
  Checkpointer checkpointer{connect(), flusher};
  int longest = 0;
  for (int i = 0; i < 1'000 && writer->log_frames() >= longest; ++i) {
    longest = writer->log_frames();
    writer->execute("insert into filler values (zeroblob(200000))", "a test");
    checkpointer.after_commit(*writer);
  }
  EXPECT_LT(writer->log_frames(), longest);
  EXPECT_LT(longest, 20'000) << "however slow the disk is";
}

// The signals that each thread of this process has blocked.
std::map<std::string, std::uint64_t> blocked_by_threads() {
  std::map<std::string, std::uint64_t> blocked;
  for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::ifstream status{task.path() / "status"};
    for (std::string line; std::getline(status, line);) {
      constexpr std::string_view kName = "SigBlk:\t";
      if (line.starts_with(kName))
        blocked[task.path().filename()] = std::stoull(line.substr(kName.size()), nullptr, 16);
    }
  }
  return blocked;
}

TEST_F(SqliteFlush, ThreadsBlockTheSignalsOfTheProgram) {
  const auto before = blocked_by_threads();
  const auto another = open();
  const auto after = blocked_by_threads();
  int threads = 0;
  for (const auto& [thread, blocked] : after) {
    if (before.contains(thread)) continue;
    ++threads;
    for (const int signal : {SIGHUP, SIGINT, SIGTERM})
      EXPECT_NE(blocked & (1U << static_cast<unsigned>(signal - 1)), 0U) << strsignal(signal);
  }
  EXPECT_GT(threads, 0);
}

TEST_F(SqliteFlush, KeepsNoCachedLeaseAfterAForeignCommit) {
  const core::TaskId id = enqueue().id;
  auto mine = claim(1).at(0);
  ASSERT_EQ(load(id)->place, core::Place::leased);
  const auto other = open();
  {
    const auto transaction = other->begin();
    auto theirs = *transaction->load({.tasks = {{.id = id}}}).tasks.front();
    const core::TaskRecord before = theirs;
    const auto decision = core::decide_report(
        theirs, "w", {.task_id = id, .fence = theirs.progress.fence, .action = core::ReportAction::complete},
        nullptr, {.now = clock.now()});
    ASSERT_TRUE(decision.ok());
    core::apply(theirs, *decision->change);
    transaction->commit({.tasks = {moved(theirs, before.place, before.progress.fence)}});
  }
  EXPECT_EQ(load(id)->place, core::Place::finished);
}

TEST_F(SqliteFlush, KeepsCachedLeasesEqualToTheFile) {
  const core::TaskId id = enqueue({.key = "account"}).id;
  (void)claim(1);
  const auto remembered = *load(id);
  const auto read = *open()->begin()->load({.tasks = {{.id = id}}}).tasks.front();
  EXPECT_EQ(remembered.lease, read.lease);
  EXPECT_EQ(remembered.progress, read.progress);
  EXPECT_EQ(remembered.status, read.status);
  EXPECT_EQ(remembered.facts.key, read.facts.key);
  EXPECT_EQ(remembered.available_at, read.available_at);
}

}  // namespace
}  // namespace pawl::store
