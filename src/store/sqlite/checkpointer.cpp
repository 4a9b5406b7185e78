#include "store/sqlite/checkpointer.hpp"

#include <csignal>
#include <utility>

namespace pawl::store::sqlite {

namespace {

// In frames, each slightly more than a page of 4 KiB.
constexpr int kWorthACopy = 1'000;
constexpr int kLongEnough = 4'000;
constexpr int kTooLong = 16'000;  // above this, commits wait for a copy: they outpace the disk

// A program may open a store first and block its signals later, in the threads that it creates then. This
// thread blocks all signals, so that none is delivered to it and ends the program.
template <typename Run>
std::thread thread_without_signals(Run run) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread thread{std::move(run)};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

Checkpointer::Checkpointer(std::unique_ptr<Connection> connection, Flusher& flusher,
                           std::function<void()> copied)
    : connection_(std::move(connection)),
      flusher_(flusher),
      copied_log_(std::move(copied)),
      thread_(thread_without_signals([this] { run(); })) {}

Checkpointer::~Checkpointer() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Checkpointer::after_commit(Connection& writer) {
  const int frames = writer.log_frames();
  if (frames < copied_) copied_ = 0;  // the log was restarted
  if (frames - copied_ < kWorthACopy) return;
  {
    std::unique_lock lock{mutex_};
    if (is_due_ && frames < kTooLong) return;
    changed_.wait(lock, [this] { return !is_due_; });
    const bool is_little_left = copied_ >= frames - 2 * kWorthACopy;
    is_due_ = frames < kLongEnough || (frames < kTooLong && !is_little_left);
    copied_ = frames;
    if (is_due_) return changed_.notify_all();
  }
  copy(writer);
}

void Checkpointer::copy(Connection& connection) {
  if (!connection.copy_log()) flusher_.distrust(connection.path() + ": cannot be flushed");
  if (copied_log_) copied_log_();
}

void Checkpointer::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return is_due_ || is_stopping_; });
    if (is_stopping_) return;
    lock.unlock();
    copy(*connection_);
    lock.lock();
    is_due_ = false;
    changed_.notify_all();
  }
}

}  // namespace pawl::store::sqlite
