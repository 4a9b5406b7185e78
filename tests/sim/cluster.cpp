#include "tests/sim/cluster.hpp"

#include <algorithm>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;
using core::Answer;
using core::Result;
using store::StoreError;
using store::Verb;

namespace {

constexpr std::size_t kGroupCallsMax = 200;

core::Problem no_connection() {
  return {.code = core::ProblemCode::unavailable, .detail = "connection refused"};
}

}  // namespace

void Cluster::Faults::crash(Fault fault) {
  cluster_.tally_.landed(fault);
  throw Crash{};
}

void Cluster::Faults::fail(StoreError::Kind kind, Fault fault) {
  cluster_.tally_.landed(fault);
  cluster_.watcher_.on_fault(kind == StoreError::Kind::unknown);
  throw StoreError{kind, "simulated"};
}

void Cluster::Faults::before(Verb verb) {
  if (cluster_.is_healed_) return;
  const Options& options = cluster_.options_;
  if (cluster_.scheduler_.now() < outage_until_) {  // counted when the outage began
    cluster_.watcher_.on_fault(false);
    throw StoreError{StoreError::Kind::unavailable, "simulated"};
  }
  if (chance_.happens(options.crash)) {
    switch (verb) {
      case Verb::read: crash(Fault::crash_in_read);
      case Verb::intern_lanes:
      case Verb::begin: crash(Fault::crash_before_begin);
      case Verb::commit: crash(Fault::crash_before_commit);
      default: crash(Fault::crash_in_transaction);
    }
  }
  if (chance_.happens(options.store_retry)) fail(StoreError::Kind::retry, Fault::store_retry);
  if (chance_.happens(options.store_unavailable))
    fail(StoreError::Kind::unavailable, Fault::store_unavailable);
  if (chance_.happens(options.store_outage)) {
    outage_until_ = cluster_.scheduler_.now() + chance_.between(200ms, 5s);
    fail(StoreError::Kind::unavailable, Fault::store_outage);
  }
}

void Cluster::Faults::begun(const store::Transaction& transaction) {
  cluster_.watcher_.on_begin({.now = transaction.now(), .clock = transaction.clock()});
}

void Cluster::Faults::committed(const store::WriteSet& writes, const store::Transaction& transaction) {
  cluster_.watcher_.on_commit(writes, {.now = transaction.now(), .clock = transaction.clock()});
  if (cluster_.is_healed_) return;
  if (chance_.happens(cluster_.options_.crash_after_commit)) crash(Fault::crash_after_commit);
  if (chance_.happens(cluster_.options_.lost_commit_reply))
    fail(StoreError::Kind::unknown, Fault::lost_commit_reply);
}

Cluster::Cluster(const Options& options, Scheduler& scheduler, StoreSource& stores, Watcher& watcher,
                 Tally& tally, std::uint64_t seed)
    : options_(options),
      scheduler_(scheduler),
      stores_(stores),
      watcher_(watcher),
      tally_(tally),
      chance_(seed) {
  for (int i = 0; i < options.nodes; ++i) {
    Node& node = *nodes_.emplace_back(std::make_unique<Node>());
    node.index = i;
    node.clock = std::make_unique<SimClock>(scheduler, chance_.between(-1h, 1h), chance_.between(0s, 100h));
    node.faults = std::make_unique<Faults>(*this, chance_.seed());
    start(node);
  }
}

void Cluster::start(Node& node) {
  ++node.incarnation;
  node.is_up = true;
  node.random = std::make_unique<testing::SeededRandom>(chance_.seed());
  node.store = store::make_faulty_store(stores_.open(), *node.faults);
  node.engine = std::make_unique<engine::Engine>(*node.store, *node.clock, *node.random);
  scheduler_.after(chance_.between(0ms, options_.tick),
                   [this, &node, incarnation = node.incarnation] { tick(node, incarnation); });
}

void Cluster::crash(Node& node) {
  node.is_up = false;
  node.is_group_due = false;
  node.engine.reset();
  node.store.reset();
  node.inbox.clear();
  for (const auto& [number, call] : std::exchange(node.accepted, {})) {
    if (call->is_claim()) watcher_.claim_left(*call);
    give_up_later(call);
  }
  scheduler_.after(is_healed_ ? 10ms : chance_.between(10ms, 8s), [this, &node] {
    if (!node.is_up) start(node);
  });
}

void Cluster::heal() {
  is_healed_ = true;
  for (const auto& node : nodes_) {
    if (!node->is_up) start(*node);
  }
}

Duration Cluster::latency(const CallPtr& call) {
  if (is_healed_ || !chance_.happens(options_.message_slow)) return chance_.between(100us, 3ms);
  tally_.landed(Fault::message_slow);
  give_up_later(call);
  return chance_.between(500ms, kSlowMessageMost);
}

void Cluster::give_up_later(const CallPtr& call) {
  if (call->is_over) return;
  scheduler_.after(call->patience, [call] {
    if (std::exchange(call->is_over, true)) return;
    call->done(nullptr);
  });
}

