// Threads that namespaces and tokens share fairly.
#include "server/fair_threads.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pawl::testing {
namespace {

using server::FairThreads;
using server::WorkKind;
using server::WorkOwner;

// Records the work that has started, and blocks held work until the test releases it.
class Trace {
 public:
  [[nodiscard]] std::function<void()> held(const std::string& name) {
    return [this, name] {
      std::unique_lock lock{mutex_};
      begun_.push_back(name);
      changed_.notify_all();
      changed_.wait(lock, [this] { return is_open_; });
    };
  }
  void open() {
    const std::lock_guard lock{mutex_};
    is_open_ = true;
    changed_.notify_all();
  }
  // Waits until `count` pieces of work have started, and returns their names.
  [[nodiscard]] std::vector<std::string> begun(std::size_t count) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return begun_.size() >= count; });
    return begun_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> begun_;
  bool is_open_ = false;
};

WorkOwner read_of(const std::string& ns, const std::string& token = "") {
  return {.kind = WorkKind::read, .ns = ns, .token = token};
}

TEST(FairThreadsOfAServer, KeepAReadForOtherNamespaces) {
  Trace trace;
  FairThreads threads{{}};
  for (int i = 0; i < 20; ++i) threads.post(read_of("mallory"), trace.held("mallory"));
  EXPECT_EQ(trace.begun(2), (std::vector<std::string>{"mallory", "mallory"}));
  threads.post(read_of("alice"), trace.held("alice"));
  EXPECT_EQ(trace.begun(3).back(), "alice") << "no third read of mallory has begun before it";
  EXPECT_EQ(threads.waiting_of("mallory"), 18U);
  EXPECT_EQ(threads.waiting_of("alice"), 0U);
  trace.open();
  threads.stop();
  EXPECT_EQ(trace.begun(21).size(), 21U) << "all of it is done";
}

TEST(FairThreadsOfAServer, KeepThreadsForOtherNamespaces) {
  Trace trace;
  FairThreads threads{{.threads = 4, .of_one_namespace = 3}};
  for (int i = 0; i < 20; ++i)
    threads.post({.kind = WorkKind::other, .ns = "mallory"}, trace.held("mallory"));
  EXPECT_EQ(trace.begun(3).size(), 3U);
  threads.post({.kind = WorkKind::other, .ns = "alice"}, trace.held("alice"));
  EXPECT_EQ(trace.begun(4).back(), "alice");
  trace.open();
}

TEST(FairThreadsOfAServer, LimitTheReadsOfATokenInAllNamespaces) {
  Trace trace;
  FairThreads threads{{.reads = 4}};
  for (const char* ns : {"one", "two", "three"}) threads.post(read_of(ns, "mallory"), trace.held(ns));
  EXPECT_EQ(trace.begun(2), (std::vector<std::string>{"one", "two"}));
  threads.post(read_of("four", "alice"), trace.held("four"));
  EXPECT_EQ(trace.begun(3).back(), "four");
  trace.open();
  threads.stop();
  EXPECT_EQ(trace.begun(4).back(), "three");
}

TEST(FairThreadsOfAServer, DoVitalWorkWhenAllOtherThreadsAreBusy) {
  Trace trace;
  FairThreads threads{{.threads = 2, .vital_threads = 1, .of_one_namespace = 2}};
  for (int i = 0; i < 5; ++i) threads.post({.kind = WorkKind::other, .ns = "mallory"}, trace.held("mallory"));
  EXPECT_EQ(trace.begun(2).size(), 2U);
  threads.post({}, trace.held("vital"));
  EXPECT_EQ(trace.begun(3).back(), "vital");
  trace.open();
}

TEST(FairThreadsOfAServer, AlternateBetweenQueues) {
  Trace trace;
  FairThreads threads{{.threads = 1, .vital_threads = 0, .of_one_namespace = 1}};
  threads.post({.kind = WorkKind::other, .ns = "first"}, trace.held("first"));
  (void)trace.begun(1);
  for (const char* name : {"a1", "a2", "a3"})
    threads.post({.kind = WorkKind::other, .ns = "a"}, trace.held(name));
  for (const char* name : {"b1", "b2"}) threads.post({.kind = WorkKind::other, .ns = "b"}, trace.held(name));
  trace.open();
  threads.stop();
  EXPECT_EQ(trace.begun(6), (std::vector<std::string>{"first", "a1", "b1", "a2", "b2", "a3"}));
}

TEST(FairThreadsOfAServer, KnowTheOwnerOfTheirWork) {
  FairThreads threads{{}};
  WorkOwner seen;
  threads.post(read_of("alice", "token"), [&] { seen = FairThreads::owner_here(); });
  threads.stop();
  EXPECT_EQ(seen, read_of("alice", "token"));
  EXPECT_EQ(FairThreads::owner_here(), WorkOwner{});
}

TEST(FairThreadsOfAServer, DoWorkPostedWhileTheyStop) {
  FairThreads threads{{}};
  std::atomic<int> done = 0;
  threads.post(read_of("alice"), [&] {
    threads.post(read_of("alice"), [&] { ++done; });
    ++done;
  });
  threads.stop();
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace pawl::testing
