#pragma once
// Checks workflows: the events of every commit, the steps that bodies receive, and the steps that they
// execute. It keeps its own record; at the end it verifies the whole store and rebuilds every run from its
// log.

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/store.hpp"
#include "tests/sim/history.hpp"
#include "tests/sim/tally.hpp"
#include "tests/sim/watcher.hpp"

namespace pawl::sim {

// A broken promise about workflows.
struct FlowViolation {
  std::string invariant;  // such as I25
  std::string what;
  core::RunId run = {};
};

struct FlowTally {
  std::int64_t flows = 0;
  std::int64_t commits = 0;
  std::int64_t steps = 0;     // executed by bodies
  std::int64_t replays = 0;   // bodies that received recorded steps
  std::int64_t repeated = 0;  // repeated starts that found their run
  std::array<std::int64_t, core::kRunStateCount> ended{};
  std::array<std::int64_t, core::kRunEventTypeCount> events{};
  std::array<std::int64_t, kFaultNames.size()> faults{};

  FlowTally& operator+=(const FlowTally& other);
};
// Required observations that are missing from a campaign.
[[nodiscard]] std::vector<std::string> gaps(const FlowTally& tally);
[[nodiscard]] std::string account(const FlowTally& tally);

class FlowChecker final : public Watcher {
 public:
  FlowChecker(store::Store& store, FlowTally& tally, History& history)
      : store_(store), tally_(tally), history_(history) {}

  void begin_execution(int /*node*/, std::span<const CallPtr> /*calls*/) override {}
  void on_begin(const StoreTime& /*time*/) override {}
  void on_commit(const store::WriteSet& writes, const StoreTime& time) override;
  void on_fault(bool /*is_lost_reply*/) override {}
  void on_answer(Call& call, const core::Result<core::Answer>& answer) override;
  void claim_arrived(const CallPtr& /*call*/) override {}
  void claim_left(const Call& /*call*/) override {}
  void on_refusal(const Call& /*call*/, const core::Problem& /*problem*/) override {}
  void on_execution(const core::ClaimedTask& claimed, const std::string& worker) override;

  // The body executes the step now. A body that received the step as completed must not (I25).
  void on_step(const core::ClaimedTask& body, const std::string& step_id);

  [[nodiscard]] int open_flows() const { return open_; }
  [[nodiscard]] std::vector<core::RunId> in(core::RunState state) const;
  // The runs seen so far.
  [[nodiscard]] const std::vector<core::RunId>& known() const { return known_; }
  // Called after quiescence. After a backward clock step, a claim may appear older than the one before it
  // (I04).
  void audit_end(bool has_gone_back);

 private:
  struct Flow {
    std::int64_t sequence = 0;
    core::RunState state = core::RunState::created;
    std::vector<std::string> steps_done;  // in the order of their commits
    std::map<std::string, std::string> outputs;
    std::set<std::int64_t> signals_read;
    std::map<core::NodeKey, core::TimePoint> timers;
  };

  void follow(const core::RunId& id, Flow& flow, const core::RunEvent& event, core::TimePoint now);
  [[noreturn]] static void broken(std::string invariant, std::string what, const core::RunId& run);

  store::Store& store_;
  FlowTally& tally_;
  History& history_;
  std::map<core::RunId, Flow> flows_;
  std::vector<core::RunId> known_;
  std::map<std::string, core::RunId> keys_;  // acknowledged
  // The number of recorded steps when a body was claimed with a fence.
  std::map<std::pair<core::TaskId, std::int64_t>, std::size_t> kept_at_claim_;
  int open_ = 0;
};

}  // namespace pawl::sim