void Cluster::send(core::Command command, Duration patience, Call::Done done) {
  const auto call = std::make_shared<Call>();
  call->number = ++last_call_;
  call->node = chance_.between(0, options_.nodes - 1);
  call->command = std::move(command);
  call->patience = patience;
  call->done = std::move(done);
  if (!is_healed_ && chance_.happens(options_.request_lost)) {
    tally_.landed(Fault::request_lost);
    return give_up_later(call);
  }
  scheduler_.after(latency(call), [this, call] { arrive(call); });
}

void Cluster::arrive(const CallPtr& call) {
  Node& node = *nodes_[static_cast<std::size_t>(call->node)];
  if (!node.is_up) {
    watcher_.on_refusal(*call, no_connection());
    return deliver(call, no_connection());
  }
  if (const core::Status valid = core::check(call->command); !valid) {
    watcher_.on_refusal(*call, valid.problem());
    return deliver(call, valid.problem());
  }
  accept(node, call);
}

void Cluster::accept(Node& node, const CallPtr& call) {
  node.inbox.push_back(call);
  node.accepted.emplace(call->number, call);
  if (call->is_claim()) watcher_.claim_arrived(call);
  if (std::exchange(node.is_group_due, true)) return;
  scheduler_.after(options_.commit_time, [this, &node, incarnation = node.incarnation] {
    if (node.is_up && node.incarnation == incarnation) run_group(node);
  });
}

void Cluster::run_group(Node& node) {
  node.is_group_due = false;
  std::vector<CallPtr> calls = std::exchange(node.inbox, {});
  if (calls.size() > kGroupCallsMax) {
    node.inbox.assign(calls.begin() + kGroupCallsMax, calls.end());
    calls.resize(kGroupCallsMax);
    node.is_group_due = true;
    scheduler_.after(0us, [this, &node, incarnation = node.incarnation] {
      if (node.is_up && node.incarnation == incarnation) run_group(node);
    });
  }
  execute(node, calls, [&] {
    std::vector<engine::Request> requests;
    for (const CallPtr& call : calls) requests.push_back({.command = call->command, .reply = reply_to(call)});
    node.engine->execute(std::move(requests));
  });
}

core::Reply Cluster::reply_to(const CallPtr& call) {
  return [this, call](Result<Answer> answer) {
    call->has_answer = true;
    answered_.push_back({.call = call, .answer = std::move(answer)});
  };
}

template <typename Work>
void Cluster::execute(Node& node, const std::vector<CallPtr>& calls, Work work) {
  watcher_.begin_execution(node.index, calls);
  bool is_crashed = false;
  try {
    work();
  } catch (const Crash&) {
    is_crashed = true;
  }
  for (const Answered& one : std::exchange(answered_, {})) answer(node, one);
  if (is_crashed) crash(node);
}

void Cluster::answer(Node& node, const Answered& answered) {
  const CallPtr& call = answered.call;
  node.accepted.erase(call->number);
  watcher_.on_answer(*call, answered.answer);
  if (call->is_claim()) watcher_.claim_left(*call);
  if (!call->done) return;  // from a ticker
  if (!is_healed_ && chance_.happens(options_.reply_lost)) {
    tally_.landed(Fault::reply_lost);
    return give_up_later(call);
  }
  deliver(call, answered.answer);
}

void Cluster::deliver(const CallPtr& call, Result<Answer> answer) {
  if (call->is_over) return;
  scheduler_.after(latency(call), [call, answer = std::move(answer)] {
    if (std::exchange(call->is_over, true)) return;
    call->done(&answer);
  });
}

void Cluster::tick(Node& node, int incarnation) {
  if (!node.is_up || node.incarnation != incarnation) return;
  Duration next = options_.tick;
  execute(node, {}, [&] { next = look(node); });
  scheduler_.after(next, [this, &node, incarnation] { tick(node, incarnation); });
}

// One poll of a ticker. Due commands are executed later, as if the thread had stalled in between. Returns the
// delay until the next poll.
Duration Cluster::look(Node& node) {
  node.engine->end_waits();
  std::vector<core::Command> due;
  try {
    std::optional<TimePoint> next;
    due = node.engine->sweeper().find_due(static_cast<std::size_t>(options_.tick_page), next);
    ++sweeps_;
  } catch (const StoreError&) {
    return options_.tick;
  }
  const Duration pause =
      chance_.happens(0.7) ? chance_.between(0us, 5ms) : chance_.between(0us, options_.ticker_pause);
  bool is_page_full = false;
  for (core::Command& command : due) {
    is_page_full = is_page_full || core::weight_of(command) >= static_cast<std::size_t>(options_.tick_page);
    scheduler_.after(pause, [this, &node, incarnation = node.incarnation, command = std::move(command)] {
      if (!node.is_up || node.incarnation != incarnation) return;
      const auto call = std::make_shared<Call>();
      call->number = ++last_call_;
      call->node = node.index;
      call->command = command;
      call->is_over = true;
      accept(node, call);
    });
  }
  node.engine->sweeper().maintain();
  if (node.engine->waiters().size() > 0) node.engine->serve_waiting(false);
  return is_page_full ? pause + 2 * options_.commit_time : options_.tick;
}

}  // namespace pawl::sim
