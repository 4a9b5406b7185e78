#pragma once
// A store in front of another one, for tests: before every verb, and after every commit that is durable, a
// plan is asked, and what the plan throws is what the engine gets. The store itself behaves as ever, so a
// transaction that a fault cuts short is rolled back by its owner. As many threads as the plan can take.

#include <cstdint>
#include <memory>

#include "store/store.hpp"

namespace pawl::store {

enum class Verb : std::uint8_t {
  intern_lanes,
  begin,
  load,
  find_attempts,
  lock_lines,
  first_waiting,
  lock_turns,
  lock_queues,
  count_held,
  lock_records,
  last_checkpoints,
  take_ready,
  runs,  // all that is about runs
  commit,
  read,  // all that needs no transaction
};

class FaultPlan {
 public:
  FaultPlan() = default;
  FaultPlan(const FaultPlan&) = delete;
  FaultPlan& operator=(const FaultPlan&) = delete;
  virtual ~FaultPlan() = default;

  // Nothing of the verb has happened yet.
  virtual void before(Verb verb) = 0;
  // The transaction has begun, with its time.
  virtual void begun(const Transaction& /*transaction*/) {}
  // All of the commit has happened, and its caller does not know.
  virtual void committed(const WriteSet& /*writes*/, const Transaction& /*transaction*/) {}
};

// Shared: the nodes of a simulation have one memory store between them. The plan outlives the store.
[[nodiscard]] std::unique_ptr<Store> make_faulty_store(std::shared_ptr<Store> inner, FaultPlan& plan);

}  // namespace pawl::store
