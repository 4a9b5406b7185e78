#include "runtime/ticker.hpp"

#include <algorithm>

#include "core/base/low_memory.hpp"

namespace pawl::runtime {

namespace {

// The longest time without a leader after a leader hands over or its lease ends.
constexpr core::Duration kLeaderPoll = std::chrono::milliseconds{500};

}  // namespace

Ticker::Ticker(engine::Engine& engine, Membership& membership, core::Clock& clock, TickerOptions options)
    : engine_(engine),
      membership_(membership),
      clock_(clock),
      options_(options),
      polled_at_(clock.monotonic()),
      next_stuck_poll_(polled_at_ + options.stuck),
      retainer_(engine, clock, options.retention) {
  thread_ = std::thread{[this] { run(); }};
  maintenance_ = std::thread{[this] { run_maintenance(); }};
}

Ticker::~Ticker() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  maintenance_.join();
}

void Ticker::note_due(core::TimePoint time) {
  const std::lock_guard lock{mutex_};
  const core::MonotonicTime due{time.time_since_epoch() - store_ahead_};
  if (due >= next_poll_) return;
  next_poll_ = due;
  changed_.notify_all();
}

void Ticker::run() {
  core::MonotonicTime next = clock_.monotonic();
  while (wait_until(next)) {
    next = clock_.monotonic() + options_.interval;
    (void)core::has_memory_for([&] { next = poll(); });
  }
}

bool Ticker::wait_until(core::MonotonicTime time) {
  std::unique_lock lock{mutex_};
  next_poll_ = time;
  while (!is_stopping_) {
    const core::MonotonicTime now = clock_.monotonic();
    if (now >= next_poll_) return true;
    // Never longer than one interval, whatever the clock says.
    changed_.wait_for(lock, std::min<core::Duration>(next_poll_ - now, options_.interval));
  }
  return false;
}

core::MonotonicTime Ticker::poll() {
  engine_.end_waits();
  const core::MonotonicTime now = clock_.monotonic();
  core::MonotonicTime next = now + options_.interval;
  if (const auto end = engine_.waiters().next_end()) next = std::min(next, *end);

  const engine::TickResult result = engine_.sweeper().tick(options_.page);
  const bool is_page_full =
      static_cast<std::size_t>(std::max({result.leases, result.promoted, result.woken})) >= options_.page;
  if (result.store_now) note_poll();
  if (is_page_full) return now;
  if (engine_.waiters().size() > 0) {
    const bool may_have_changed = engine_.sweeper().may_have_changed();
    if (may_have_changed || engine_.waiters().has_limited()) engine_.serve_waiting(!may_have_changed);
  }
  const std::lock_guard lock{mutex_};
  if (result.store_now) {
    store_ahead_ = result.store_now->time_since_epoch() - clock_.monotonic().time_since_epoch();
    if (result.next_due)
      next = std::min(next, core::MonotonicTime{result.next_due->time_since_epoch() - store_ahead_});
  }
  return std::max(next, now);
}

void Ticker::note_poll() {
  const std::lock_guard lock{mutex_};
  polled_at_ = clock_.monotonic();
}

core::MonotonicTime Ticker::polled_at() {
  const std::lock_guard lock{mutex_};
  return polled_at_;
}

void Ticker::poll_stuck_if_due() {
  if (clock_.monotonic() < next_stuck_poll_) return;
  next_stuck_poll_ = clock_.monotonic() + options_.stuck;
  engine_.sweeper().note_stuck_runs(options_.page, options_.stuck_after);
}

bool Ticker::wait_for_maintenance() {
  core::Duration remaining = options_.maintenance;
  while (remaining > core::Duration{0}) {
    const core::MonotonicTime began_at = clock_.monotonic();
    membership_.beat_if_due();
    const core::Duration pause =
        std::min({remaining, kLeaderPoll, membership_.is_leader() ? retainer_.step() : remaining});
    remaining -= pause + (clock_.monotonic() - began_at);
    std::unique_lock lock{mutex_};
    if (changed_.wait_for(lock, pause, [this] { return is_stopping_; })) return false;
  }
  return true;
}

void Ticker::run_maintenance() {
  bool is_running = true;
  while (is_running) {
    (void)core::has_memory_for([&] {
      is_running = wait_for_maintenance();
      if (!is_running) return;
      engine_.sweeper().maintain();
      engine_.sweeper().sweep_records(options_.page);
      poll_stuck_if_due();
    });
  }
}

}  // namespace pawl::runtime
