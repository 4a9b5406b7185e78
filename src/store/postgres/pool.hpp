#pragma once
// A few connections that are lent out one at a time. Any thread.

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

  // Given back when it goes out of scope.
  class Loan {
   public:
    Loan(Pool& pool, Connection& connection) : pool_(&pool), connection_(&connection) {}
    Loan(Loan&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), connection_(other.connection_) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Loan& operator=(Loan&&) = delete;
    ~Loan() { give_back(); }

    // Before the end of the scope; not to be used any more.
    void give_back() {
      if (pool_ != nullptr) std::exchange(pool_, nullptr)->give_back(*connection_);
    }

    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_; }

   private:
    Pool* pool_;
    Connection* connection_;
  };

  // Waits until one is free.
  [[nodiscard]] Loan borrow();

 private:
  void give_back(Connection& connection);

  std::mutex mutex_;
  std::condition_variable is_free_;
  std::deque<Connection> connections_;
  std::vector<Connection*> free_;
};

}  // namespace pawl::store::postgres
