#pragma once
// Clients of workflows: they start runs of graphs and of code, signal, pause, cancel, retry and undo them. A
// start that is not answered is sent again under its key.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/chance.hpp"
#include "tests/sim/cluster.hpp"
#include "tests/sim/flow_checker.hpp"
#include "tests/sim/options.hpp"

namespace pawl::sim {

class FlowClients {
 public:
  FlowClients(const Options& options, Scheduler& scheduler, Cluster& cluster, const FlowChecker& checker,
              int flows, std::uint64_t seed);

  // Puts the definitions that they start into the store.
  static void define(store::Store& store, core::Clock& clock, std::uint64_t seed);

  // From now on: nothing new, and what is paused goes on.
  void heal();
  [[nodiscard]] bool has_sent_all() const { return flows_left_ <= 0; }
  [[nodiscard]] int unsettled() const { return unsettled_; }

 private:
  void act();
  void start();
  void send(const core::StartRun& command);
  void meddle();
  void resume_paused();

  const Options& options_;
  Scheduler& scheduler_;
  Cluster& cluster_;
  const FlowChecker& checker_;
  Chance chance_;
  int flows_left_ = 0;
  int flows_;
  int unsettled_ = 0;
  bool is_healed_ = false;
};

}  // namespace pawl::sim
