#include "sdk/worker_core.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/limits.hpp"
#include "core/base/printable.hpp"
#include "core/json/schema.hpp"
#include "core/run/step.hpp"
#include "core/task/type_pattern.hpp"
#include "runtime/thread_policy.hpp"
#include "sdk/body.hpp"
#include "sdk/convert.hpp"
#include "sdk/end_signals.hpp"
#include "sdk/lease_calls.hpp"
#include "sdk/task_state.hpp"
#include "worker/host.hpp"

namespace pawl::detail {

namespace {

constexpr core::Duration kBackOffMin = std::chrono::milliseconds{100};
constexpr core::Duration kBackOffMax = std::chrono::seconds{5};
constexpr core::Duration kSignalLook = std::chrono::milliseconds{100};
constexpr int kBranchThreadsMax = 1024;  // per worker with max_concurrent up to half of it
constexpr core::Duration kThreadsAgain = std::chrono::seconds{5};
constexpr core::Duration kStopAtOnce = std::chrono::seconds{1};
constexpr core::Duration kDeregisterMax = std::chrono::seconds{5};

// Two workers of one process are not restarts of the same worker, so each registers under its own name.
std::string name_of_this_one() {
  static std::atomic<int> workers_made{0};  // of the process
  const int number = ++workers_made;
  return number == 1 ? worker::host_name() : fmt::format("{}#{}", worker::host_name(), number);
}

void say_to_stderr(const std::string& text) { fmt::print(stderr, "pawl: {}\n", core::printable(text)); }

// Adds a schema check: the handler is never called with an input that does not match.
template <typename Handler>
Handler with_schema(const std::string& text, Handler handler) {
  if (text.empty()) return handler;
  const core::RawJson schema{text};
  if (const core::Status json = core::check_json("schema", schema); !json) throw error_of(json.problem());
  if (const core::Status valid = core::check_schema("schema", schema); !valid)
    throw error_of(valid.problem());
  return
      [parsed = core::Schema{schema}, handler = std::move(handler)](auto& context, const std::string& input) {
        if (const core::Status fits = parsed.check("payload", {input}); !fits)
          throw BadJson{fits.problem().detail};
        return handler(context, input);
      };
}

std::size_t branch_threads(const WorkerOptions& options) {
  const int fair_share = std::max(2, kBranchThreadsMax / options.max_concurrent);
  return static_cast<std::size_t>(std::min(options.branch_threads, fair_share));
}

template <typename Handlers>
std::vector<std::string> names_of(const Handlers& handlers) {
  std::vector<std::string> names;
  for (const auto& [name, handler] : handlers) names.push_back(name);
  return names;
}

}  // namespace

WorkerCore::WorkerCore(std::shared_ptr<Connection> connection, WorkerOptions options)
    : connection_(std::move(connection)),
      options_(std::move(options)),
      log_(options_.log ? options_.log : say_to_stderr) {
  if (options_.max_concurrent < 1) throw Error{"invalid_argument", "max_concurrent: must be at least 1"};
  if (options_.prefetch < 0) throw Error{"invalid_argument", "prefetch: must not be negative"};
  if (options_.branch_threads < 1) throw Error{"invalid_argument", "branch_threads: must be at least 1"};
  if (options_.queues.empty()) throw Error{"invalid_argument", "queues: must name at least one"};
}

void WorkerCore::check_new(const std::string& name) const {
  if (is_started_) throw Error{"invalid_state", "handlers are added before the worker is started"};
  if (const core::Status valid = core::check_name("type", name); !valid) throw error_of(valid.problem());
  if (core::is_beginning(name))
    throw Error{"invalid_argument", "type: '" + name + "' would claim all types that begin so"};
  if (tasks_.contains(name) || workflows_.contains(name))
    throw Error{"conflict", "there is a handler for '" + name + "' already"};
}

void WorkerCore::add_task(std::string_view type, const HandlerOptions& options, TaskHandler handler) {
  check_new(std::string{type});
  tasks_.emplace(type, with_schema(options.schema, std::move(handler)));
}

void WorkerCore::add_workflow(std::string_view name, const HandlerOptions& options, WorkflowHandler handler) {
  std::string type = core::body_type(std::string{name});
  check_new(type);
  workflows_.emplace(std::move(type), with_schema(options.schema, std::move(handler)));
}

// If the server is not reachable yet, the worker claims under a name that it makes itself.
std::string WorkerCore::enlist() {
  std::vector<std::string> workflows;
  for (const auto& [type, handler] : workflows_) workflows.push_back(type.substr(core::body_type("").size()));
  const std::string host = name_of_this_one();
  const auto known = connection_->calls().tasks().register_worker({.ns = connection_->ns(),
                                                                   .queues = options_.queues,
                                                                   .task_types = names_of(tasks_),
                                                                   .workflow_types = workflows,
                                                                   .hostname = host,
                                                                   .pid = getpid(),
                                                                   .version = options_.version,
                                                                   .max_concurrent = held_max(),
                                                                   .labels = options_.labels});
  if (known) return known->worker_id;
  if (worker::is_hopeless(known.problem().code)) throw error_of(known.problem());
  log_("the worker could not register itself: " + known.problem().detail);
  return fmt::format("{}:{}:{:08x}", host, getpid(),
                     static_cast<std::uint32_t>(connection_->random().next()));
}

void WorkerCore::start() {
  if (is_started_) throw Error{"invalid_state", "the worker was started already"};
  if (tasks_.empty() && workflows_.empty())
    throw Error{"invalid_state", "the worker has no handlers: add some with task() and workflow()"};
  reporter_ = std::make_shared<Reporter>(*connection_, enlist(), log_);
  attempts_ = std::make_shared<AttemptWatch>(*connection_, options_.stop_grace);
  is_started_ = true;
  claims_.emplace(connection_->own_calls(options_.lease));
  is_over_ = std::make_shared<std::atomic<bool>>(false);
  keeper_ = std::make_unique<worker::LeaseKeeper>(
      worker::KeeperOptions{.lease = options_.lease, .is_enlisted = true},
      std::make_unique<ApiLeaseCalls>(
          connection_->own_calls(options_.lease / 3),
          ApiLeaseCalls::Of{
              .ns = connection_->ns(), .worker_id = reporter_->worker_id(), .is_over = is_over_}),
      connection_->clock(), connection_->random());
  listen();
  claimer_ = std::thread{[this] { claim_loop(); }};
}

// Before the first claim, so that no cancel of a claimed task is missed.
void WorkerCore::listen() {
  const core::Duration wait = connection_->notice_wait();
  notice_calls_.emplace(connection_->own_calls(wait + options_.lease));
  const auto await_notices = [this, wait]() -> core::Result<std::vector<std::string>> {
    const auto tasks = notice_calls_->tasks().await_notices(
        {.ns = connection_->ns(), .worker_id = reporter_->worker_id(), .wait = wait});
    if (!tasks) return tasks.problem();
    std::vector<std::string> ids;
    for (const core::TaskId& task : *tasks) ids.push_back(to_string(task));
    return ids;
  };
  listener_ = std::make_unique<worker::NoticeListener>(
      worker::NoticeCalls{.wait = await_notices, .cancel = [this] { end_waits(*notice_calls_); }}, *keeper_);
}

// --- claiming ---

void WorkerCore::claim_loop() {
  core::Duration wait = kBackOffMin;
  for (int slots = wait_for_slots(); slots > 0; slots = wait_for_slots()) {
    const auto asked_at = connection_->clock().monotonic();
    auto claimed = claims_->tasks().claim(claim_of(slots));
    if (claimed) {
      const bool has_room = has_taken(std::move(*claimed), asked_at);
      if (!has_room) back_off(wait);
      wait = has_room ? kBackOffMin : std::min(wait * 2, kBackOffMax);
      continue;
    }
    const bool is_hopeless = worker::is_hopeless(claimed.problem().code);
    {
      const std::lock_guard lock{mutex_};
      if (is_stopping_) return;
      if (is_hopeless) problem_ = claimed.problem();
    }
    if (is_hopeless || wait == kBackOffMin) log_(claimed.problem().detail);
    if (is_hopeless) return;
    back_off(wait);
    wait = std::min(wait * 2, kBackOffMax);
  }
}

int WorkerCore::slots_max() const {
  const int threads = static_cast<int>(runners_.size());
  const bool is_short = threads > 0 && connection_->clock().monotonic() < more_threads_at_;
  return is_short ? threads : held_max();
}

bool WorkerCore::has_free_slot() {
  const std::lock_guard lock{mutex_};
  return busy_ < std::min(slots_max(), options_.max_concurrent);
}

int WorkerCore::wait_for_slots() {
  std::unique_lock lock{mutex_};
  slot_freed_.wait(lock, [&] { return is_stopping_ || busy_ < slots_max(); });
  return is_stopping_ ? 0 : slots_max() - busy_;
}

// A claim waits for work only for a small part of the lease, because the lease counts from before the
// request.
core::ClaimTasks WorkerCore::claim_of(int max) const {
  core::ClaimTasks claim{.ns = connection_->ns(),
                         .worker_id = reporter_->worker_id(),
                         .queues = options_.queues,
                         .types = names_of(tasks_),
                         .max = std::min(max, static_cast<int>(core::kClaimTasksMax)),
                         .lease = options_.lease,
                         .wait = std::min<core::Duration>(connection_->claim_wait(), options_.lease / 4),
                         .memo_pages = true};
  for (const auto& [type, handler] : workflows_) claim.types.push_back(type);
  return claim;
}

bool WorkerCore::has_taken(std::vector<core::ClaimedTask> claimed, core::MonotonicTime asked_at) {
  if (claimed.empty()) return true;
  // Read before the start is sent, so that a timeout passes here no later than in the store.
  const core::MonotonicTime started_at = connection_->clock().monotonic();
  if (options_.prefetch == 0) reporter_->start(claimed);
  std::vector<Work> work;
  work.reserve(claimed.size());
  for (core::ClaimedTask& one : claimed) {
    auto lease = keeper_->hold({.task_id = to_string(one.task.id),
                                .fence = one.task.lease->fence,
                                .until = asked_at + options_.lease});
    if (options_.prefetch == 0 && one.task.timeout)
      keeper_->set_timeout(lease, started_at + *one.task.timeout);
    work.push_back({.claimed = std::move(one), .lease = std::move(lease)});
  }
  std::vector<Work> unwanted;
  {
    const std::lock_guard lock{mutex_};
    busy_ += static_cast<int>(work.size());
    std::move(work.begin(), work.end(), std::back_inserter(waiting_));
    unwanted = make_runners();
    busy_ -= static_cast<int>(unwanted.size());
  }
  // Without the lock, because the woken threads need it.
  for (std::size_t i = 0; i < work.size(); ++i) work_came_.notify_one();
  for (const Work& one : unwanted) {
    reporter_->release(one.claimed.task);
    keeper_->drop(one.lease);
  }
  return unwanted.empty();
}

std::vector<WorkerCore::Work> WorkerCore::make_runners() {
  std::vector<Work> unwanted;
  while (static_cast<int>(runners_.size()) < options_.max_concurrent &&
         static_cast<int>(waiting_.size()) > idle_runners_) {
    const Outcome made = outcome_of([this] {
      auto runner = std::make_shared<Runner>();
      runner->thread = std::thread{[self = shared_from_this(), runner] { self->run_loop(runner); }};
      runners_.push_back(std::move(runner));
      return std::string{"null"};
    });
    if (made.kind == Outcome::Kind::completed) {
      ++idle_runners_;
      continue;
    }
    log_("no further thread can be started: " + made.error.message);
    more_threads_at_ = connection_->clock().monotonic() + kThreadsAgain;
    for (; static_cast<int>(waiting_.size()) > idle_runners_; waiting_.pop_back())
      unwanted.push_back(std::move(waiting_.back()));
  }
  return unwanted;
}

void WorkerCore::back_off(core::Duration wait) {
  std::unique_lock lock{mutex_};
  slot_freed_.wait_for(lock, wait, [&] { return is_stopping_.load(); });
}

// --- running ---

// Work that was claimed but not begun when the worker stops is released.
void WorkerCore::run_loop(const SharedRunner& runner) {
  runtime::use_batch_scheduling();
  std::unique_lock lock{mutex_};
  for (;;) {
    work_came_.wait(lock, [&] { return is_closed_ || !waiting_.empty(); });
    if (waiting_.empty()) {
      runner->has_ended = true;
      runner_ended_.notify_all();
      return;
    }
    const Work work = std::move(waiting_.front());
    waiting_.pop_front();
    --idle_runners_;
    const bool begin = !is_stopping_;
    ++runner->works;
    runner->is_running = true;
    lock.unlock();
    if (begin) {
      if (options_.prefetch > 0) start(work);
      do_work(work, runner);
    } else {
      reporter_->release(work.claimed.task);
    }
    lock.lock();
    runner->is_running = false;
    if (runner->is_left_behind) {  // another thread has taken its place
      --left_behind_;
      return;
    }
    keeper_->drop(work.lease);
    ++idle_runners_;
    --busy_;
    slot_freed_.notify_one();
    if (busy_ == 0) idle_.notify_all();
  }
}

// A prefetched task starts when a thread takes it, and its timeout counts from then.
void WorkerCore::start(const Work& work) {
  const core::MonotonicTime started_at = connection_->clock().monotonic();
  reporter_->start({work.claimed});
  if (const auto timeout = work.claimed.task.timeout) keeper_->set_timeout(work.lease, started_at + *timeout);
}

void WorkerCore::do_work(const Work& work, const SharedRunner& runner) {
  const core::Task& task = work.claimed.task;
  // Keeps them alive: this thread may be left behind, and the worker may be restarted meanwhile.
  const auto reporter = reporter_;
  const auto attempts = attempts_;
  const auto workflow = workflows_.find(task.type);
  if (workflow == workflows_.end()) {
    const bool completed = reporter->finish(task, call_task(work, runner), *work.lease);
    if (work.lease->state() != worker::LeaseState::lost) keeper_->count(completed);
    return;
  }
  Body body{{.connection = *connection_,
             .reporter = *reporter,
             .lease = *work.lease,
             .suspend_after = connection_->suspend_after(options_.suspend_after),
             .is_draining = [this] { return is_stopping_.load(); },
             .has_free_slot = [this] { return has_free_slot(); },
             .branch_threads = branch_threads(options_),
             .memo_bytes_max = options_.step_cache_bytes,
             .attempts = attempts.get(),
             .on_hung = on_hung(work, runner)},
            work.claimed};
  if (const auto completed = body.run(workflow->second)) keeper_->count(*completed);
}

Outcome WorkerCore::call_task(const Work& work, const SharedRunner& runner) {
  const auto handler = tasks_.find(work.claimed.task.type);
  if (handler == tasks_.end())
    return failed_with({.code = "no_handler",
                        .message = "this worker has no handler for " + work.claimed.task.type,
                        .retryable = false});
  TaskState state{*connection_, work.claimed, *work.lease};
  Task task{state};
  Outcome outcome =
      call_watched(work, runner, [&] { return handler->second(task, work.claimed.task.payload.text); });
  if (outcome.kind != Outcome::Kind::failed) return outcome;
  switch (work.lease->state()) {
    case worker::LeaseState::cancelled:
      return failed_with({.code = "cancelled", .message = "stopped as the cancel asked", .retryable = false});
    case worker::LeaseState::timed_out:
      return failed_with({.code = "timeout", .message = worker::kTimeoutMessage});
    default: return outcome;
  }
}

// The store ends the attempt at its timeout, so nothing is written for a hanging attempt.
Outcome WorkerCore::call_watched(const Work& work, const SharedRunner& runner,
                                 const std::function<std::string()>& call) {
  if (work.lease->timeout_at() == core::MonotonicTime::max()) return outcome_of(call);
  AttemptWatch::Attempt attempt;
  attempt.timeout_at = work.lease->timeout_at();
  attempt.give_up = [&]() -> std::function<void()> {
    return [hung = on_hung(work, runner), what = "task " + to_string(work.claimed.task.id)] { hung(what); };
  };
  attempts_->begin(attempt);
  Outcome outcome = outcome_of(call);
  static_cast<void>(attempts_->end(attempt));
  return outcome;
}

// --- threads that are left behind ---

std::function<void(const std::string&)> WorkerCore::on_hung(const Work& work, const SharedRunner& runner) {
  return [this, lease = work.lease, runner, number = runner->works](const std::string& what) {
    lease->end(worker::LeaseState::lost);
    const std::lock_guard lock{mutex_};
    const bool is_current = runner->works == number && runner->is_running && !runner->is_left_behind;
    if (!is_current) return;  // the handler has returned meanwhile
    keeper_->drop(lease);
    leave_behind(*runner, what);
  };
}

void WorkerCore::leave_behind(Runner& runner, const std::string& what) {
  const bool has_room = left_behind_ < options_.max_concurrent;
  log_(fmt::format("{} did not stop within {} after its timeout: {}", what,
                   core::format_duration(options_.stop_grace),
                   has_room ? fmt::format("its thread is left behind ({} of at most {})", left_behind_ + 1,
                                          options_.max_concurrent)
                            : "it keeps its thread, because the limit of left-behind threads is reached"));
  if (!has_room) return;
  ++left_behind_;
  runner.is_left_behind = true;
  runner.thread.detach();
  std::erase_if(runners_, [&](const SharedRunner& one) { return one.get() == &runner; });
  runner_ended_.notify_all();
  --busy_;
  slot_freed_.notify_one();
  if (busy_ == 0) idle_.notify_all();
}

int WorkerCore::threads_left_behind() {
  const std::lock_guard lock{mutex_};
  return left_behind_;
}

// --- the end ---

void WorkerCore::end_waits(const Calls& calls) {
  calls.cancel();
  connection_->end_waits_of(reporter_->worker_id());
}

void WorkerCore::stop_claiming() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
    slot_freed_.notify_all();
  }
  end_waits(*claims_);
  claimer_.join();
  const std::lock_guard lock{mutex_};
  is_closed_ = true;  // no work arrives after the waiting one
  work_came_.notify_all();
}

