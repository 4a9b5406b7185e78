#pragma once
// What one run is like. Swarm testing: each seed switches a random part of the faults and features on, with
// random strength, since a fault that is always there hides the bugs that need its absence.

#include <cstdint>
#include <string>

#include "core/time.hpp"

namespace pawl::sim {

using core::Duration;

struct Options {
  std::uint64_t seed = 0;
  int lives = 0;    // tasks to be enqueued
  Duration span{};  // over which they are, in simulated time

  // The cluster.
  int nodes = 3;
  Duration commit_time{};   // how long requests gather for a group
  Duration tick{};          // between two looks of a ticker
  Duration ticker_pause{};  // at most, between its read and the execution of what it found
  int tick_page = 100;

  // Faults: of the store, for each verb; of the network, for each message; of clocks, for each second.
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

  // Workers: for each handler, unless said otherwise.
  int workers = 0;
  int slots = 0;
  Duration lease_min{};
  Duration lease_max{};
  double claim_wait = 0;  // for each claim
  double pause = 0;
  double death = 0;         // of the handler
  double worker_death = 0;  // of the whole worker
  double fail = 0;
  double fail_final = 0;
  double release = 0;
  double no_start = 0;
  double no_heartbeat = 0;
  double ignore_cancel = 0;

  // Clients: for each task or each request.
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
  double limits = 0;  // for each change of settings
  double rates = 0;
  double queue_pauses = 0;
};

[[nodiscard]] Options options_for(std::uint64_t seed, int lives);
// All of them, one name=value each: what is printed with a failing seed.
[[nodiscard]] std::string to_string(const Options& options);

}  // namespace pawl::sim
