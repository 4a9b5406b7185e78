#pragma once
// Faults that a test injects explicitly, in front of any store.

#include <functional>
#include <memory>
#include <utility>

#include "store/faulty.hpp"
#include "tests/support/harness.hpp"

namespace pawl::testing {

class HandPlan final : public store::FaultPlan {
 public:
  std::function<void(store::Verb)> on_verb = [](store::Verb) {};
  std::function<void()> on_committed = [] {};

  void before(store::Verb verb) override { on_verb(verb); }
  void committed(const store::WriteSet& /*writes*/, const store::Transaction& /*transaction*/) override {
    on_committed();
  }
};

// A node whose store follows the plan. It shares the database of `healthy`.
struct FaultyNode {
  FaultyNode(DirectNode& healthy, core::Clock& clock, std::uint64_t seed)
      : node(std::shared_ptr<store::Store>{store::make_faulty_store(healthy.store(), plan)}, clock, seed) {}

  HandPlan plan;
  DirectNode node;
};

[[noreturn]] inline void lose(store::StoreError::Kind kind) {
  throw store::StoreError{kind, "a fault placed by the test"};
}

}  // namespace pawl::testing
