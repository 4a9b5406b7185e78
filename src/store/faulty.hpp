#pragma once
// A decorator for tests that injects faults into a store. It calls a plan before every verb and after every
// commit; the engine gets the exception that the plan throws. The inner store is not disturbed: a transaction
// that a fault interrupts is rolled back by its owner. Thread-safe if the plan is.

#include <cstdint>
#include <memory>

#include "store/store.hpp"

namespace pawl::store {

enum class Verb : std::uint8_t {
  intern_lanes,
  begin,
  load,
  lock_lines,
  first_waiting,
  lock_turns,
  lock_queues,
  count_held,
  lock_records,
  take_ready,
  runs,  // all verbs of RunVerbs
  commit,
  read,  // everything outside a transaction
};

class FaultPlan {
 public:
  FaultPlan() = default;
  FaultPlan(const FaultPlan&) = delete;
  FaultPlan& operator=(const FaultPlan&) = delete;
  virtual ~FaultPlan() = default;

  // Called before any effect of the verb.
  virtual void before(Verb verb) = 0;
  // The transaction has begun and has its time.
  virtual void begun(const Transaction& /*transaction*/) {}
  // The commit is complete, but its caller has no reply yet.
  virtual void committed(const WriteSet& /*writes*/, const Transaction& /*transaction*/) {}
};

// `inner` is shared because the nodes of a simulation use one memory store. The plan must outlive the store.
[[nodiscard]] std::unique_ptr<Store> make_faulty_store(std::shared_ptr<Store> inner, FaultPlan& plan);

}  // namespace pawl::store
