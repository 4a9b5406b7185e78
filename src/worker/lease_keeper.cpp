#include "worker/lease_keeper.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/time.hpp"
#include "worker/host.hpp"

namespace pawl::worker {

namespace {

// A third of the lease, so that two heartbeats may be lost; and often enough
// that the worker stays online.
core::Duration interval_of(core::Duration lease) {
  return std::min<core::Duration>(lease / 3, std::chrono::seconds{10});
}

}  // namespace

LeaseKeeper::LeaseKeeper(KeeperOptions options, std::unique_ptr<LeaseCalls> calls, core::Clock& clock,
                         core::Random& random)
    : options_(options),
      clock_(clock),
      calls_(std::move(calls)),
      keys_(random),
      next_beat_(clock.monotonic() + interval_of(options_.lease)),
      thread_([this] { run(); }) {}

LeaseKeeper::~LeaseKeeper() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  changed_.notify_all();
  calls_->cancel();
  thread_.join();
}

std::shared_ptr<Lease> LeaseKeeper::hold(LeaseTerms terms) {
  const core::MonotonicTime until = terms.until;
  auto lease = std::make_shared<Lease>(std::move(terms), clock_);
  const std::lock_guard lock{mutex_};
  leases_.push_back(lease);
  note_end(until);
  return lease;
}

void LeaseKeeper::drop(const std::shared_ptr<Lease>& lease) {
  const std::lock_guard lock{mutex_};
  std::erase(leases_, lease);
}

void LeaseKeeper::set_timeout(const std::shared_ptr<Lease>& lease, core::MonotonicTime at) {
  const std::lock_guard lock{mutex_};
  lease->set_timeout(at);
  note_end(at);
}

// The end may have passed already, or pass while the thread is busy: it must
// not count as noticed.
void LeaseKeeper::note_end(core::MonotonicTime at) {
  looked_at_ = std::min(looked_at_, at - core::Duration{1});
  if (at < wakes_at_) changed_.notify_all();
}

void LeaseKeeper::renew_now(std::vector<std::string> task_ids) {
  const std::lock_guard lock{mutex_};
  std::move(task_ids.begin(), task_ids.end(), std::back_inserter(renewed_now_));
  changed_.notify_all();
}

LeaseKeeper::Leases LeaseKeeper::take_renewed_now() {
  const std::vector<std::string> ids = std::exchange(renewed_now_, {});
  Leases leases;
  for (const auto& lease : leases_) {
    if (std::find(ids.begin(), ids.end(), lease->task_id()) != ids.end()) leases.push_back(lease);
  }
  return leases;
}

void LeaseKeeper::end_all(LeaseState why) {
  Leases leases;
  {
    const std::lock_guard lock{mutex_};
    leases = leases_;
  }
  for (const auto& lease : leases) lease->end(why);
}

void LeaseKeeper::count(bool completed) { ++(completed ? completed_ : failed_); }

core::MonotonicTime LeaseKeeper::next_wake() const {
  auto wake = next_beat_;
  for (const auto& lease : leases_) {
    for (const auto end : {lease->until(), lease->timeout_at()}) {
      if (end > looked_at_) wake = std::min(wake, end);
    }
  }
  return wake;
}

void LeaseKeeper::run() {
  std::unique_lock lock{mutex_};
  while (!stopping_) {
    wakes_at_ = next_wake();
    if (renewed_now_.empty()) changed_.wait_until(lock, wakes_at_);
    const auto leases = leases_;
    const auto renewed_now = take_renewed_now();
    looked_at_ = clock_.monotonic();
    const bool due = looked_at_ >= next_beat_;
    lock.unlock();
    for (const auto& lease : leases) static_cast<void>(lease->state());  // notices that it has expired
    bool renewed = false;
    if (due) {
      renewed = beat(leases);
      tell_worker_alive(leases);
    } else if (!renewed_now.empty()) {
      beat(renewed_now);
    }
    lock.lock();
    const auto interval = interval_of(options_.lease);
    if (due) next_beat_ = clock_.monotonic() + (renewed ? interval : interval / 3);
  }
}

// At most until the next lease ends, since the keeper must notice that.
core::Duration LeaseKeeper::call_timeout(const Leases& leases) const {
  core::Duration timeout = interval_of(options_.lease);
  const auto now = clock_.monotonic();
  for (const auto& lease : leases) {
    timeout = std::min(timeout, lease->until() - now);
    if (lease->timeout_at() > now) timeout = std::min(timeout, lease->timeout_at() - now);
  }
  return std::max<core::Duration>(timeout, std::chrono::milliseconds{10});
}

bool LeaseKeeper::beat(const Leases& leases) {
  std::vector<HeldTask> tasks;
  Leases told;
  for (const auto& lease : leases) {
    if (lease->state() == LeaseState::lost) continue;
    tasks.push_back({.task_id = lease->task_id(), .fence = lease->fence()});
    told.push_back(lease);
  }
  if (told.empty()) return true;
  const auto sent_at = clock_.monotonic();
  const auto results = calls_->renew(tasks, options_.lease, call_timeout(told));
  if (!results)
    return false;  // the next heartbeat tries again; if none succeeds, the lease
                   // expires
  for (std::size_t i = 0; i < told.size(); ++i) {
    const auto& result = (*results)[i];
    if (!result) {
      told[i]->end(LeaseState::lost);
      continue;
    }
    told[i]->renew(sent_at + options_.lease);
    if (result->cancel_requested) told[i]->end(LeaseState::cancelled);
  }
  return true;
}

// A heartbeat without a reply may have been counted, so it is sent again with
// its counts and its key. The server then repeats its reply and does not note
// that the worker is alive: a second heartbeat does.
void LeaseKeeper::tell_worker_alive(const Leases& leases) {
  if (!options_.is_enlisted) return;
  if (unconfirmed_ && !send_heartbeat(leases)) return;
  unconfirmed_ = Heartbeat{.key = to_string(keys_.next(clock_.now())),
                           .counts = {.active = static_cast<int>(leases.size()),
                                      .completed = completed_.exchange(0),
                                      .failed = failed_.exchange(0)}};
  send_heartbeat(leases);
}

bool LeaseKeeper::send_heartbeat(const Leases& leases) {
  const core::Status sent = calls_->tell_alive(*unconfirmed_, call_timeout(leases));
  const bool is_refused = !sent && is_hopeless(sent.problem().code);
  if (!sent && !is_refused) return false;
  if (is_refused) {  // not counted: the counts are reported with the next
                     // heartbeat
    completed_ += unconfirmed_->counts.completed;
    failed_ += unconfirmed_->counts.failed;
  }
  unconfirmed_.reset();
  return true;
}

}  // namespace pawl::worker
