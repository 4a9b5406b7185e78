#pragma once
// The commit loop: takes all commands that wait and gives them to the engine as one group. One is a group
// when idle, hundreds are under load. The next group forms while the last is being flushed; where the store
// flushes apart it is also worked out meanwhile, and a thread of its own tells the answers. Only where the
// disk is slow does a group wait for more, see Gathering.
//
// `submit` may be called from any thread and never blocks: beyond the bounds it answers resource_exhausted.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "runtime/gathering.hpp"
#include "runtime/teller.hpp"

namespace pawl::runtime {

struct LoopOptions {
  int threads = 0;  // 0: as many as the store has writers
  std::size_t group_tasks_max = core::kGroupTasksMax;
  std::size_t queued_commands_max = core::kQueuedCommandsMax;
  std::size_t queued_tasks_max = core::kQueuedTasksMax;
  // A command that has waited longer for its group is refused, so that callers are answered in bounded time
  // while the store is away: this, and the time that one group may take.
  core::Duration queued_at_most = std::chrono::seconds{10};
};

class CommitLoop {
 public:
  // `after_group` runs on the loop's thread after every group.
  CommitLoop(engine::Engine& engine, core::Clock& clock, LoopOptions options,
             std::function<void()> after_group);
  CommitLoop(const CommitLoop&) = delete;
  CommitLoop& operator=(const CommitLoop&) = delete;
  ~CommitLoop();  // executes what was submitted, then ends

  void submit(core::Command&& command, core::Reply&& reply);

  // Since when there is something to do and no group has ended; nothing when there is nothing to do.
  [[nodiscard]] std::optional<core::MonotonicTime> waiting_since();

 private:
  void run();
  // Replies to the commands that have waited too long, and takes them out of the group.
  void refuse_overdue(std::vector<engine::Request>& group) const;
  // Here, or on the teller's thread.
  void hand_on(engine::Engine::Answers answers);
  void tell(engine::Engine::Answers answers);
  // Returns when a group is to begin.
  void gather(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool is_due() const;
  [[nodiscard]] bool wants_more() const;
  [[nodiscard]] std::vector<engine::Request> take_group();

  [[nodiscard]] std::size_t queued() const { return queue_.size() - taken_; }
  [[nodiscard]] bool is_full() const { return queued_tasks_ >= options_.group_tasks_max; }
  [[nodiscard]] bool is_idle() const { return queued() == 0 && executing_ == 0; }

  engine::Engine& engine_;
  core::Clock& clock_;
  LoopOptions options_;
  std::function<void()> after_group_;
  const bool gathers_;            // one thread, which knows how long the disk takes
  std::optional<Teller> teller_;  // ends after the threads: it has their last answers
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<engine::Request> queue_;
  std::size_t taken_ = 0;  // of its front
  std::size_t queued_tasks_ = 0;
  Gathering gathering_;
  int untold_ = 0;                        // groups that were taken and are not answered
  int executing_ = 0;                     // groups
  core::MonotonicTime progress_at_ = {};  // a group ended, or there was work again after there was none
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pawl::runtime
