#pragma once
// A thread pool for work that waits for the store, shared fairly: each namespace and token has its own line
// of jobs, and the lines take turns. Concurrent reads have separate limits, because a store has few
// connections for them.
//
// One namespace never uses the last thread or the last read; vital work (authentication, probes) has threads
// reserved for it. Thread-safe.

#include <compare>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pawl::server {

enum class WorkKind : std::uint8_t { vital, read, other };

// The namespace and token that work is charged to. An empty token has no token limit: all callers share it
// before the first token is created.
struct WorkOwner {
  WorkKind kind = WorkKind::vital;
  std::string ns = {};
  std::string token = {};

  auto operator<=>(const WorkOwner&) const = default;
};

class FairThreads {
 public:
  struct Caps {
    int threads = 8;  // for work that is not vital
    int vital_threads = 2;
    int of_one_namespace = 6;
    int reads = 3;
    int reads_of_one_namespace = 2;
    int reads_of_one_token = 2;
  };

  explicit FairThreads(const Caps& caps);
  FairThreads(const FairThreads&) = delete;
  FairThreads& operator=(const FairThreads&) = delete;
  ~FairThreads() { stop(); }

  void post(WorkOwner owner, std::function<void()> work);
  // Number of waiting jobs of a namespace.
  [[nodiscard]] std::size_t waiting_of(const std::string& ns) const;
  // Owner of the work that the calling thread runs; vital on any other thread.
  [[nodiscard]] static const WorkOwner& owner_here();
  // Returns when all work is done.
  void stop();

 private:
  using Work = std::function<void()>;
  using Owner = std::shared_ptr<const WorkOwner>;  // shared by a line and its running jobs
  struct Line {
    Owner owner;
    std::deque<Work> work;
  };
  struct Job {
    Owner owner = {};  // null: vital
    Work work = {};
  };
  // Usage of a namespace or token. It is created when work is added, so that running the work needs no
  // memory.
  struct Share {
    std::size_t waiting = 0;
    int running = 0;
    int reads = 0;
  };
  using Shares = std::map<std::string, Share>;

  void run();
  // These need the lock.
  void add(WorkOwner owner, Work work);
  [[nodiscard]] bool may_run(const WorkOwner& owner) const;
  [[nodiscard]] bool take(Job& job);
  void begin(const WorkOwner& owner);
  void end(const WorkOwner& owner);
  static void end(Shares& shares, const std::string& name, bool is_read);

  const Caps caps_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> vital_;
  std::list<Line> lines_;  // the next line to run first
  std::map<WorkOwner, std::list<Line>::iterator> line_of_;
  Shares of_namespace_;
  Shares of_token_;
  int running_ = 0;  // excluding vital work
  int reads_ = 0;
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pawl::server
