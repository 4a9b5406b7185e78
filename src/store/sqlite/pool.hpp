#pragma once
// A pool of read-only connections. Thread-safe.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "store/sqlite/connection.hpp"

namespace pawl::store::sqlite {

class ReaderPool {
 public:
  // A borrowed connection in a read transaction: all reads see one snapshot.
  class Snapshot {
   public:
    Snapshot(ReaderPool& pool, std::unique_ptr<Connection> connection);
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;
    ~Snapshot();
    [[nodiscard]] Connection& connection() { return *connection_; }

   private:
    ReaderPool& pool_;
    std::unique_ptr<Connection> connection_;
  };

  explicit ReaderPool(std::vector<std::unique_ptr<Connection>> connections) : free_(std::move(connections)) {}
  // Waits for a free connection.
  [[nodiscard]] Snapshot snapshot();

 private:
  void give_back(std::unique_ptr<Connection> connection);

  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<std::unique_ptr<Connection>> free_;
};

}  // namespace pawl::store::sqlite
