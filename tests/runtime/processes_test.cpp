// Several processes on one SQLite file, with a reader that never releases its snapshot (B60).

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/sqlite/sqlite_store.hpp"
#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

using core::ReportAction;
using core::TaskStatus;

namespace {

constexpr int kProcesses = 8;
constexpr int kEach = 40;
constexpr int kTotal = kProcesses * kEach;

// Enqueues its share, then works until all tasks are done. Returns the exit code of the process: 0 if no call
// was refused.
int work_as_child(const std::string& path, int number) {
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  RunningNode node{
      std::shared_ptr<store::Store>{store::open_sqlite({.path = path, .clock = &clock, .random = &random})}};
  const std::string worker = "process" + std::to_string(number);
  for (int i = 0; i < kEach / 4; ++i) {
    core::EnqueueTasks batch;
    batch.tasks.assign(4, task_of("t" + std::to_string(number % 3), "\"" + std::string(500, 'x') + "\""));
    if (!node.api().enqueue_batch(batch)) return 1;
  }
  for (;;) {
    const auto claimed = node.api().claim({.worker_id = worker, .max = 5, .lease = 5min, .wait = 50ms});
    if (!claimed) return 2;
    core::ReportTasks reports{.worker_id = worker};
    for (const auto& one : *claimed) reports.reports.push_back(report_of(one.task, ReportAction::complete));
    if (!reports.reports.empty()) {
      const auto answers = node.api().report(reports);
      if (!answers) return 3;
      for (const auto& answer : *answers) {
        if (!answer) return 4;
      }
      continue;
    }
    const auto done = node.api().list_tasks({.query = {.statuses = {TaskStatus::completed}}, .limit = 500});
    if (!done) return 5;
    if (done->items.size() == kTotal) return 0;
  }
}

// A read transaction that stays open.
class LongReader {
 public:
  explicit LongReader(const std::string& path) {
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database_, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database_, "begin; select count(*) from sqlite_master", nullptr, nullptr, nullptr),
              SQLITE_OK);
  }
  LongReader(const LongReader&) = delete;
  LongReader& operator=(const LongReader&) = delete;
  ~LongReader() { sqlite3_close(database_); }

 private:
  sqlite3* database_ = nullptr;
};

}  // namespace

TEST(Processes, B60_OnOneSqliteFileNeverSeeABusyDatabaseAndCompleteEachTaskOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/pawl.db";
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  { const auto made = store::open_sqlite({.path = path, .clock = &clock, .random = &random}); }

  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();  // this process has neither threads nor open connections here
    if (child == 0) ::_exit(work_as_child(path, i));
    children.push_back(child);
  }
  const LongReader reader{path};
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << "a call was refused";
  }
  RunningNode after{
      std::shared_ptr<store::Store>{store::open_sqlite({.path = path, .clock = &clock, .random = &random})}};
  const auto tasks = after.api().list_tasks({.limit = 500});
  ASSERT_EQ(tasks->items.size(), static_cast<std::size_t>(kTotal));
  for (const core::Task& task : tasks->items) {
    EXPECT_EQ(task.status, TaskStatus::completed);
    EXPECT_EQ(task.attempt, 1);
  }
  EXPECT_TRUE(counts_of(after.api()).is_zero());
}

}  // namespace pawl::testing
