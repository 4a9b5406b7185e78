#include "tests/chaos/faults.hpp"

#include <algorithm>
#include <csignal>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "tests/chaos/load.hpp"

namespace pawl::chaos {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr int kRoundsToLand = 10;    // for a kind that does not land
constexpr auto kWritesWithin = 30s;  // after a fault's end
constexpr auto kFollowedWithin = kLeaderTtl + 5s;
constexpr core::Duration kSlotEvery = 1s;  // of the schedules in load.cpp

Proxy::Mode mode_of(Fault fault) {
  if (fault == Fault::close) return Proxy::Mode::close;
  return fault == Fault::stall ? Proxy::Mode::stall : Proxy::Mode::drop;
}

milliseconds milliseconds_since(Time begin) {
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
}

}  // namespace

Faults::Faults(Place place, std::uint64_t seed, std::vector<Fault> kinds)
    : cluster_(place.cluster),
      ledger_(place.ledger),
      counts_(place.counts),
      client_(place.cluster, place.counts, seed),
      chance_(client_.chance),
      kinds_(std::move(kinds)) {
  for (const Fault fault : kinds_) landed_[fault] = 0;
  for (const Fault fault : {Fault::fail_over, Fault::promote_asynchronous}) {
    if (std::erase(kinds_, fault) > 0) last_ = fault;
  }
}

void Faults::happen(milliseconds time) {
  const Time until = std::chrono::steady_clock::now() + time;
  if (kinds_.empty()) std::this_thread::sleep_until(until);
  const auto is_over = [&] { return std::chrono::steady_clock::now() >= until; };
  const auto has_landed = [&](Fault fault) { return landed_[fault] > 0; };
  for (int round = 0; !is_over() || round < kRoundsToLand; ++round) {
    if (is_over() && std::all_of(kinds_.begin(), kinds_.end(), has_landed)) break;
    shuffle();
    for (const Fault fault : kinds_) {
      if (is_over() && has_landed(fault)) continue;
      wait(200, 700);
      happen_once(fault, client_.any_node());
    }
  }
  if (last_) happen_once(*last_, 0);
}

void Faults::begins(Fault fault) { ledger_.fault_begins(name_of(fault)); }

void Faults::happen_once(Fault fault, int node) {
  begins(fault);
  switch (fault) {
    case Fault::kill_the_leader: return kill_the_leader();
    case Fault::kill:
      kill(node, SIGKILL);
      if (cluster_.process(node).ended() == -SIGKILL) ++landed_[fault];
      break;
    case Fault::stop:
      kill(node, SIGTERM);
      if (cluster_.process(node).ended() == 0) ++landed_[fault];
      break;
    case Fault::pause: return pause(node);
    case Fault::close:
    case Fault::stall:
    case Fault::drop: return cut(fault, node);
    case Fault::restart_database: return restart_database();
    case Fault::fail_over: return fail_over();
    case Fault::exhaust_descriptors: return exhaust_descriptors(node);
    case Fault::replace_file: return replace_file();
    case Fault::cancel_sync_waits: return cancel_sync_waits();
    case Fault::promote_asynchronous: return promote_asynchronous();
    case Fault::crash_unflushed: return crash_unflushed();
    case Fault::step_database_clock:
    case Fault::step_node_clock: return step_clock(fault);
  }
  wait(100, 800);
  const Time since = std::chrono::steady_clock::now();
  cluster_.start(node);
  await_writes(fault, since, node);
}

void Faults::kill(int node, int signal) {
  cluster_.process(node).signal(signal);
  (void)cluster_.process(node).wait();
}

void Faults::kill_the_leader() {
  const std::optional<int> node = leader();
  if (!node) return;
  await_a_slot();
  const Time killed_at = std::chrono::steady_clock::now();
  kill(*node, SIGKILL);
  // The store reports the killed node as leader until its lease expires, unless another node had already
  // taken over.
  const bool was_leader = leader() == node;
  const Time until = std::chrono::steady_clock::now() + kFollowedWithin;
  while (std::chrono::steady_clock::now() < until && leader().value_or(*node) == *node)
    std::this_thread::sleep_for(20ms);
  if (was_leader && leader().value_or(*node) != *node) {
    ++landed_[Fault::kill_the_leader];
    ledger_.fault_recovered(name_of(Fault::kill_the_leader), milliseconds_since(killed_at));
  }
  cluster_.start(*node);
}

