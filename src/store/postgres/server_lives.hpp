#pragma once
// The lives of the database as one node observes them. A new life begins when a connection finds another
// server identity than before (another timeline, a restart, a crash, other tables), or when rows are gone
// that had been read. Commits that the node has seen may be lost then, so no cached data may be used.
//
// `forget` has returned before any connection has the new life. Thread-safe.

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace pawl::store::postgres {

class ServerLives {
 public:
  // Called with the number of each new life; set before the first connection is opened.
  void on_new_life(std::function<void(std::uint64_t)> forget) { forget_ = std::move(forget); }

  // Returns the life of a server with this identity.
  [[nodiscard]] std::uint64_t enter(const std::string& identity);
  // Ends this life, unless it has already ended.
  void end(std::uint64_t life);
  // The latest life.
  [[nodiscard]] std::uint64_t current() const { return life_.load(std::memory_order_acquire); }

 private:
  void begin_next();  // the caller holds the lock

  std::mutex mutex_;
  std::function<void(std::uint64_t)> forget_;
  std::string identity_;
  std::atomic<std::uint64_t> life_ = 0;
};

}  // namespace pawl::store::postgres
