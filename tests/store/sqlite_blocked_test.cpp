// A process that is suspended inside a transaction: the other processes wait for a bounded time and name it.

#include <array>
#include <chrono>
#include <csignal>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/sqlite_fixture.hpp"

namespace pawl::store {
namespace {

using std::chrono::steady_clock;

class SqliteBlocked : public SqliteTest {
 protected:
  // Runs the work in a child process, which then stops itself.
  template <typename Work>
  void stop_inside(Work work) {
    store.reset();  // a connection must not be carried over a fork
    child = ::fork();
    if (child == 0) {
      [[maybe_unused]] const auto kept = work();
      ::raise(SIGSTOP);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status));
    store = open();
  }
  void TearDown() override {
    if (child <= 0) return;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }

  pid_t child = -1;
};

TEST_F(SqliteBlocked, WriteFailsWithinSecondsAndNamesTheStoppedProcess) {
  (void)lane();
  stop_inside([this] {
    store = open();
    return store->begin();
  });
  EXPECT_TRUE(store->list_task_ids({.filter = {.ns = "default"}}).empty()) << "reads go on";
  const auto from = steady_clock::now();
  std::string why;
  EXPECT_EQ(kind_thrown_by([&] { (void)store->begin(); }, &why), StoreError::Kind::unavailable);
  EXPECT_LT(steady_clock::now() - from, 10s);
  const std::string pid = std::to_string(child);
  EXPECT_NE(why.find("process " + pid + " ("), std::string::npos) << why;
  EXPECT_NE(why.find("is stopped: continue it with `kill -CONT " + pid + "`"), std::string::npos) << why;
  ::kill(child, SIGCONT);
  enqueue();  // the child ends
}

TEST_F(SqliteBlocked, WriteWaitsOnceForAProcessStoppedInTheTurnstile) {
  (void)lane();
  stop_inside([this] {
    const int turn = ::open((path + "-turn").c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_EQ(::flock(turn, LOCK_EX), 0);
    return turn;
  });
  enqueue();
  const auto from = steady_clock::now();
  for (int i = 0; i < 5; ++i) enqueue();
  EXPECT_LT(steady_clock::now() - from, 2s);
}

}  // namespace
}  // namespace pawl::store
