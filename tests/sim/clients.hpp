#pragma once
// Clients, which enqueue, cancel and retry, and the operator, which changes queues. They repeat unanswered
// calls under the same idempotency key; without a key they do not repeat them.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/chance.hpp"
#include "tests/sim/checker.hpp"
#include "tests/sim/cluster.hpp"
#include "tests/sim/options.hpp"
#include "tests/sim/workers.hpp"

namespace pawl::sim {

class Clients {
 public:
  Clients(const Options& options, Scheduler& scheduler, Cluster& cluster, Checker& checker,
          SimClock& store_clock, const Workers& workers, std::uint64_t seed);

  // From now on the clients enqueue nothing new, and queues are unpaused.
  void heal();
  [[nodiscard]] bool has_sent_all() const { return lives_left_ <= 0; }
  // The number of calls that are retried until they are answered.
  [[nodiscard]] int unsettled() const { return unsettled_; }

 private:
  void act();
  void act_later();
  void enqueue();
  void send(core::EnqueueTasks command, bool is_idempotent);
  void on_enqueued(const core::EnqueueTasks& command, bool is_idempotent,
                   const core::Result<core::Answer>* answer);
  void move_some();
  void operate();
  void open_queues();
  void set_queue(core::SetQueue command);
  [[nodiscard]] core::TaskSpec new_spec();
  [[nodiscard]] core::RetryPolicy new_policy();
  [[nodiscard]] core::QueuePatch new_patch();

  const Options& options_;
  Scheduler& scheduler_;
  Cluster& cluster_;
  Checker& checker_;
  SimClock& store_clock_;
  const Workers& workers_;
  Chance chance_;
  std::vector<TaskId> known_;
  int lives_left_ = 0;
  int unsettled_ = 0;
  int idempotency_keys_ = 0;
  bool is_healed_ = false;
};

}  // namespace pawl::sim
