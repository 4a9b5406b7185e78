#pragma once
// Waits for notices of leases that were canceled or revoked, on a thread and a connection of its own, and has
// the keeper renew those leases immediately: the answer says whether their handlers must stop. Without it a
// cancel arrives with the next heartbeat.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/result.hpp"
#include "worker/lease_keeper.hpp"

namespace pawl::worker {

// Of one worker. `wait` is called by one thread at a time; `cancel` ends it from another.
struct NoticeCalls {
  std::function<core::Result<std::vector<std::string>>()> wait = {};  // ids of tasks
  std::function<void()> cancel = {};
};

class NoticeListener {
 public:
  NoticeListener(NoticeCalls calls, LeaseKeeper& keeper);
  NoticeListener(const NoticeListener&) = delete;
  NoticeListener& operator=(const NoticeListener&) = delete;
  ~NoticeListener();

 private:
  void run();
  // False: the listener ends.
  [[nodiscard]] bool wait_before_retry(core::Duration wait);

  NoticeCalls calls_;
  LeaseKeeper& keeper_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace pawl::worker
