#include "bench/load.hpp"

#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace pawl::bench {

using core::Answer;
using core::Result;

namespace {

core::TaskSpec bench_task(const std::string& queue) {
  core::TaskSpec spec;
  spec.type = "bench";
  spec.queue = queue;
  spec.payload = {std::string{kPayload}};
  return spec;
}

}  // namespace

void give_up(const core::Problem& problem) {
  fmt::print(stderr, "pawl bench: a call was refused: {}\n", problem.detail);
  std::exit(1);
}

void Calls::begin() {
  const std::lock_guard lock{mutex_};
  ++under_way_;
}

void Calls::end() {
  const std::lock_guard lock{mutex_};
  if (--under_way_ == 0) none_.notify_all();
}

void Calls::wait_for_none() {
  std::unique_lock lock{mutex_};
  none_.wait(lock, [this] { return under_way_ == 0; });
}

Callers::Callers() : thread_([this] { loop(); }) {}

Callers::~Callers() {
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void Callers::run(std::function<void()> work) {
  const std::lock_guard lock{mutex_};
  waiting_.push_back(std::move(work));
  if (waiting_.size() == 1) arrived_.notify_one();
}

void Callers::loop() {
  std::vector<std::function<void()>> work;
  while (true) {
    {
      std::unique_lock lock{mutex_};
      arrived_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      work.swap(waiting_);
    }
    for (const auto& one : work) one();
    work.clear();
  }
}

void Load::call(core::Command command, std::function<void(Answer&)> then) {
  calls_.begin();
  runtime_.submit(std::move(command), [this, then = std::move(then)](Result<Answer> answer) {
    if (!answer) give_up(answer.problem());
    // Shared, because a std::function must be copyable but an answer should be moved.
    auto shared = std::make_shared<Answer>(std::move(*answer));
    callers_.run([this, then, shared] {
      then(*shared);
      calls_.end();
    });
  });
}

void Load::enqueue_once(const LoadOptions& options, int count) {
  core::EnqueueTasks command;
  command.tasks.assign(static_cast<std::size_t>(count), bench_task(options.queue));
  call(std::move(command), [this, count](Answer& /*ids*/) { enqueued_ += count; });
}

void Load::enqueue_again(const LoadOptions& options) {
  core::EnqueueTasks command;
  command.tasks.assign(static_cast<std::size_t>(options.batch), bench_task(options.queue));
  call(std::move(command), [this, options](Answer& /*ids*/) {
    enqueued_ += options.batch;
    if (!is_over_) enqueue_again(options);
  });
}

void Load::work_again(const LoadOptions& options, int worker, bool refill) {
  core::ClaimTasks claim{.worker_id = fmt::format("worker-{}", worker),
                         .queues = {options.queue},
                         .max = options.batch,
                         .wait = std::chrono::seconds{1}};
  call(std::move(claim), [this, options, worker, refill](Answer& answer) {
    const auto& tasks = std::get<std::vector<core::ClaimedTask>>(answer);
    if (!tasks.empty()) {
      complete(options, worker, tasks, refill);
    } else if (!is_over_) {
      work_again(options, worker, refill);
    }
  });
}

void Load::complete(const LoadOptions& options, int worker, const std::vector<core::ClaimedTask>& tasks,
                    bool refill) {
  core::ReportTasks reports{.worker_id = fmt::format("worker-{}", worker)};
  reports.reports.reserve(tasks.size());
  for (const core::ClaimedTask& claimed : tasks) {
    reports.reports.push_back({.task_id = claimed.task.id,
                               .fence = claimed.task.lease->fence,
                               .action = core::ReportAction::complete,
                               .output = {"true"}});
  }
  call(std::move(reports), [this, options, worker, refill](Answer& answer) {
    for (const auto& one : std::get<std::vector<Result<core::ReportAnswer>>>(answer)) {
      if (!one) give_up(one.problem());
      ++completed_;
    }
    if (!is_over_) work_again(options, worker, refill);
  });
  if (refill && !is_over_) enqueue_once(options, static_cast<int>(tasks.size()));
}

double Load::measure(const std::atomic<std::int64_t>& counter, core::Duration seconds, Progress& progress) {
  const auto wait_until = [this, &counter, &progress](core::MonotonicTime from, core::MonotonicTime until) {
    const std::int64_t first = counter;
    for (auto now = clock_.monotonic(); now < until; now = clock_.monotonic()) {
      std::this_thread::sleep_for(std::min<core::Duration>(until - now, std::chrono::milliseconds{100}));
      const std::chrono::duration<double> elapsed = clock_.monotonic() - from;
      const std::chrono::duration<double> whole = until - from;
      progress.show(elapsed / whole,
                    fmt::format("{:.0f}/s", static_cast<double>(counter - first) / elapsed.count()));
    }
  };
  const auto start = clock_.monotonic();
  const auto warm = start + seconds / 5;
  wait_until(start, warm);
  const std::int64_t before = counter;
  const auto from = clock_.monotonic();
  wait_until(from, from + seconds);
  const std::int64_t after = counter;
  const std::chrono::duration<double> elapsed = clock_.monotonic() - from;
  return static_cast<double>(after - before) / elapsed.count();
}

double Load::life(const LoadOptions& options, Progress& progress) {
  is_over_ = false;
  const int batches = options.is_behind ? 2 * options.workers : (options.workers + 1) / 2;
  for (int i = 0; i < batches; ++i) enqueue_once(options, options.batch);
  for (int i = 0; i < options.workers; ++i) work_again(options, i, true);
  const double rate = measure(completed_, options.seconds, progress);
  is_over_ = true;
  calls_.wait_for_none();
  return rate;
}

double Load::enqueue(const LoadOptions& options, int callers, Progress& progress) {
  is_over_ = false;
  for (int i = 0; i < callers; ++i) enqueue_again(options);
  const double rate = measure(enqueued_, options.seconds, progress);
  is_over_ = true;
  calls_.wait_for_none();
  return rate;
}

double Load::drain(const LoadOptions& options, std::int64_t tasks, Progress& progress) {
  is_over_ = false;
  const std::int64_t before = completed_;
  const auto from = clock_.monotonic();
  for (int i = 0; i < options.workers; ++i) work_again(options, i, false);
  while (completed_ - before < tasks) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    progress.show(static_cast<double>(completed_ - before) / static_cast<double>(tasks), "draining");
  }
  const std::chrono::duration<double> elapsed = clock_.monotonic() - from;
  is_over_ = true;
  calls_.wait_for_none();
  return static_cast<double>(tasks) / elapsed.count();
}

void Load::fill(const std::string& queue, std::int64_t count, core::Duration delay, Progress& progress) {
  constexpr std::int64_t kChunk = 2'000;
  for (std::int64_t done = 0; done < count; done += kChunk) {
    core::EnqueueTasks command;
    command.tasks.assign(static_cast<std::size_t>(std::min(kChunk, count - done)), bench_task(queue));
    for (core::TaskSpec& spec : command.tasks) {
      if (delay > core::Duration{0}) spec.delay = delay;
    }
    const auto answer = runtime_.api().enqueue_batch(std::move(command));
    if (!answer) give_up(answer.problem());
    progress.show(static_cast<double>(done) / static_cast<double>(count), "filling");
  }
}

}  // namespace pawl::bench
