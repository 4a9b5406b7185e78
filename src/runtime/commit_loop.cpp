#include "runtime/commit_loop.hpp"

#include <utility>

namespace pawl::runtime {

CommitLoop::CommitLoop(engine::Engine& engine, core::Clock& clock, LoopOptions options,
                       std::function<void()> after_group)
    : engine_(engine), clock_(clock), options_(options), after_group_(std::move(after_group)) {
  for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { run(); });
}

CommitLoop::~CommitLoop() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  arrived_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CommitLoop::submit(core::Command command, core::Reply reply) {
  if (const core::Status valid = core::check(command); !valid) return reply(valid.problem());
  const std::size_t weight = core::weight_of(command);
  {
    const std::lock_guard lock{mutex_};
    const bool is_full = queue_.size() >= options_.queued_commands_max ||
                         (queued_tasks_ > 0 && queued_tasks_ + weight > options_.queued_tasks_max);
    if (!is_full && !is_stopping_) {
      if (is_idle()) progress_at_ = clock_.monotonic();
      queue_.push_back({.command = std::move(command), .reply = std::move(reply)});
      queued_tasks_ += weight;
      arrived_.notify_one();  // with the lock: whoever is answered may end the loop before this returns
      return;
    }
  }
  reply(core::Problem{.code = core::ProblemCode::resource_exhausted,
                      .detail = "the store cannot keep up: too many commands wait for it"});
}

std::vector<engine::Request> CommitLoop::take_group() {
  std::unique_lock lock{mutex_};
  arrived_.wait(lock, [this] { return !queue_.empty() || is_stopping_; });
  std::vector<engine::Request> group;
  std::size_t tasks = 0;
  while (!queue_.empty()) {
    const std::size_t weight = core::weight_of(queue_.front().command);
    if (!group.empty() && tasks + weight > options_.group_tasks_max) break;
    tasks += weight;
    queued_tasks_ -= weight;
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  executing_ += group.empty() ? 0 : 1;
  return group;
}

void CommitLoop::run() {
  for (auto group = take_group(); !group.empty(); group = take_group()) {
    engine_.execute(std::move(group));
    after_group_();
    const std::lock_guard lock{mutex_};
    --executing_;
    progress_at_ = clock_.monotonic();
  }
}

std::optional<core::MonotonicTime> CommitLoop::waiting_since() {
  const std::lock_guard lock{mutex_};
  return is_idle() ? std::nullopt : std::optional{progress_at_};
}

}  // namespace pawl::runtime
