#include "store/sqlite/pool.hpp"

#include <utility>

namespace pawl::store::sqlite {

ReaderPool::Snapshot::Snapshot(ReaderPool& pool, std::unique_ptr<Connection> connection)
    : pool_(pool), connection_(std::move(connection)) {}

ReaderPool::Snapshot::~Snapshot() {
  connection_->roll_back();
  pool_.give_back(std::move(connection_));
}

ReaderPool::Snapshot ReaderPool::snapshot() {
  std::unique_lock lock{mutex_};
  given_back_.wait(lock, [this] { return !free_.empty(); });
  std::unique_ptr<Connection> connection = std::move(free_.back());
  free_.pop_back();
  lock.unlock();
  return Snapshot{*this, std::move(connection)};
}

void ReaderPool::give_back(std::unique_ptr<Connection> connection) {
  const std::lock_guard lock{mutex_};
  free_.push_back(std::move(connection));
  given_back_.notify_one();
}

}  // namespace pawl::store::sqlite
