#pragma once
// A thread that waits until groups are durable and then sends their replies. Its `push` may be called from
// any thread.
//
// Speed: the commit loop executes the next group during the flush of the last one. It is correct because the
// groups keep their order, and Engine::settle returns only when the group is durable. Tests: canary
// `flush_not_awaited`, tests/runtime/batch_delay_test.cpp.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/engine.hpp"

namespace pawl::runtime {

class ReplyThread {
 public:
  using Send = std::function<void(engine::Engine::Answers)>;
  explicit ReplyThread(Send send);
  ReplyThread(const ReplyThread&) = delete;
  ReplyThread& operator=(const ReplyThread&) = delete;
  ~ReplyThread();  // sends the remaining replies, then ends

  // Blocks while too many groups wait for the disk: a group that is small because callers still wait for the
  // last one is not worth its commit.
  void push(engine::Engine::Answers&& answers);

 private:
  void run();

  Send send_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::condition_variable has_room_;
  std::deque<engine::Engine::Answers> waiting_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace pawl::runtime