std::optional<int> Faults::leader() {
  const auto nodes = client_.insist({.path = "/admin/nodes"}, patience());
  if (!nodes) return std::nullopt;
  for (const json& node : nodes->body["items"]) {
    if (!node.value("is_leader", false)) continue;
    for (int i = 0; i < kNodes; ++i)
      if (cluster_.id_of(i) == node["node_id"].get<std::string>()) return i;
  }
  return std::nullopt;
}

void Faults::await_a_slot() {
  const auto slot =
      client_.insist({.path = fmt::format("/default/schedules/{}/next?count=1", kSchedules[0])}, patience());
  // Slots are in store time, and the store's clock may have been stepped.
  const auto vitals = client_.insist({.path = "/admin/vitals"}, patience());
  if (!slot || !vitals) return;
  const auto next = core::parse_time(slot->body["times"][0].get<std::string>());
  const auto now = core::parse_time(vitals->body["now"].get<std::string>());
  if (!next || !now) return;
  const auto offset = std::chrono::microseconds{static_cast<std::int64_t>(chance_.below(10'000)) - 5'000};
  std::this_thread::sleep_for(std::min<core::Duration>(*next - *now + offset, kSlotEvery));
}

// Longer than any lease, and sometimes longer than the database's idle-in-transaction timeout.
void Faults::pause(int node) {
  cluster_.process(node).signal(SIGSTOP);
  wait(2'200, chance_.chance(0.3) ? 7'000 : 3'000);
  maybe_kill_another(node);
  if (cluster_.process(node).is_stopped()) ++landed_[Fault::pause];
  cluster_.process(node).signal(SIGCONT);
  await_writes(Fault::pause, std::chrono::steady_clock::now(), node);
}

void Faults::cut(Fault fault, int node) {
  const Proxy::Mode mode = mode_of(fault);
  const int before = cluster_.hurt(node, mode);
  cluster_.set_ways(node, mode);
  wait(1'000, 3'000);
  maybe_kill_another(node);
  if (cluster_.hurt(node, mode) > before) ++landed_[fault];
  cluster_.set_ways(node, Proxy::Mode::pass);
  await_writes(fault, std::chrono::steady_clock::now(), node);
}

void Faults::maybe_kill_another(int node) {
  if (!chance_.chance(0.3)) return;
  const int other = (node + 1) % kNodes;
  kill(other, SIGKILL);
  cluster_.start(other);
  ledger_.count("nodes killed while another was paused or cut off");
}

void Faults::await_writes(Fault fault, Time since, std::optional<int> only) {
  for (int node = 0; node < kNodes; ++node) {
    if (only && node != *only) continue;
    const Ask ask{.method = "POST",
                  .path = fmt::format("/default/leases/chaos-{}/acquire", node),
                  .body = {{"holder", "chaos"}, {"ttl", "1s"}}};
    while (!client_.try_once(node, ask)) {
      if (milliseconds_since(since) > kWritesWithin)
        return ledger_.violation(Harm::wrong, fmt::format("no write through node {} for {} s after the fault",
                                                          node, kWritesWithin.count()));
      std::this_thread::sleep_for(5ms);
    }
  }
  ledger_.fault_recovered(name_of(fault), milliseconds_since(since));
}

void Faults::shuffle() {
  for (std::size_t i = kinds_.size(); i-- > 1;) std::swap(kinds_[i], kinds_[chance_.below(i + 1)]);
}

void Faults::wait(int least, int most) {
  std::this_thread::sleep_for(
      milliseconds{least + static_cast<int>(chance_.below(static_cast<std::uint64_t>(most - least)))});
}

}  // namespace pawl::chaos
