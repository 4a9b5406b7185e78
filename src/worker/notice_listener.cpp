#include "worker/notice_listener.hpp"

#include <algorithm>
#include <utility>

namespace pawl::worker {

namespace {

constexpr core::Duration kRetryMin = std::chrono::milliseconds{100};
constexpr core::Duration kRetryMax = std::chrono::seconds{10};

}  // namespace

NoticeListener::NoticeListener(NoticeCalls calls, LeaseKeeper& keeper)
    : calls_(std::move(calls)), keeper_(keeper), thread_([this] { run(); }) {}

NoticeListener::~NoticeListener() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  ended_.notify_all();
  calls_.cancel();
  thread_.join();
}

void NoticeListener::run() {
  core::Duration retry = kRetryMin;
  for (core::Duration before_next{0}; wait_before_retry(before_next);) {
    auto tasks = calls_.wait();
    if (tasks && !tasks->empty()) keeper_.renew_now(std::move(*tasks));
    // A server without this call will not get it later: heartbeats are enough then.
    if (!tasks && tasks.problem().code == core::ProblemCode::not_found) return;
    before_next = tasks ? core::Duration{0} : retry;
    retry = tasks ? kRetryMin : std::min(retry * 2, kRetryMax);
  }
}

bool NoticeListener::wait_before_retry(core::Duration wait) {
  std::unique_lock lock{mutex_};
  return !ended_.wait_for(lock, wait, [this] { return is_stopping_; });
}

}  // namespace pawl::worker
