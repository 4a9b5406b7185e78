#include "store/postgres/pool.hpp"

namespace pawl::store::postgres {

Pool::Pool(Server& server, int size, core::Duration silence_max) {
  for (int i = 0; i < size; ++i) free_.push_back(&connections_.emplace_back(server, silence_max));
}

Pool::Loan Pool::borrow() {
  std::unique_lock lock{mutex_};
  is_free_.wait(lock, [this] { return !free_.empty(); });
  Connection* connection = free_.back();  // the last used one is most likely alive and warm
  free_.pop_back();
  return Loan{*this, *connection};
}

void Pool::give_back(Connection& connection) {
  {
    const std::lock_guard lock{mutex_};
    free_.push_back(&connection);
  }
  is_free_.notify_one();
}

}  // namespace pawl::store::postgres
