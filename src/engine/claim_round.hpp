#pragma once
// Serves the claims of one group, after its other commands, from the tasks that the group made claimable and
// from the store. The order is by priority, then age (or turns, where tasks have fairness keys), within the
// limits of the queues.

#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/run_inputs.hpp"
#include "engine/waiters.hpp"
#include "engine/working_set.hpp"
#include "store/store.hpp"

namespace pawl::engine {

// Whether reading the store could find a task for the claim, as far as this node knows.
[[nodiscard]] bool may_find(store::Store& store, const core::ClaimTasks& claim);

class ClaimRound {
 public:
  // The transaction began after `began_at`.
  ClaimRound(store::Store& store, store::Transaction& tx, WorkingSet& set, core::MonotonicTime began_at,
             RunInputs inputs)
      : store_(store), tx_(tx), set_(set), began_at_(began_at), inputs_(std::move(inputs)) {}

  // Returns the tasks of each claim, in the order of `claims`; notes in each whether a limit held it back.
  [[nodiscard]] std::vector<std::vector<WorkingTask*>> serve(std::span<WaitingClaim> claims);

 private:
  // How many tasks a queue still grants. An absent value is no limit.
  struct Allowance {
    bool paused = false;
    std::optional<std::int64_t> total = {};
    std::map<std::string, std::int64_t> by_type = {};
    std::int64_t taken = 0;

    [[nodiscard]] std::int64_t left_for(const std::string& type, std::int64_t wanted) const;
    void take(const std::string& type);
  };
  // Claims with the same queues and types are served together.
  using Kind = std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>;

  void load_rooms(std::span<WaitingClaim> claims);
  // How many tasks the claim may still get: up to its maximum, within the cap of its worker.
  [[nodiscard]] std::int64_t room_for(const core::ClaimTasks& claim) const;
  void take_room(const core::ClaimTasks& claim);
  // False if the limits of the lane's queue allow no further task.
  [[nodiscard]] bool take_allowance(const core::Lane& lane);
  void load_allowances(std::span<WaitingClaim> claims);
  [[nodiscard]] Allowance allowance_of(
      const store::LockedQueue& queue,
      const std::unordered_map<const core::Lane*, std::int64_t>& deltas) const;
  void serve_kind(std::span<WaitingClaim> claims, const std::vector<std::size_t>& members,
                  std::vector<std::vector<WorkingTask*>>& given);
  [[nodiscard]] std::vector<store::LaneShare> shares_for(const core::ClaimTasks& claim, std::int64_t wanted);
  [[nodiscard]] std::vector<WorkingTask*> candidates(std::vector<store::LaneShare> shares,
                                                     std::size_t wanted);
  // How long after the transaction's time the claim may have arrived.
  [[nodiscard]] core::Duration lateness_of(const WaitingClaim& waiting) const;
  [[nodiscard]] std::vector<WorkingTask*> take_candidates(const std::vector<store::LaneShare>& shares,
                                                          std::size_t wanted);
  // Removes the damaged tasks from `tasks`; true if there were any.
  bool set_aside_damaged(std::vector<WorkingTask*>& tasks);
  void load_missing_facts(std::span<WorkingTask* const> tasks);
  void spend_rates();

  store::Store& store_;
  store::Transaction& tx_;
  WorkingSet& set_;
  core::MonotonicTime began_at_;
  RunInputs inputs_;
  std::map<store::HolderRef, std::int64_t> rooms_;   // of the workers that have a cap
  std::map<store::QueueRef, Allowance> allowances_;  // of the queues that have any setting
};

}  // namespace pawl::engine
