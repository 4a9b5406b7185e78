#include "runtime/reply_thread.hpp"

#include <utility>

namespace pawl::runtime {

namespace {

constexpr std::size_t kWaitingMax = 4;  // groups

}  // namespace

ReplyThread::ReplyThread(Send send) : send_(std::move(send)), thread_([this] { run(); }) {}

ReplyThread::~ReplyThread() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void ReplyThread::push(engine::Engine::Answers&& answers) {
  std::unique_lock lock{mutex_};
  has_room_.wait(lock, [this] { return waiting_.size() < kWaitingMax; });
  waiting_.push_back(std::move(answers));
  arrived_.notify_one();
}

void ReplyThread::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    arrived_.wait(lock, [this] { return !waiting_.empty() || is_stopping_; });
    if (waiting_.empty()) return;
    engine::Engine::Answers answers = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    has_room_.notify_one();
    send_(std::move(answers));
    lock.lock();
  }
}

}  // namespace pawl::runtime
