#pragma once
// The commit loop: gives all waiting commands to the engine as one group. A group is one command when idle
// and hundreds under load. The next group forms while the last one is being flushed. If the store flushes
// separately, the loop also executes the next group meanwhile, and a ReplyThread sends the replies. A group
// waits for more commands only if the disk is slow, see BatchDelay.
//
// `submit` may be called from any thread and never blocks: beyond its limits it replies resource_exhausted.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "runtime/batch_delay.hpp"
#include "runtime/reply_thread.hpp"

namespace pawl::runtime {

struct LoopOptions {
  int threads = 0;  // 0: as many as the store has writers
  std::size_t group_tasks_max = core::kGroupTasksMax;
  std::size_t queued_commands_max = core::kQueuedCommandsMax;
  std::size_t queued_tasks_max = core::kQueuedTasksMax;
  // A command that has waited longer for its group is refused, so that callers get a reply in bounded time
  // while the store is unavailable: this time, plus the time that one group may take.
  core::Duration queued_at_most = std::chrono::seconds{10};
};

class CommitLoop {
 public:
  // `after_group` runs on the loop's thread after every group.
  CommitLoop(engine::Engine& engine, core::Clock& clock, LoopOptions options,
             std::function<void()> after_group);
  CommitLoop(const CommitLoop&) = delete;
  CommitLoop& operator=(const CommitLoop&) = delete;
  ~CommitLoop();  // executes the submitted commands, then ends

  void submit(core::Command&& command, core::Reply&& reply);

  // Since when there has been work and no group has ended; none if there is no work.
  [[nodiscard]] std::optional<core::MonotonicTime> waiting_since();

 private:
  void run();
  // Rejects the commands that have waited too long, and removes them from the group.
  void reject_overdue(std::vector<engine::Request>& group) const;
  // Sends the replies, on this thread or on the reply thread.
  void forward(engine::Engine::Answers answers);
  void send_replies(engine::Engine::Answers answers);
  // Returns when a group should begin.
  void wait_for_batch(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool is_due() const;
  [[nodiscard]] bool wants_more() const;
  [[nodiscard]] std::vector<engine::Request> take_group();

  [[nodiscard]] std::size_t queued() const { return queue_.size() - consumed_; }
  [[nodiscard]] bool is_full() const { return queued_tasks_ >= options_.group_tasks_max; }
  [[nodiscard]] bool is_idle() const { return queued() == 0 && executing_ == 0; }

  engine::Engine& engine_;
  core::Clock& clock_;
  LoopOptions options_;
  std::function<void()> after_group_;
  const bool delays_batches_;                // one thread, which measures how long the disk takes
  std::optional<ReplyThread> reply_thread_;  // ends after the threads: it has their last answers
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<engine::Request> queue_;
  std::size_t consumed_ = 0;  // of its front, which are in a group
  std::size_t queued_tasks_ = 0;
  BatchDelay batch_delay_;
  int unreplied_ = 0;                     // groups that began and have no replies yet
  int executing_ = 0;                     // groups
  core::MonotonicTime progress_at_ = {};  // a group ended, or work arrived while idle
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pawl::runtime
