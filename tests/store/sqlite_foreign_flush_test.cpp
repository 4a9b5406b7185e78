// Two processes on one file: an answer that is based on an unflushed commit of the other process waits for a
// flush.

#include <atomic>
#include <functional>

#include <unistd.h>

#include "engine/engine.hpp"
#include "tests/store/sqlite_fixture.hpp"

namespace pawl::store {
namespace {

class SqliteForeignFlush : public SqliteTest {
 protected:
  // Commits without a flush.
  static void commit_unflushed(engine::Engine& engine, core::Command command) {
    std::vector<engine::Request> group;
    group.push_back({.command = std::move(command), .reply = [](const core::Result<core::Answer>&) {}});
    ASSERT_GT(engine.commit(std::move(group)).number, kDurable);
  }
  // The number of flushes that the other process had done when it answered.
  int flushes_before_answer(const core::Command& command, std::function<void(const core::Answer&)> look) {
    int before_answer = -1;
    const int before = flushes;
    std::vector<engine::Request> group;
    group.push_back({.command = command, .reply = [&](const core::Result<core::Answer>& answer) {
                       ASSERT_TRUE(answer.ok()) << answer.problem().detail;
                       look(*answer);
                       before_answer = flushes - before;
                     }});
    other_engine.execute(std::move(group));
    return before_answer;
  }

  std::atomic<int> flushes = 0;
  std::unique_ptr<Store> other =
      open_sqlite({.path = path, .clock = &clock, .random = &random, .flush = [this](int file) {
                     return ++flushes, ::fdatasync(file);
                   }});
  engine::Engine engine{*store, clock, random};
  engine::Engine other_engine{*other, clock, random};
};

TEST_F(SqliteForeignFlush, DelaysARepeatedEnqueue) {
  (void)other->namespaces();
  const core::EnqueueTasks enqueue{.tasks = {{.type = "t", .idempotency_key = "welcome-42"}}};
  commit_unflushed(engine, enqueue);
  const int done = flushes_before_answer(enqueue, [](const core::Answer& answer) {
    EXPECT_FALSE(std::get<std::vector<core::Enqueued>>(answer).front().created);
  });
  EXPECT_GE(done, 1);
}

TEST_F(SqliteForeignFlush, DelaysARepeatedCompletion) {
  const core::TaskId id = enqueue().id;
  const auto held = claim(1).at(0);
  const core::ReportTasks report{
      .worker_id = "w",
      .reports = {{.task_id = id, .fence = held.progress.fence, .action = core::ReportAction::complete}}};
  commit_unflushed(engine, report);
  const int done = flushes_before_answer(report, [](const core::Answer& answer) {
    EXPECT_TRUE(std::get<std::vector<core::Result<core::ReportAnswer>>>(answer).front().ok());
  });
  EXPECT_GE(done, 1);
}

TEST_F(SqliteForeignFlush, DelaysARead) {
  const core::TaskRecord record = new_task();
  (void)other->find_task(record.id);
  (void)store->begin()->commit_soon({.tasks = {added(record)}});
  const int before = flushes;
  ASSERT_TRUE(other->find_task(record.id).has_value());
  EXPECT_GE(flushes, before + 1);
}

TEST_F(SqliteForeignFlush, CoversCommitsBeforeTheOpen) {
  const core::TaskRecord record = new_task();
  (void)store->begin()->commit_soon({.tasks = {added(record)}});
  int flushed = 0;
  const auto late = open_sqlite(
      {.path = path, .clock = &clock, .random = &random, .flush = [&](int) { return ++flushed, 0; }});
  ASSERT_TRUE(late->find_task(record.id).has_value());
  EXPECT_EQ(flushed, 1);
}

TEST_F(SqliteForeignFlush, IsNotNeededWithASingleProcess) {
  const core::TaskRecord record = new_task();
  other->begin()->commit({.tasks = {added(record)}});
  (void)other->find_task(record.id);
  const int before = flushes;
  for (int i = 0; i < 100; ++i) (void)other->find_task(record.id);
  EXPECT_EQ(flushes, before);
}

}  // namespace
}  // namespace pawl::store
