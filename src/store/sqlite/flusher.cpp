#include "store/sqlite/flusher.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/canary.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

Flusher::Flusher(std::string log_path, Sync sync)
    : log_path_(std::move(log_path)), sync_(sync ? std::move(sync) : Sync{::fdatasync}) {
  open();
}

Flusher::~Flusher() {
  if (file_ >= 0) ::close(file_);
}

void Flusher::check() {
  const std::lock_guard lock{mutex_};
  if (!failure_.empty()) throw StoreError{StoreError::Kind::unavailable, failure_};
}

std::uint64_t Flusher::note_foreign() {
  const std::lock_guard lock{committing_};
  return core::planted(core::Canary::foreign_commit_not_flushed) ? committed_.load() : ++committed_;
}

std::uint64_t Flusher::last() {
  const std::lock_guard lock{committing_};
  return committed_;
}

void Flusher::await_durable(std::uint64_t number) {
  if (flushed_ >= number || core::planted(core::Canary::flush_not_awaited)) return;
  std::unique_lock lock{mutex_};
  while (flushed_ < number) {
    if (!failure_.empty()) throw StoreError{StoreError::Kind::unknown, failure_};
    if (is_flushing_) {
      ended_.wait(lock);
    } else {
      flush(lock);
    }
  }
}

void Flusher::open() {
  if (file_ < 0) file_ = ::open(log_path_.c_str(), O_RDONLY | O_CLOEXEC);
}

void Flusher::distrust(const std::string& what) {
  const std::lock_guard lock{mutex_};
  if (failure_.empty()) failure_ = fmt::format("{}: start anew", what);
  ended_.notify_all();
}

void Flusher::flush(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t covered = committed_;
  is_flushing_ = true;
  lock.unlock();
  open();
  const bool is_open = file_ >= 0;
  const int error = is_open && sync_(file_) == 0 ? 0 : errno;
  lock.lock();
  is_flushing_ = false;
  ended_.notify_all();
  if (error == 0 || core::planted(core::Canary::failed_flush_believed)) {
    flushed_ = core::planted(core::Canary::flush_covers_what_follows) ? committed_.load() : covered;
    return;
  }
  const std::string why = fmt::format("{}: cannot be {} ({})", log_path_, is_open ? "flushed" : "opened",
                                      std::system_category().message(error));
  // A flush that was not attempted says nothing about the disk: the next one may succeed.
  if (!is_open) throw StoreError{StoreError::Kind::unknown, why};
  failure_ = why + ": restart this process";
}

}  // namespace pawl::store::sqlite
