#include "worker/worker.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include "core/base/limits.hpp"
#include "worker/host.hpp"
#include "worker/notice_listener.hpp"

namespace pawl::worker {

namespace {

constexpr core::Duration kClaimWait = std::chrono::seconds{20};
constexpr core::Duration kBackOffMin = std::chrono::milliseconds{200};
constexpr core::Duration kBackOffMax = std::chrono::seconds{5};

// Threads created later block them too; the thread that reads the descriptor receives them.
net::Descriptor block_signals() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a handler that does not read its input must not end the worker
  return net::Descriptor{signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK)};
}

}  // namespace

Worker::Worker(WorkerOptions options, Handlers handlers, core::Clock& clock, core::Random& random, Say say)
    : options_(std::move(options)),
      handlers_(std::move(handlers)),
      clock_(clock),
      random_(random),
      say_(std::move(say)),
      runner_options_{.server = options_.server,
                      .ns = options_.ns,
                      .lease = options_.lease,
                      .allow_private = options_.allow_private,
                      .environment = options_.environment},
      id_(fmt::format("{}:{}:{:08x}", host_name(), getpid(), static_cast<std::uint32_t>(random.next()))) {}

core::Status Worker::run() {
  signals_ = block_signals();
  idle_ = net::Descriptor{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  const bool enlisted = enlist();
  runner_options_.worker_id = id_;
  say_(fmt::format("worker {} handles {} with concurrency {}", id_, fmt::join(handlers_.types(), ", "),
                   options_.concurrency));
  LeaseKeeper keeper{{.lease = options_.lease, .is_enlisted = enlisted},
                     std::make_unique<HttpLeaseCalls>(options_.server, options_.ns, id_, random_),
                     clock_,
                     random_};
  WorkerApi notices{options_.server, options_.ns, random_};
  const NoticeListener listener{
      {.wait = [&] { return notices.await_notices(id_, kClaimWait); }, .cancel = [&] { notices.cancel(); }},
      keeper};
  WorkerApi claims{options_.server, options_.ns, random_};
  std::thread claimer{[&] { claim_loop(claims); }};
  std::vector<std::thread> runners;
  for (int i = 0; i < options_.concurrency; ++i) runners.emplace_back([&] { run_loop(keeper); });

  wait_for_signal(std::nullopt);
  stop();
  claims.cancel();
  claimer.join();
  drain(keeper);
  for (auto& runner : runners) runner.join();
  if (enlisted) static_cast<void>(WorkerApi{options_.server, options_.ns, random_}.leave(id_));
  return problem_ ? core::Status{*problem_} : core::Status{core::Done{}};
}

// If the server has no registration or is not reachable yet, the worker claims under its own id.
bool Worker::enlist() {
  WorkerApi api{options_.server, options_.ns, random_};
  auto id = api.enlist({.queues = options_.queues,
                        .types = handlers_.types(),
                        .hostname = host_name(),
                        .pid = getpid(),
                        .version = options_.version,
                        .max_concurrent = options_.concurrency});
  if (id) id_ = *id;
  return id.ok();
}

void Worker::claim_loop(WorkerApi& api) {
  core::Duration wait = kBackOffMin;
  for (int slots = wait_for_slots(); slots > 0; slots = wait_for_slots()) {
    const auto asked_at = clock_.monotonic();
    auto tasks = api.claim(claim_request(slots));
    const bool waited = clock_.monotonic() - asked_at > kBackOffMax;
    if (tasks && (waited || !tasks->empty())) {
      take(*std::move(tasks));
      wait = kBackOffMin;
      continue;
    }
    if (!tasks && is_hopeless(tasks.problem().code)) return give_up(tasks.problem());
    if (!tasks && wait == kBackOffMin) say_unless_stopping(tasks.problem().detail + "; trying again");
    back_off(wait);
    wait = std::min(wait * 2, kBackOffMax);
  }
}

int Worker::wait_for_slots() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [&] { return stopping_ || busy_ < options_.concurrency; });
  return stopping_ ? 0 : options_.concurrency - busy_;
}

ClaimRequest Worker::claim_request(int max) const {
  return {.worker_id = id_,
          .queues = options_.queues,
          .types = handlers_.types(),
          .max = std::min(max, static_cast<int>(core::kClaimTasksMax)),
          .lease = options_.lease,
          .wait = kClaimWait};
}

void Worker::take(std::vector<ClaimedTask> tasks) {
  const std::lock_guard lock{mutex_};
  busy_ += static_cast<int>(tasks.size());
  for (auto& task : tasks) waiting_.push_back(std::move(task));
  changed_.notify_all();
}

void Worker::back_off(core::Duration wait) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, wait, [&] { return stopping_; });
}

void Worker::say_unless_stopping(const std::string& text) {
  const std::lock_guard lock{mutex_};
  if (!stopping_) say_(text);
}

void Worker::give_up(const core::Problem& problem) {
  {
    const std::lock_guard lock{mutex_};
    if (stopping_) return;
    problem_ = problem;
  }
  wake();
}

// A task that was claimed and not started when the worker stops is released.
void Worker::run_loop(LeaseKeeper& keeper) {
  TaskRunner runner{runner_options_, handlers_, keeper, clock_, random_, say_};
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const ClaimedTask task = std::move(waiting_.front());
    waiting_.pop_front();
    const bool begin = !stopping_;
    lock.unlock();
    if (begin) {
      runner.run(task);
    } else {
      runner.release(task);
    }
    lock.lock();
    --busy_;
    changed_.notify_all();
    if (stopping_ && busy_ == 0) wake();
  }
}

void Worker::stop() {
  const std::lock_guard lock{mutex_};
  stopping_ = true;
  changed_.notify_all();
}

void Worker::drain(LeaseKeeper& keeper) {
  const auto until = clock_.monotonic() + options_.drain_timeout;
  {
    const std::lock_guard lock{mutex_};
    closed_ = true;  // the claimer has ended: no more tasks arrive
    changed_.notify_all();
  }
  while (!is_idle() && clock_.monotonic() < until) {
    if (wait_for_signal(until)) break;  // a second signal: stop immediately
  }
  if (!is_idle()) keeper.end_all(LeaseState::abandoned);
}

bool Worker::is_idle() {
  const std::lock_guard lock{mutex_};
  return busy_ == 0;
}

bool Worker::wait_for_signal(std::optional<core::MonotonicTime> until) {
  std::array<pollfd, 2> waits{pollfd{signals_.get(), POLLIN, 0}, pollfd{idle_.get(), POLLIN, 0}};
  const auto left =
      until ? std::chrono::ceil<std::chrono::milliseconds>(*until - clock_.monotonic()).count() : -1;
  const int timeout = until ? static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)) : -1;
  poll(waits.data(), waits.size(), timeout);
  signalfd_siginfo which{};
  std::uint64_t woken = 0;
  if (waits[1].revents != 0) static_cast<void>(!read(idle_.get(), &woken, sizeof woken));
  return waits[0].revents != 0 && read(signals_.get(), &which, sizeof which) == sizeof which;
}

void Worker::wake() {
  const std::uint64_t one = 1;
  static_cast<void>(!write(idle_.get(), &one, sizeof one));  // full: it is awake already
}

}  // namespace pawl::worker
