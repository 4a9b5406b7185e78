#pragma once
// Brings commits to the disk. A commit of the writing connection appends to the log and does not wait until
// the disk has it; whoever must be sure waits here. One flush is enough for all that was committed before it
// began, so that the next group is worked out while the last one is being flushed. Any thread.
//
// A flush that fails leaves nobody knowing what the disk has, and the next one would say that all is well:
// after the first failure nothing is taken to be durable any more until the file is opened anew.

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

  // Does the commit, and returns its number.
  template <typename Commit>
  std::uint64_t number(Commit commit) {
    const std::lock_guard lock{committing_};
    commit();
    return ++committed_;
  }
  // Numbers what another process has committed: it may not have been flushed yet.
  std::uint64_t note_foreign();
  // Of the last commit that anybody can see.
  [[nodiscard]] std::uint64_t last();
  // Until the commit of this number, and all before it, are on the disk. Throws StoreError: `unknown`.
  void await_durable(std::uint64_t number);
  // Throws StoreError if a flush has failed.
  void check();
  // The disk has said of something else that it could not be flushed: no flush is believed any more.
  void distrust(const std::string& what);

 private:
  void open();
  void flush(std::unique_lock<std::mutex>& lock);

  std::string log_path_;
  Sync sync_;
  std::mutex committing_;
  std::atomic<std::uint64_t> committed_ = 0;
  std::atomic<std::uint64_t> flushed_ = 0;  // of them
  std::mutex mutex_;
  std::condition_variable ended_;  // a flush
  bool is_flushing_ = false;
  std::string failure_;
  int file_ = -1;
};

}  // namespace pawl::store::sqlite
