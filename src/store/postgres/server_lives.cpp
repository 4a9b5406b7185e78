#include "store/postgres/server_lives.hpp"

namespace pawl::store::postgres {

std::uint64_t ServerLives::enter(const std::string& identity) {
  const std::lock_guard lock{mutex_};
  if (life_ == 0 || identity != identity_) {
    identity_ = identity;
    begin_next();
  }
  return life_;
}

void ServerLives::end(std::uint64_t life) {
  const std::lock_guard lock{mutex_};
  if (life == life_) begin_next();
}

void ServerLives::begin_next() {
  const std::uint64_t next = life_ + 1;
  if (forget_) forget_(next);
  life_.store(next, std::memory_order_release);
}

}  // namespace pawl::store::postgres
