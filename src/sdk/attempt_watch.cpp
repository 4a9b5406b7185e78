#include "sdk/attempt_watch.hpp"

#include <algorithm>
#include <utility>

#include "sdk/outcome.hpp"

namespace pawl::detail {

namespace {

// How often running attempts are checked. A timeout is met more precisely.
constexpr core::Duration kLookInterval = kShownAfter / 2;
constexpr std::size_t kBeginsAtOnce = 500;

}  // namespace

void AttemptWatch::begin(Attempt& attempt) {
  attempt.started_at = connection_.clock().monotonic();
  const std::lock_guard lock{mutex_};
  attempt.next = first_;
  if (first_ != nullptr) first_->previous = &attempt;
  first_ = &attempt;
  has_begun_any_ = true;
  if (is_stopping_) return;
  if (!watcher_.joinable()) {
    // If no threads can be started, the attempts run without a watch.
    static_cast<void>(outcome_of([this] {
      watcher_ = std::thread{[this] { watch(); }};
      writer_ = std::thread{[this] { write(); }};
      return std::string{};
    }));
  }
  if (is_idle_ || (attempt.timeout_at && *attempt.timeout_at < wakes_at_)) changed_.notify_one();
}

AttemptWatch::End AttemptWatch::end(Attempt& attempt) {
  const std::lock_guard lock{mutex_};
  (attempt.previous != nullptr ? attempt.previous->next : first_) = attempt.next;
  if (attempt.next != nullptr) attempt.next->previous = attempt.previous;
  if (attempt.is_given_up) return End::given_up;
  // The timer thread may be late, so the clock decides.
  const bool is_late = attempt.timeout_at && connection_.clock().monotonic() >= *attempt.timeout_at;
  return attempt.has_timed_out || is_late ? End::timed_out : End::in_time;
}

void AttemptWatch::stop() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  changed_.notify_all();
  queued_.notify_all();
  if (watcher_.joinable()) watcher_.join();
  if (writer_.joinable()) writer_.join();
}

void AttemptWatch::check(Attempt& attempt, core::MonotonicTime now, std::vector<std::stop_source>& stopped) {
  if (attempt.timeout_at && now >= *attempt.timeout_at && !std::exchange(attempt.has_timed_out, true))
    stopped.push_back(attempt.stop);
  const bool is_hung = attempt.timeout_at && now >= *attempt.timeout_at + grace_;
  if (is_hung && attempt.give_up && !std::exchange(attempt.is_given_up, true))
    give_ups_.push_back(attempt.give_up());
  const bool is_long = attempt.begin && now >= attempt.started_at + kShownAfter;
  if (is_long && !attempt.is_given_up && !std::exchange(attempt.is_shown, true))
    begins_.push_back(attempt.begin());
}

core::MonotonicTime AttemptWatch::next_wake(core::MonotonicTime now) const {
  core::MonotonicTime wake = now + kLookInterval;
  for (const Attempt* attempt = first_; attempt != nullptr; attempt = attempt->next) {
    if (!attempt->timeout_at) continue;
    for (const core::MonotonicTime at : {*attempt->timeout_at, *attempt->timeout_at + grace_}) {
      if (at > now) wake = std::min(wake, at);
    }
  }
  return wake;
}

void AttemptWatch::watch() {
  std::unique_lock lock{mutex_};
  while (!is_stopping_) {
    const core::MonotonicTime now = connection_.clock().monotonic();
    std::vector<std::stop_source> stopped;
    for (Attempt* attempt = first_; attempt != nullptr; attempt = attempt->next)
      check(*attempt, now, stopped);
    if (!begins_.empty() || !give_ups_.empty()) queued_.notify_one();
    if (!stopped.empty()) {
      lock.unlock();
      for (std::stop_source& stop : stopped) stop.request_stop();  // may call user code
      lock.lock();
      continue;
    }
    // Stays awake for one more interval, so that a worker that runs step after step does not wake this thread
    // for each of them.
    is_idle_ = first_ == nullptr && !std::exchange(has_begun_any_, false);
    wakes_at_ = next_wake(now);
    if (is_idle_) {
      changed_.wait(lock, [this] { return is_stopping_ || first_ != nullptr; });
    } else {
      changed_.wait_until(lock, wakes_at_);
    }
    is_idle_ = false;
  }
}

void AttemptWatch::write() {
  std::unique_lock lock{mutex_};
  for (;;) {
    queued_.wait(lock, [this] { return is_stopping_ || !begins_.empty() || !give_ups_.empty(); });
    if (is_stopping_ && give_ups_.empty()) return;
    auto begins = std::exchange(begins_, {});
    const auto give_ups = std::exchange(give_ups_, {});
    lock.unlock();
    for (const std::function<void()>& give_up : give_ups) give_up();
    if (!begins.empty()) show(std::move(begins));
    lock.lock();
  }
}

// A failed write has one effect: the step is not shown as started.
void AttemptWatch::show(std::vector<core::WriteSteps> begins) {
  for (std::size_t from = 0; from < begins.size(); from += kBeginsAtOnce) {
    core::WriteStepsOfMany some{.ns = connection_.ns()};
    const auto first = begins.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last =
        begins.begin() + static_cast<std::ptrdiff_t>(std::min(from + kBeginsAtOnce, begins.size()));
    some.writes.assign(std::make_move_iterator(first), std::make_move_iterator(last));
    static_cast<void>(outcome_of([&] {
      static_cast<void>(connection_.calls().runs().write_steps_of_many(std::move(some)));
      return std::string{};
    }));
  }
}

}  // namespace pawl::detail