bool WorkerCore::is_idle_within(core::Duration wait) {
  std::unique_lock lock{mutex_};
  return idle_.wait_for(lock, wait, [&] { return busy_ == 0; });
}

// Waits for a hanging runner until it is left behind.
void WorkerCore::join_runners() {
  std::unique_lock lock{mutex_};
  while (!runners_.empty()) {
    const auto done = std::find_if(runners_.begin(), runners_.end(),
                                   [](const SharedRunner& one) { return one->has_ended; });
    if (done == runners_.end()) {
      runner_ended_.wait(lock);
      continue;
    }
    const SharedRunner ended = *done;
    runners_.erase(done);
    lock.unlock();
    ended->thread.join();
    lock.lock();
  }
}

void WorkerCore::end() {
  if (!is_idle_within(core::Duration{0})) keeper_->end_all(worker::LeaseState::abandoned);
  *is_over_ = true;  // a handler that ignores its stop token does not keep its lease
  join_runners();
  attempts_->stop();
  listener_.reset();
  keeper_.reset();
  deregister();
  is_started_ = false;
  is_stopping_ = false;
  is_closed_ = false;
  idle_runners_ = 0;
}

void WorkerCore::deregister() {
  const Calls calls = connection_->own_calls(kDeregisterMax);
  static_cast<void>(
      calls.tasks().deregister_worker({.ns = connection_->ns(), .worker_id = reporter_->worker_id()}));
}

// Threads cannot be ended from outside, and objects that their handlers use must not be destroyed.
void WorkerCore::end_at_second_signal() {
  keeper_->end_all(worker::LeaseState::abandoned);
  *is_over_ = true;
  if (is_idle_within(kStopAtOnce)) return;
  log_("a second signal came and some handlers have not stopped: the process ends without them");
  deregister();
  EndSignals::end_process();
}

void WorkerCore::stop() {
  if (!is_started_) return;
  stop_claiming();
  static_cast<void>(is_idle_within(options_.drain_timeout));
  end();
}

void WorkerCore::run() {
  const EndSignals signals;
  start();
  const auto has_given_up = [this] {
    const std::lock_guard lock{mutex_};
    return problem_.has_value();
  };
  while (!signals.came_within(kSignalLook) && !has_given_up()) {
  }
  stop_claiming();
  const auto until = connection_->clock().monotonic() + options_.drain_timeout;
  while (!is_idle_within(core::Duration{0}) && connection_->clock().monotonic() < until) {
    if (!signals.came_within(kSignalLook)) continue;
    end_at_second_signal();
    break;
  }
  end();
  if (problem_) throw error_of(*std::exchange(problem_, std::nullopt));
}

}  // namespace pawl::detail
