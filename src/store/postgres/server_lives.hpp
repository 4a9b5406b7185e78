#pragma once
// The lives of the database as one node sees them. A new one begins when a connection finds another server
// identity than the one before (another timeline, a restart, a crash, other tables), or when rows are gone
// that had been read. Commits that the node has seen may be lost then: nothing remembered may be used.
//
// Always: `forget` has returned before any connection has the new life. Any thread.

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

  // The life of a server with this identity.
  [[nodiscard]] std::uint64_t enter(const std::string& identity);
  // Ends this life, if it has not ended yet.
  void end(std::uint64_t life);
  // The latest.
  [[nodiscard]] std::uint64_t current() const { return life_.load(std::memory_order_acquire); }

 private:
  void begin_next();  // with the lock held

  std::mutex mutex_;
  std::function<void(std::uint64_t)> forget_;
  std::string identity_;
  std::atomic<std::uint64_t> life_ = 0;
};

}  // namespace pawl::store::postgres
