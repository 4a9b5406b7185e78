#pragma once
// Clients of workflows: they start graph and code runs, and signal, pause, cancel, retry and undo them. They
// repeat an unanswered start under its key.

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

  // Writes the definitions that they start to the store.
  static void define(store::Store& store, core::Clock& clock, std::uint64_t seed);

  // From now on the clients start nothing new, and paused runs are resumed.
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
