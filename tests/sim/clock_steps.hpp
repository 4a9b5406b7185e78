#pragma once
// Steps the store's clock forward and back at random, at most once a second until the heal.

#include "tests/sim/chance.hpp"
#include "tests/sim/options.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/tally.hpp"

namespace pawl::sim {

class ClockSteps {
 public:
  // Draws from the run's own stream.
  ClockSteps(const Options& options, Scheduler& scheduler, SimClock& clock, Chance& chance, Tally& tally)
      : options_(options), scheduler_(scheduler), clock_(clock), chance_(chance), tally_(tally) {}

  void start() {
    scheduler_.after(std::chrono::seconds{1}, [this] { step(); });
  }
  void heal() { is_healed_ = true; }

 private:
  void step() {
    if (is_healed_) return;
    if (chance_.happens(options_.clock_step)) {
      const Duration by = chance_.between(Duration{1}, options_.clock_step_max);
      const bool is_back = chance_.happens(0.5);
      tally_.landed(is_back ? Fault::clock_back : Fault::clock_forward);
      clock_.step(is_back ? -by : by);
    }
    start();
  }

  const Options& options_;
  Scheduler& scheduler_;
  SimClock& clock_;
  Chance& chance_;
  Tally& tally_;
  bool is_healed_ = false;
};

}  // namespace pawl::sim
