#pragma once
// Who watches a run of the simulation: told of every commit and every answer of all nodes, and of what
// workers are handed. Throws a Violation where a promise is not kept.

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

  // A node executes these (claims that wait there may join). Then, in this order, what came of it.
  virtual void begin_execution(int node, std::span<const CallPtr> calls) = 0;
  virtual void on_begin(const StoreTime& time) = 0;
  virtual void on_commit(const store::WriteSet& writes, const StoreTime& time) = 0;
  virtual void on_fault(bool is_lost_reply) = 0;
  virtual void on_answer(Call& call, const core::Result<core::Answer>& answer) = 0;

  // Claims that a node has and did not answer yet: whoever holds a lease must have asked for it.
  virtual void claim_arrived(const CallPtr& call) = 0;
  virtual void claim_left(const Call& call) = 0;

  // A request that was refused before it came to an engine.
  virtual void on_refusal(const Call& call, const core::Problem& problem) = 0;
  // A worker has the task in its hands.
  virtual void on_execution(const core::ClaimedTask& claimed, const std::string& worker) = 0;
};

}  // namespace pawl::sim
