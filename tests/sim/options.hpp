#pragma once
// The parameters of one run. Swarm testing: each seed enables a random subset of faults and features with
// random strength, since a fault that is always present hides the bugs that occur only without it.

#include <cstdint>
#include <string>

#include "core/base/time.hpp"

namespace pawl::sim {

using core::Duration;

struct Options {
  std::uint64_t seed = 0;
  int lives = 0;    // number of tasks to enqueue
  Duration span{};  // duration of the enqueues, in simulated time

  // The cluster.
  int nodes = 3;
  Duration commit_time{};   // how long requests are batched into a group
  Duration tick{};          // between two polls of a ticker
  Duration ticker_pause{};  // maximum, between its read and the execution of the commands found
  int tick_page = 100;

  // Faults: of the store, per verb; of the network, per message; of clocks, per second.
  double store_retry = 0;
  double store_unavailable = 0;
  double store_outage = 0;
  double lost_commit_reply = 0;
  double crash = 0;
  double crash_after_commit = 0;
  double request_lost = 0;
  double reply_lost = 0;
  double message_slow = 0;
  double clock_step = 0;
  Duration clock_step_max{};

  // Workers: per handler, unless noted otherwise.
  int workers = 0;
  int slots = 0;
  Duration lease_min{};
  Duration lease_max{};
  double claim_wait = 0;  // per claim
  double pause = 0;
  double death = 0;         // of the handler
  double worker_death = 0;  // of the whole worker
  double fail = 0;
  double fail_final = 0;
  double release = 0;
  double no_start = 0;
  double no_heartbeat = 0;
  double ignore_cancel = 0;

  // Clients: per task or per request.
  int clients = 0;
  double keyed = 0;
  int keys = 0;
  double idempotent = 0;
  double repeated = 0;  // sent again although it was acknowledged
  double delayed = 0;
  double timeout = 0;
  double batch = 0;
  double cancel = 0;
  double retry_by_hand = 0;
  double invalid = 0;

  // Queues.
  int queues = 0;
  double limits = 0;  // per change of settings
  double rates = 0;
  double queue_pauses = 0;
};

[[nodiscard]] Options options_for(std::uint64_t seed, int lives);
// All options as name=value, for the report of a failing seed.
[[nodiscard]] std::string to_string(const Options& options);

}  // namespace pawl::sim
