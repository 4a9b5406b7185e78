#include "runtime/runtime.hpp"

#include <utility>

namespace pawl::runtime {

namespace {

LoopOptions with_threads(LoopOptions options, int writers) {
  if (options.threads == 0) options.threads = writers;
  return options;
}

}  // namespace

Runtime::Runtime(store::Store& store, core::Clock& clock, core::Random& random, RuntimeOptions options)
    : engine_(store, clock, random, options.limits),
      membership_(engine_, clock, random, std::move(options.node)),
      ticker_(std::make_unique<Ticker>(engine_, membership_, clock, options.ticker)),
      loop_(std::make_unique<CommitLoop>(engine_, clock, with_threads(options.loop, store.writers()),
                                         [this] { note_scheduled(); })),
      api_(
          store, clock, random,
          [this](core::Command&& command, core::Reply&& reply) {
            submit(std::move(command), std::move(reply));
          },
          options.api),
      scheduler_(store, api_, random),
      inbox_(store, engine_, api_) {
  api_.follow(engine_.run_watch(), engine_.lease_notices());
  if (store.has_inbox()) {
    api_.follow([this](const std::string& id) { return inbox_.make(id); });
    inbox_thread_ = std::make_unique<PollingThread>([this] { return inbox_.poll(); }, options.inbox);
  }
  scheduler_thread_ =
      std::make_unique<PollingThread>([this] { return scheduler_.poll(); }, options.schedules);
}

void Runtime::note_scheduled() {
  if (const auto due = engine_.take_earliest_scheduled()) ticker_->note_due(*due);
}

core::Result<std::optional<core::Answer>> Runtime::transact(const engine::Engine::OwnWork& work) {
  auto answer = engine_.transact(work);
  note_scheduled();
  return answer;
}

Progress Runtime::progress() {
  const auto time_of = [](std::int64_t micros) { return core::MonotonicTime{core::Duration{micros}}; };
  const engine::EngineStats& stats = engine_.stats();
  Progress progress{.refused_last = time_of(stats.refused_last),
                    .waiting_since = loop_->waiting_since(),
                    .polled_at = ticker_->polled_at()};
  const std::int64_t since = stats.refused_since;
  if (since != 0) progress.refused_since = time_of(since);
  progress.foreign_schema = engine_.foreign_schema();
  return progress;
}

Runtime::~Runtime() {
  inbox_thread_.reset();
  scheduler_thread_.reset();
  loop_.reset();
  ticker_.reset();
  membership_.leave();
  engine_.abandon_waits();
}

}  // namespace pawl::runtime
