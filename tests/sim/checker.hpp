#pragma once
// Compares every commit and every answer of all nodes with the model, and throws a Violation at the first
// difference. It reads the store through its own handle and shares only the types with the engine.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "store/store.hpp"
#include "tests/sim/call.hpp"
#include "tests/sim/history.hpp"
#include "tests/sim/model.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/tally.hpp"
#include "tests/sim/watcher.hpp"

namespace pawl::sim {

class Checker final : public Watcher {
 public:
  Checker(store::Store& store, SimClock& store_clock, const Scheduler& scheduler, Tally& tally,
          History& history, bool is_one_process)
      : store_(store),
        clock_(store_clock),
        scheduler_(scheduler),
        tally_(tally),
        history_(history),
        model_(tally),
        is_one_process_(is_one_process) {}

  [[nodiscard]] Model& model() { return model_; }

  void begin_execution(int node, std::span<const CallPtr> calls) override;
  void on_begin(const StoreTime& time) override;
  void on_commit(const store::WriteSet& writes, const StoreTime& time) override;
  void on_fault(bool is_lost_reply) override;
  void on_answer(Call& call, const core::Result<core::Answer>& answer) override;
  void claim_arrived(const CallPtr& call) override;
  void claim_left(const Call& call) override;
  void on_refusal(const Call& call, const core::Problem& problem) override;
  void on_execution(const core::ClaimedTask& claimed, const std::string& worker) override;

  // From now on there are no faults, and expired leases must be found within `bound`.
  void heal(Duration bound) {
    healed_at_ = scheduler_.now();
    rescue_bound_ = bound;
  }

  // Compares every row and every count with the model.
  void audit();
  // After quiescence: checks the conditions at the end of a run.
  void audit_end();

 private:
  // The invariants, one function each. `saw` counts the examined objects.
  void i01_is_kept(const Submission& asked);
  void i02_was_asked_for(const core::TaskRecord& record);
  void i04_one_holder(const ModelTask& task);
  void i04_leases_last();
  void i05_fence_rises(const ModelTask& task, std::int64_t fence);
  void i06_stale_changed_nothing(const core::Report& report, bool is_refused);
  void i06_stale_had_no_effect(const ModelTask& task, const store::StoredTask& row);
  void i07_i09_status(const ModelTask& task, TaskStatus actual);
  void i08_one_end(const ModelTask& task, const core::TaskRecord& record);
  void i10_attempts(const ModelTask& task, const store::StoredTask& row);
  void i11_may_be_claimed(const ModelTask& task);
  void i12_waits_as_policy_says(ModelTask& task, const core::TaskRecord& record);
  void i13_found_in_time();
  void i14_leased_iff_running(const ModelTask& task, const core::TaskRecord& record);
  void i15_limits_hold(const std::string& name, const ModelQueue& queue);
  void i16_is_first_of_its_key(const ModelTask& task);

  void compare_row(ModelTask& task, const store::StoredTask& row);
  void check_claim(ModelTask& task, const core::TaskRecord& record);
  void find_claim_for(const ModelTask& task, const core::TaskRecord& record);
  void compare_answer(const Call& call, const core::Answer& actual);
  void compare_reports(const core::ReportTasks& command, const core::Answer& expected,
                       const core::Answer& actual);
  void compare_moves(const Call& call, const core::Answer& expected, const core::Answer& actual);
  void compare_enqueued(const core::EnqueueTasks& command, const core::Answer& expected,
                        const core::Answer& actual);
  void check_claimed(const core::ClaimTasks& command, const std::vector<core::ClaimedTask>& claimed);
  void audit_queues();
  [[nodiscard]] TrueTime true_time() const;
  void tell(const Call& call, const core::Result<core::Answer>& answer);
  void tell_task(const ModelTask& task, const char* what);
  [[noreturn]] void broken(Invariant invariant, const std::string& what, const TaskId& task) const;

  store::Store& store_;
  SimClock& clock_;
  const Scheduler& scheduler_;
  Tally& tally_;
  History& history_;
  Model model_;
  // Only within one process does every transaction know all clock steps that others have seen.
  const bool is_one_process_;
  std::map<std::string, std::vector<CallPtr>> open_claims_;  // by worker

  int node_ = 0;
  StoreTime begun_;  // of the last transaction
  std::vector<CallPtr> group_;
  int faults_in_execution_ = 0;
  bool is_reply_lost_ = false;
  std::optional<Duration> healed_at_;
  Duration rescue_bound_{};
};

[[nodiscard]] Operation operation_of(core::ReportAction action);

}  // namespace pawl::sim
