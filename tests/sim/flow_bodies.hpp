#pragma once
// Workers that run bodies of code runs. A body's actions depend only on its input, so that any worker that
// continues it does the same. Workers die, freeze past their lease and continue, and lose answers, between
// any two steps.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/chance.hpp"
#include "tests/sim/cluster.hpp"
#include "tests/sim/flow_checker.hpp"
#include "tests/sim/options.hpp"

namespace pawl::sim {

inline constexpr const char* kBodiesQueue = "bodies";

class Bodies {
 public:
  Bodies(const Options& options, Scheduler& scheduler, Cluster& cluster, FlowChecker& checker, Tally& tally,
         std::uint64_t seed);

  void heal() { is_healed_ = true; }
  [[nodiscard]] int running() const { return running_; }

 private:
  struct Op {
    core::StepKind kind = core::StepKind::function;
    std::string id;
    bool is_undone = false;  // has an undo, which runs if the body fails later
  };
  struct Body {
    std::string worker;
    core::ClaimedTask claimed;
    std::vector<Op> ops;
    bool throws = false;  // after its last step
    std::map<std::string, core::StepMemo> steps;
    bool is_stopped = false;
    bool is_ended = false;
  };
  // Shared by the events that advance it.
  using BodyPtr = std::shared_ptr<Body>;
  using Written = std::function<void(const core::StepsWritten&)>;

  void claim(const std::string& worker);
  void claim_later(const std::string& worker, Duration delay);
  void begin(const std::string& worker, const core::ClaimedTask& claimed);
  void beat(const BodyPtr& body);
  void go_on(const BodyPtr& body);
  void advance(const BodyPtr& body);
  // Whether this operation has work to do. If not, the next one is tried.
  bool advance(const BodyPtr& body, const Op& op);
  void execute(const BodyPtr& body, const std::string& step_id, core::StepKind kind);
  void wait_for(const BodyPtr& body, const Op& op, bool is_begun);
  void undo(const BodyPtr& body);
  void end_with(const BodyPtr& body, core::ReportAction action, int tries_left);
  void write(const BodyPtr& body, core::WriteSteps command, int tries_left);
  void note(const BodyPtr& body, const core::StepsWritten& written);
  void end(const BodyPtr& body);
  [[nodiscard]] static std::vector<Op> ops_of(std::uint64_t seed);
  [[nodiscard]] static const core::StepMemo* find(const Body& body, const std::string& id);
  [[nodiscard]] bool fails(double probability) { return !is_healed_ && chance_.happens(probability); }

  const Options& options_;
  Scheduler& scheduler_;
  Cluster& cluster_;
  FlowChecker& checker_;
  Tally& tally_;
  Chance chance_;
  int running_ = 0;
  bool is_healed_ = false;
};

}  // namespace pawl::sim
