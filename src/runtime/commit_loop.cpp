#include "runtime/commit_loop.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/low_memory.hpp"

namespace pawl::runtime {

namespace {

constexpr std::size_t kFewAnswers = 2;

}  // namespace

CommitLoop::CommitLoop(engine::Engine& engine, core::Clock& clock, LoopOptions options,
                       std::function<void()> after_group)
    : engine_(engine),
      clock_(clock),
      options_(options),
      after_group_(std::move(after_group)),
      delays_batches_(engine.store().flushes_apart() && options.threads == 1) {
  if (engine_.store().flushes_apart())
    reply_thread_.emplace([this](engine::Engine::Answers answers) { send_replies(std::move(answers)); });
  for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { run(); });
}

CommitLoop::~CommitLoop() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  arrived_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  reply_thread_.reset();  // sends its remaining replies, which use members that are destroyed later
}

void CommitLoop::submit(core::Command&& command, core::Reply&& reply) {
  if (const core::Status valid = core::check(command); !valid) return reply(valid.problem());
  const std::size_t weight = core::weight_of(command);
  {
    const std::lock_guard lock{mutex_};
    const bool is_full = queued() >= options_.queued_commands_max ||
                         (queued_tasks_ > 0 && queued_tasks_ + weight > options_.queued_tasks_max);
    if (!is_full && !is_stopping_) {
      if (is_idle()) progress_at_ = clock_.monotonic();
      queue_.emplace_back(std::move(command), std::move(reply), clock_.monotonic());
      queued_tasks_ += weight;
      arrived_.notify_one();  // under the lock: after its reply, a caller may destroy the loop
      return;
    }
  }
  reply(core::Problem{.code = core::ProblemCode::resource_exhausted,
                      .detail = "the store cannot keep up: too many commands wait for it"});
}

// Whether a group may begin, apart from waiting for more commands.
bool CommitLoop::is_due() const {
  if (is_stopping_) return true;
  if (queued() == 0) return false;
  return unreplied_ == 0 || is_full() || !batch_delay_.waits_for_last_group();
}

bool CommitLoop::wants_more() const {
  return !is_stopping_ && !is_full() && batch_delay_.wants_more(queued());
}

void CommitLoop::wait_for_batch(std::unique_lock<std::mutex>& lock) {
  arrived_.wait(lock, [this] { return is_due(); });
  if (!delays_batches_ || !wants_more()) return;
  const std::size_t before = queued();
  arrived_.wait_until(lock, batch_delay_.wait_ends_at(), [this] { return !wants_more(); });
  batch_delay_.note_waited(before, queued());
}

std::vector<engine::Request> CommitLoop::take_group() {
  std::unique_lock lock{mutex_};
  wait_for_batch(lock);
  batch_delay_.note_begun();
  std::vector<engine::Request> group;
  if (consumed_ == 0 && queued_tasks_ <= options_.group_tasks_max) {  // all, which costs no more than one
    group.swap(queue_);
    queued_tasks_ = 0;
    (void)core::has_memory_for([&] { queue_.reserve(group.size()); });
  }
  std::size_t tasks = 0;
  while (queued() > 0) {
    const std::size_t weight = core::weight_of(queue_[consumed_].command);
    if (!group.empty() && tasks + weight > options_.group_tasks_max) break;
    tasks += weight;
    queued_tasks_ -= weight;
    group.push_back(std::move(queue_[consumed_++]));
  }
  if (consumed_ > queue_.size() / 2) {  // under constant load the queue never empties: drop its front
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(consumed_));
    consumed_ = 0;
  }
  executing_ += group.empty() ? 0 : 1;
  unreplied_ += group.empty() ? 0 : 1;
  return group;
}

void CommitLoop::run() {
  for (auto group = take_group(); !group.empty(); group = take_group()) {
    reject_overdue(group);
    const core::MonotonicTime from = clock_.monotonic();
    engine::Engine::Answers answers = engine_.commit(std::move(group));
    const core::Duration work = clock_.monotonic() - from;
    forward(std::move(answers));
    (void)core::has_memory_for(after_group_);
    const std::lock_guard lock{mutex_};
    batch_delay_.note_work(work);
    --executing_;
    progress_at_ = clock_.monotonic();
  }
}

void CommitLoop::reject_overdue(std::vector<engine::Request>& group) const {
  const core::MonotonicTime oldest = clock_.monotonic() - options_.queued_at_most;
  const auto is_overdue = [oldest](const engine::Request& request) { return request.submitted_at < oldest; };
  if (group.empty() || !is_overdue(group.front())) return;  // they are in the order of their arrival
  const auto first_in_time = std::find_if_not(group.begin(), group.end(), is_overdue);
  const core::Problem problem{
      .code = core::ProblemCode::unavailable,
      .detail = fmt::format("the store has not kept up for {}: nothing was done, try again",
                            core::format_duration(options_.queued_at_most))};
  for (auto request = group.begin(); request != first_in_time; ++request) request->reply(problem);
  group.erase(group.begin(), first_in_time);
}

// Forwarding the answers to the reply thread costs a thread switch. That is too much for a few answers when
// no other work waits.
void CommitLoop::forward(engine::Engine::Answers answers) {
  const auto has_more = [this] {
    const std::lock_guard lock{mutex_};
    return queued() > 0;
  };
  const bool is_worth_a_switch = answers.replies.size() > kFewAnswers || has_more();
  const bool is_forwarded = reply_thread_ && is_worth_a_switch &&
                            core::has_memory_for([&] { reply_thread_->push(std::move(answers)); });
  if (!is_forwarded) send_replies(std::move(answers));
}

void CommitLoop::send_replies(engine::Engine::Answers answers) {
  const bool waits_for_flush = delays_batches_ && answers.number != store::kDurable;
  const core::MonotonicTime from = clock_.monotonic();
  engine_.await_durable(answers);
  if (waits_for_flush) {
    const core::Duration flush = clock_.monotonic() - from;
    const std::lock_guard lock{mutex_};
    batch_delay_.note_flush(flush, answers.replies.size(), queued());
  }
  engine_.reply(std::move(answers));
  const std::lock_guard lock{mutex_};
  batch_delay_.note_replied(clock_.monotonic());
  --unreplied_;
  if (delays_batches_ && queued() > 0) arrived_.notify_one();  // it may be due now
}

std::optional<core::MonotonicTime> CommitLoop::waiting_since() {
  const std::lock_guard lock{mutex_};
  return is_idle() ? std::nullopt : std::optional{progress_at_};
}

}  // namespace pawl::runtime
