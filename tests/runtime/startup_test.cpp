// A node whose store fails during startup (B25): every service retries, and none is left stopped.

#include <array>
#include <atomic>

#include "store/faulty.hpp"
#include "tests/runtime/fixture.hpp"

namespace pawl::testing {
namespace {

// Fails the first calls of every verb.
class FailingStart final : public store::FaultPlan {
 public:
  static constexpr int kFailures = 3;

  void before(store::Verb verb) override {
    if (++tries_.at(static_cast<std::size_t>(verb)) > kFailures) return;
    ++failures_;
    throw store::StoreError{store::StoreError::Kind::unavailable, "a fault placed by the test"};
  }
  [[nodiscard]] int failures() const { return failures_; }

 private:
  std::array<std::atomic<int>, static_cast<std::size_t>(store::Verb::read) + 1> tries_{};
  std::atomic<int> failures_ = 0;
};

using Startup = RuntimeTest;

TEST_P(Startup, B25_WithAFailingStoreStartsEveryService) {
  FailingStart plan;
  RunningNode node{
      std::shared_ptr<store::Store>{store::make_faulty_store(open(), plan)},
      {.ticker = {.interval = 5ms, .maintenance = 10ms}, .node = {.leader_ttl = 300ms}, .schedules = 10ms}};
  EXPECT_TRUE(eventually([&] { return node.runtime.membership().is_leader(); })) << "it does not lead";

  const core::Schedule every_second{.name = "s", .every = 1s, .task = core::TaskSpec{.type = "slot"}};
  EXPECT_TRUE(
      eventually([&] { return node.runtime.local().create_schedule({.schedule = every_second}).ok(); }));
  EXPECT_TRUE(eventually([&] {
    const auto claimed = node.api().claim({.worker_id = "w", .types = {"slot"}, .lease = 10ms});
    return claimed.ok() && !claimed->empty();
  })) << "its schedules do not fire";
  EXPECT_TRUE(eventually([&] {
    const auto claimed = node.api().claim({.worker_id = "w", .types = {"slot"}, .lease = 10ms});
    return claimed.ok() && !claimed->empty() && claimed->front().task.attempt > 1;
  })) << "it does not look for leases that are over";
  EXPECT_GT(plan.failures(), 3 * FailingStart::kFailures);
}

PAWL_ON_EVERY_STORE(Startup);

}  // namespace
}  // namespace pawl::testing
