#include "tests/sim/options.hpp"

#include <fmt/format.h>

#include "tests/sim/chance.hpp"

namespace pawl::sim {

namespace {

using namespace std::chrono_literals;

// Zero in a third of the runs, otherwise up to `most`.
double sometimes(Chance& chance, double most) {
  return chance.happens(0.33) ? 0 : chance.between(most / 20, most);
}

void choose_cluster(Options& options, Chance& chance) {
  options.commit_time = chance.between(1ms, 40ms);
  options.tick = chance.between(200ms, 1500ms);
  options.ticker_pause = chance.happens(0.3) ? 0ms : chance.between(10ms, 4s);
  options.tick_page = chance.happens(0.3) ? chance.between(2, 10) : 100;
}

void choose_faults(Options& options, Chance& chance) {
  options.store_retry = sometimes(chance, 0.02);
  options.store_unavailable = sometimes(chance, 0.01);
  options.store_outage = sometimes(chance, 0.0003);
  options.lost_commit_reply = sometimes(chance, 0.03);
  options.crash = sometimes(chance, 0.0008);
  options.crash_after_commit = sometimes(chance, 0.004);
  options.request_lost = sometimes(chance, 0.03);
  options.reply_lost = sometimes(chance, 0.03);
  options.message_slow = sometimes(chance, 0.02);
  options.clock_step = sometimes(chance, 0.1);
  options.clock_step_max = chance.happens(0.5) ? 50ms : 3s;
}

void choose_workers(Options& options, Chance& chance) {
  options.workers = chance.between(3, 8);
  options.slots = chance.between(2, 8);
  options.lease_min = chance.between(500ms, 2s);
  options.lease_max = options.lease_min + chance.between(0ms, 8s);
  options.claim_wait = chance.between(0.2, 1.0);
  options.pause = sometimes(chance, 0.08);
  options.death = sometimes(chance, 0.05);
  options.worker_death = sometimes(chance, 0.005);
  options.fail = sometimes(chance, 0.3);
  options.fail_final = sometimes(chance, 0.08);
  options.release = sometimes(chance, 0.1);
  options.no_start = sometimes(chance, 0.5);
  options.no_heartbeat = sometimes(chance, 0.2);
  options.ignore_cancel = chance.between(0.1, 0.9);
}

void choose_clients(Options& options, Chance& chance) {
  options.clients = chance.between(2, 5);
  options.keyed = sometimes(chance, 0.7);
  options.keys = chance.between(5, 60);
  options.idempotent = chance.between(0.2, 0.9);
  options.repeated = sometimes(chance, 0.05);
  options.delayed = sometimes(chance, 0.4);
  options.timeout = sometimes(chance, 0.4);
  options.batch = sometimes(chance, 0.3);
  options.cancel = sometimes(chance, 0.15);
  options.retry_by_hand = sometimes(chance, 0.15);
  options.invalid = sometimes(chance, 0.02);
}

void choose_queues(Options& options, Chance& chance) {
  options.queues = chance.between(1, 4);
  options.limits = sometimes(chance, 0.6);
  options.rates = sometimes(chance, 0.3);
  options.queue_pauses = sometimes(chance, 0.3);
}

}  // namespace

Options options_for(std::uint64_t seed, int lives) {
  Options options;
  Chance chance{seed ^ 0x5eed0f0e7a3c1d2bULL};
  options.seed = seed;
  options.lives = lives;
  choose_cluster(options, chance);
  choose_faults(options, chance);
  choose_workers(options, chance);
  choose_clients(options, chance);
  choose_queues(options, chance);
  // Usually enough handlers for the work: about a second and a half per task.
  const double hands = options.workers * options.slots;
  const double seconds = options.lives * 1.5 / hands * chance.between(0.7, 2.0);
  options.span = Duration{static_cast<std::int64_t>(std::max(seconds, 20.0) * 1e6)};
  return options;
}

std::string to_string(const Options& options) {
  std::string text;
  const auto add = [&text](const char* name, const auto& value) {
    if (!text.empty()) text += ' ';
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Duration>) {
      text += fmt::format("{}={}", name, core::format_duration(value));
    } else {
      text += fmt::format("{}={:.4}", name, static_cast<double>(value));
    }
  };
#define PAWL_ADD(name) \
  add(#name, options.name)  // a macro only so that the names cannot drift from the fields
  PAWL_ADD(lives), PAWL_ADD(span), PAWL_ADD(nodes), PAWL_ADD(commit_time), PAWL_ADD(tick),
      PAWL_ADD(ticker_pause);
  PAWL_ADD(tick_page), PAWL_ADD(store_retry), PAWL_ADD(store_unavailable), PAWL_ADD(store_outage);
  PAWL_ADD(lost_commit_reply), PAWL_ADD(crash), PAWL_ADD(crash_after_commit), PAWL_ADD(request_lost);
  PAWL_ADD(reply_lost), PAWL_ADD(message_slow), PAWL_ADD(clock_step), PAWL_ADD(clock_step_max);
  PAWL_ADD(workers), PAWL_ADD(slots), PAWL_ADD(lease_min), PAWL_ADD(lease_max), PAWL_ADD(claim_wait);
  PAWL_ADD(pause), PAWL_ADD(death), PAWL_ADD(worker_death), PAWL_ADD(fail), PAWL_ADD(fail_final);
  PAWL_ADD(release), PAWL_ADD(no_start), PAWL_ADD(no_heartbeat), PAWL_ADD(ignore_cancel), PAWL_ADD(clients);
  PAWL_ADD(keyed), PAWL_ADD(keys), PAWL_ADD(idempotent), PAWL_ADD(repeated), PAWL_ADD(delayed);
  PAWL_ADD(timeout), PAWL_ADD(batch), PAWL_ADD(cancel), PAWL_ADD(retry_by_hand), PAWL_ADD(invalid);
  PAWL_ADD(queues), PAWL_ADD(limits), PAWL_ADD(rates), PAWL_ADD(queue_pauses);
#undef PAWL_ADD
  return text;
}

}  // namespace pawl::sim
