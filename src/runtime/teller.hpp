#pragma once
// A thread that waits until groups are on the disk and then answers them, while the next group is worked out.

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
  ~Teller();  // tells what it has, then ends

  // Waits as long as too many wait for the disk: groups that are small because their callers still wait for
  // the last one are not worth their commits.
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
