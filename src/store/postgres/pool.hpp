#pragma once
// A pool of connections, each lent to one borrower at a time. Thread-safe.

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "store/postgres/connection.hpp"

namespace pawl::store::postgres {

class Pool {
 public:
  Pool(Server& server, int size) : Pool(server, size, server.silence_max) {}
  Pool(Server& server, int size, core::Duration silence_max);

  // Returns the connection when it goes out of scope.
  class Loan {
   public:
    Loan(Pool& pool, Connection& connection) : pool_(&pool), connection_(&connection) {}
    Loan(Loan&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), connection_(other.connection_) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Loan& operator=(Loan&&) = delete;
    ~Loan() { give_back(); }

    // Returns the connection early; it must not be used after that.
    void give_back() {
      if (pool_ != nullptr) std::exchange(pool_, nullptr)->give_back(*connection_);
    }

    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_; }

   private:
    Pool* pool_;
    Connection* connection_;
  };

  // Waits until a connection is free.
  [[nodiscard]] Loan borrow();

 private:
  void give_back(Connection& connection);

  std::mutex mutex_;
  std::condition_variable is_free_;
  std::deque<Connection> connections_;
  std::vector<Connection*> free_;
};

}  // namespace pawl::store::postgres
