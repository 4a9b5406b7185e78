#pragma once
// Flushes commits to the disk. A commit on the write connection appends to the log without waiting for the
// disk; code that needs durability waits here. One flush covers all commits before its start, so that the
// next group is decided while the last one is being flushed. Thread-safe.
//
// After a failed flush the state of the disk is unknown, and the next flush would report success. So after
// the first failure no commit counts as durable until the file is opened again.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace pawl::store::sqlite {

class Flusher {
 public:
  using Sync = std::function<int(int file)>;  // like fdatasync
  explicit Flusher(std::string log_path, Sync sync = {});
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;
  ~Flusher();

  // Runs the commit and returns its number.
  template <typename Commit>
  std::uint64_t number(Commit commit) {
    const std::lock_guard lock{committing_};
    commit();
    return ++committed_;
  }
  // Assigns a number to commits of other processes, which may not be flushed yet.
  std::uint64_t note_foreign();
  // The number of the last visible commit.
  [[nodiscard]] std::uint64_t last();
  // Waits until this commit and all before it are on the disk. Throws StoreError of kind `unknown`.
  void await_durable(std::uint64_t number);
  // Throws StoreError if a flush has failed.
  void check();
  // Reports that another write could not be flushed: no later flush is trusted.
  void distrust(const std::string& what);

 private:
  void open();
  void flush(std::unique_lock<std::mutex>& lock);

  std::string log_path_;
  Sync sync_;
  std::mutex committing_;
  std::atomic<std::uint64_t> committed_ = 0;
  std::atomic<std::uint64_t> flushed_ = 0;  // all commits up to this one
  std::mutex mutex_;
  std::condition_variable ended_;  // signals the end of a flush
  bool is_flushing_ = false;
  std::string failure_;
  int file_ = -1;
};

}  // namespace pawl::store::sqlite
