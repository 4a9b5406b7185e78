#pragma once
// The observer of a simulation: it receives every commit and every answer of all nodes, and the tasks that
// workers start. It throws a Violation for a broken promise.

#include <span>
#include <string>

#include "store/store.hpp"
#include "tests/sim/call.hpp"
#include "tests/sim/store_time.hpp"

namespace pawl::sim {

class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;

  // A node executes these calls; claims that wait there may join. The following calls report the results, in
  // this order.
  virtual void begin_execution(int node, std::span<const CallPtr> calls) = 0;
  virtual void on_begin(const StoreTime& time) = 0;
  virtual void on_commit(const store::WriteSet& writes, const StoreTime& time) = 0;
  virtual void on_fault(bool is_lost_reply) = 0;
  virtual void on_answer(Call& call, const core::Result<core::Answer>& answer) = 0;

  // Claims that a node has received and not answered: every lease must have a matching claim.
  virtual void claim_arrived(const CallPtr& call) = 0;
  virtual void claim_left(const Call& call) = 0;

  // A request that was refused before it reached an engine.
  virtual void on_refusal(const Call& call, const core::Problem& problem) = 0;
  // A worker starts to execute the task.
  virtual void on_execution(const core::ClaimedTask& claimed, const std::string& worker) = 0;
};

}  // namespace pawl::sim
