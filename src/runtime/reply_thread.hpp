#pragma once
// A thread that waits until groups are durable and then sends their replies, while the next one executes.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/engine.hpp"

namespace pawl::runtime {

class Teller {
 public:
  using Tell = std::function<void(engine::Engine::Answers)>;
  explicit Teller(Tell tell);
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;
  ~Teller();  // sends the remaining replies, then ends

  // Blocks while too many groups wait for the disk: a group that is small because callers still wait for the
  // last one is not worth its commit.
  void take(engine::Engine::Answers&& answers);

 private:
  void run();

  Tell tell_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::condition_variable taken_;
  std::deque<engine::Engine::Answers> waiting_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace pawl::runtime
