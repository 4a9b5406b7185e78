#include "runtime/teller.hpp"

#include <utility>

namespace pawl::runtime {

namespace {

constexpr std::size_t kWaitingMax = 4;  // groups

}  // namespace

Teller::Teller(Tell tell) : tell_(std::move(tell)), thread_([this] { run(); }) {}

Teller::~Teller() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  came_.notify_one();
  thread_.join();
}

void Teller::take(engine::Engine::Answers&& answers) {
  std::unique_lock lock{mutex_};
  taken_.wait(lock, [this] { return waiting_.size() < kWaitingMax; });
  waiting_.push_back(std::move(answers));
  came_.notify_one();
}

void Teller::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    came_.wait(lock, [this] { return !waiting_.empty() || is_stopping_; });
    if (waiting_.empty()) return;
    engine::Engine::Answers answers = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    taken_.notify_one();
    tell_(std::move(answers));
    lock.lock();
  }
}

}  // namespace pawl::runtime
