#include "tests/sim/clients.hpp"

#include <algorithm>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;
using core::Result;

namespace {

constexpr int kBatchMost = 20;
constexpr Duration kSlowest = 2 * kSlowMessageMost;

std::string queue_name(int index) { return "q" + std::to_string(index); }

}  // namespace

Clients::Clients(const Options& options, Scheduler& scheduler, Cluster& cluster, Checker& checker,
                 SimClock& store_clock, const Workers& workers, std::uint64_t seed)
    : options_(options),
      scheduler_(scheduler),
      cluster_(cluster),
      checker_(checker),
      store_clock_(store_clock),
      workers_(workers),
      chance_(seed),
      lives_left_(options.lives) {
  for (int i = 0; i < options.clients; ++i) act_later();
  scheduler_.after(chance_.between(0s, 2s), [this] { operate(); });
}

void Clients::act_later() {
  const double tasks_each = 1 + options_.batch * kBatchMost / 2;
  const double mean =
      static_cast<double>(options_.span.count()) * options_.clients / options_.lives * tasks_each;
  scheduler_.after(Duration{static_cast<std::int64_t>(chance_.between(0.0, 2 * mean))}, [this] { act(); });
}

void Clients::act() {
  if (has_sent_all() || is_healed_) return;
  enqueue();
  if (chance_.happens(options_.cancel + options_.retry_by_hand)) move_some();
  act_later();
}

core::RetryPolicy Clients::new_policy() {
  core::RetryPolicy policy;
  policy.max_attempts = chance_.happens(0.1) ? -1 : chance_.between(1, 5);
  policy.initial_interval = chance_.between(50ms, 1500ms);
  policy.backoff = chance_.between(1.0, 3.0);
  policy.max_interval = chance_.between(500ms, 10s);
  policy.jitter = static_cast<double>(chance_.between(0, 4)) * 0.25;
  if (chance_.happens(0.3)) policy.non_retryable = {"fatal"};
  if (chance_.happens(0.05)) policy.non_retryable = {"timeout", "worker_lost"};
  return policy;
}

core::TaskSpec Clients::new_spec() {
  core::TaskSpec spec;
  spec.type = "t" + std::to_string(chance_.between(0, 2));
  spec.queue = queue_name(chance_.between(0, options_.queues - 1));
  if (chance_.happens(0.3)) spec.priority = chance_.between(-2, 2);
  if (chance_.happens(options_.keyed)) spec.key = "k" + std::to_string(chance_.between(1, options_.keys));
  if (chance_.happens(options_.delayed)) {
    const bool is_far = chance_.happens(0.1);
    if (chance_.happens(0.5)) {
      spec.delay = chance_.between(0ms, is_far ? 60s : 4s);
    } else {
      spec.run_at = store_clock_.now() + chance_.between(-2s, is_far ? 60s : 4s);
    }
  }
  if (chance_.happens(0.8)) spec.retry = new_policy();
  if (chance_.happens(options_.timeout)) spec.timeout = chance_.between(200ms, 4s);
  if (chance_.happens(0.1)) spec.labels = {{"of", "sim"}};
  return spec;
}

void Clients::enqueue() {
  core::EnqueueTasks command;
  const bool is_idempotent = chance_.happens(options_.idempotent);
  const bool is_invalid = chance_.happens(options_.invalid);
  const int count = chance_.happens(options_.batch) ? chance_.between(2, kBatchMost) : 1;
  for (int i = 0; i < count; ++i) {
    core::TaskSpec spec = new_spec();
    if (is_idempotent) spec.idempotency_key = "i" + std::to_string(++idempotency_keys_);
    if (is_invalid && i == count - 1) spec.retry.max_attempts = 0;
    command.tasks.push_back(checker_.model().submit(std::move(spec)).spec);
  }
  if (is_idempotent && chance_.happens(options_.repeated)) command.tasks.push_back(command.tasks.front());
  lives_left_ -= count;
  send(std::move(command), is_idempotent);
}

void Clients::send(core::EnqueueTasks command, bool is_idempotent) {
  unsettled_ += is_idempotent ? 1 : 0;
  cluster_.send(command, kPatience, [this, command, is_idempotent](const Result<core::Answer>* answer) {
    unsettled_ -= is_idempotent ? 1 : 0;
    on_enqueued(command, is_idempotent, answer);
  });
}

