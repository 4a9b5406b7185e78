// The threads of a body's branches.
//
// Every spawned lambda is queued and runs on a thread of the body. At most `branch_threads` branches that do
// not wait for another branch run concurrently. A waiting thread does not count, so the branch that it waits
// for can take its place. A branch that waits for a queued one runs it itself. So the number of threads is
// bounded, and branches that wait for each other always progress.

#include <algorithm>
#include <utility>

#include "runtime/thread_policy.hpp"
#include "sdk/body.hpp"
#include "sdk/pending.hpp"

namespace pawl::detail {

namespace {

thread_local const Body* body_of_thread = nullptr;  // set on a body's threads

}  // namespace

Body::~Body() {
  {
    const std::lock_guard lock{mutex_};
    are_threads_ending_ = true;
  }
  branch_queued_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::size_t Body::threads_max() const { return 2 * std::max<std::size_t>(services_.branch_threads, 1); }

bool Body::may_start_thread() const { return !has_no_more_threads_ && threads_.size() < threads_max(); }

bool Body::is_short_of_threads() {
  const std::lock_guard lock{mutex_};
  return idle_threads_ == 0 && !may_start_thread();
}

void Body::enqueue(LocalRun& run) {
  const std::lock_guard lock{mutex_};
  ++branches_;
  queued_.push_back(&run);
  start_thread();
}

// Starts or wakes a thread for the first queued branch, if there is room.
void Body::start_thread() {
  if (queued_.empty() || active_ >= std::max<std::size_t>(services_.branch_threads, 1)) return;
  if (idle_threads_ >= queued_.size() || !may_start_thread()) return branch_queued_.notify_one();
  const Outcome made = outcome_of([this] {
    threads_.emplace_back([this] { run_branches(); });
    return std::string{"null"};
  });
  has_no_more_threads_ = made.kind != Outcome::Kind::completed;
  if (!has_no_more_threads_) ++idle_threads_;
}

void Body::run_branches() {
  runtime::use_batch_scheduling();
  body_of_thread = this;
  const std::size_t active_max = std::max<std::size_t>(services_.branch_threads, 1);
  std::unique_lock lock{mutex_};
  for (;;) {
    branch_queued_.wait(lock,
                        [&] { return are_threads_ending_ || (!queued_.empty() && active_ < active_max); });
    if (queued_.empty()) return;
    LocalRun& run = *queued_.front();
    queued_.pop_front();
    run.note_started();
    --idle_threads_;
    ++active_;
    lock.unlock();
    run.run();
    lock.lock();
    --active_;
    ++idle_threads_;
  }
}

void Body::run_here(LocalRun& run) {
  run.run();
  const std::lock_guard lock{mutex_};
  --run_here_;
}

void Body::run_if_queued(LocalRun& run) {
  {
    const std::lock_guard lock{mutex_};
    const auto place = std::find(queued_.begin(), queued_.end(), &run);
    if (place == queued_.end()) return;
    queued_.erase(place);
    run.note_started();
    ++run_here_;
  }
  run_here(run);
}

void Body::wait_for_all_branches() {
  const std::function<bool()> is_enough = [this] { return branches_ == 0 || !queued_.empty(); };
  for (;;) {
    wait_for_branches(is_enough);
    LocalRun* next = nullptr;
    {
      const std::lock_guard lock{mutex_};
      if (branches_ == 0) return;
      if (!queued_.empty()) next = queued_.front();
    }
    if (next != nullptr) run_if_queued(*next);
  }
}

Body::WaitingThread::WaitingThread(Body& body, const std::function<bool()>& goes_on)
    : body_(body), goes_on_(&goes_on) {
  body_.waiting_.push_back(goes_on_);
  body_.branch_ended_.notify_all();
  if (body_of_thread != &body_) return;
  --body_.active_;
  body_.start_thread();
}

Body::WaitingThread::~WaitingThread() {
  std::erase(body_.waiting_, goes_on_);
  if (body_of_thread == &body_) ++body_.active_;
}

}  // namespace pawl::detail