void Clients::on_enqueued(const core::EnqueueTasks& command, bool is_idempotent,
                          const Result<core::Answer>* answer) {
  const bool is_unknown =
      answer == nullptr || (!*answer && answer->problem().code == core::ProblemCode::unavailable);
  const bool is_stored = answer != nullptr && answer->ok();
  if (is_stored) {
    for (const core::Enqueued& one : std::get<std::vector<core::Enqueued>>(**answer))
      known_.push_back(one.id);
  }
  const bool is_repeated = is_stored && !is_healed_ && chance_.happens(options_.repeated);
  if (!is_idempotent || !(is_unknown || is_repeated)) return;
  ++unsettled_;
  scheduler_.after(chance_.between(20ms, 500ms), [this, command] {
    --unsettled_;
    send(command, true);
  });
}

void Clients::move_some() {
  std::vector<TaskId> ids;
  const bool is_cancel = chance_.happens(options_.cancel / (options_.cancel + options_.retry_by_hand));
  const auto& likely =
      is_cancel || workers_.ended_badly().empty() || chance_.happens(0.2) ? known_ : workers_.ended_badly();
  const int count = chance_.happens(0.2) ? chance_.between(2, 5) : 1;
  for (int i = 0; i < count; ++i) {
    if (likely.empty() || chance_.happens(0.02)) {
      TaskId unknown;
      unknown.bytes[0] = static_cast<std::uint8_t>(chance_.between(0, 255));
      ids.push_back(unknown);
    } else {
      const std::size_t recent = std::min<std::size_t>(likely.size(), 60);
      ids.push_back(likely[likely.size() - 1 - chance_.index(recent)]);
    }
  }
  core::Command command = core::RetryTasks{.ids = ids};
  if (is_cancel) command = core::CancelTasks{.ids = ids};
  cluster_.send(std::move(command), kPatience, [](const auto*) {});
}

core::QueuePatch Clients::new_patch() {
  core::QueuePatch patch;
  if (chance_.happens(options_.queue_pauses)) patch.paused = true;
  if (chance_.happens(0.6)) patch.paused = false;
  if (chance_.happens(options_.limits)) {
    patch.max_concurrency.emplace();
    if (chance_.happens(0.8)) *patch.max_concurrency = chance_.between(0, 8);
  }
  if (chance_.happens(options_.limits)) {
    patch.type_concurrency.emplace();
    if (chance_.happens(0.8)) {
      *patch.type_concurrency = std::map<std::string, std::int64_t>{{"t0", chance_.between(0, 3)}, {"t1", 2}};
    }
  }
  if (chance_.happens(options_.rates)) {
    patch.rate.emplace();
    if (chance_.happens(0.7))
      *patch.rate = core::Rate{.limit = chance_.between(2, 20), .per = chance_.between(200ms, 2s)};
  }
  return patch;
}

void Clients::operate() {
  if (is_healed_) return;
  core::SetQueue command{.name = queue_name(chance_.between(0, options_.queues - 1)), .patch = new_patch()};
  if (chance_.happens(options_.invalid * 5)) command.name.clear();
  cluster_.send(std::move(command), kPatience, [](const auto*) {});
  scheduler_.after(chance_.between(500ms, 6s), [this] { operate(); });
}

void Clients::heal() {
  is_healed_ = true;
  open_queues();
  ++unsettled_;
  scheduler_.after(kSlowest, [this] {  // a change that was under way may arrive later
    --unsettled_;
    open_queues();
  });
}

void Clients::open_queues() {
  for (int i = 0; i < options_.queues; ++i) {
    core::SetQueue command{.name = queue_name(i)};
    command.patch.paused = false;
    command.patch.max_concurrency.emplace();
    if (chance_.happens(0.5)) *command.patch.max_concurrency = chance_.between(2, 8);
    command.patch.type_concurrency.emplace();
    if (chance_.happens(0.5)) {
      *command.patch.type_concurrency = std::map<std::string, std::int64_t>{{"t1", 2}};
    }
    command.patch.rate.emplace();
    if (chance_.happens(options_.rates)) *command.patch.rate = core::Rate{.limit = 40};
    set_queue(std::move(command));
  }
}

// Retries until it succeeds.
void Clients::set_queue(core::SetQueue command) {
  ++unsettled_;
  cluster_.send(command, kPatience, [this, command](const Result<core::Answer>* answer) {
    --unsettled_;
    if (answer == nullptr || !*answer) set_queue(command);
  });
}

}  // namespace pawl::sim
