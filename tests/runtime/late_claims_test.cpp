// Claims that come while a group is under way and join it. Two writers are needed for that: PostgreSQL has
// them.

#include <functional>
#include <utility>

#include "store/faulty.hpp"
#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

// Calls once, when the next group is about to wait for its lines.
class BeforeLines final : public store::FaultPlan {
 public:
  void before(store::Verb verb) override {
    if (verb == store::Verb::lock_lines && call) std::exchange(call, nullptr)();
  }
  void committed(const store::WriteSet& /*writes*/, core::TimePoint /*now*/) override {}

  std::function<void()> call;
};

struct LateClaims : ::testing::Test {
  static constexpr core::Duration kLease = 10s;

  Database database{StoreKind::postgres};
  ManualClock clock;
  SeededRandom random{1};
  BeforeLines plan;
  std::unique_ptr<store::Store> opened =
      store::make_faulty_store(std::shared_ptr<store::Store>{database.open(clock, random)}, plan);
  engine::Engine engine{*opened, clock, random};
  std::vector<core::ClaimedTask> claimed;

  void execute(core::Command command) {
    std::vector<engine::Request> group;
    group.push_back(
        {.command = std::move(command), .reply = [this](const core::Result<core::Answer>& answer) {
           ASSERT_TRUE(answer.ok()) << answer.problem().detail;
           const auto* tasks = std::get_if<std::vector<core::ClaimedTask>>(&*answer);
           if (tasks != nullptr) claimed = *tasks;
         }});
    engine.execute(std::move(group));
  }
  void claim() { execute(core::ClaimTasks{.worker_id = "w", .max = 1, .lease = kLease, .wait = 1h}); }
  void enqueue_keyed() {
    core::TaskSpec spec = task_of("t");
    spec.key = "entity";
    execute(core::EnqueueTasks{.tasks = {spec}});
  }
};

// Whoever holds a lease counts from when it asked: it would go on while another has the task.
TEST_F(LateClaims, HaveTheirWholeLeaseHoweverLongTheGroupHadWaited) {
  plan.call = [&] {
    clock.advance(4s);
    claim();
    clock.advance(1s);
  };
  const core::TimePoint began_at = clock.now();
  enqueue_keyed();
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed[0].task.lease->expires_at, began_at + 4s + kLease);
}

TEST_F(LateClaims, ThatWereThereBeforeHaveTheLeaseThatTheyAskedFor) {
  claim();
  clock.advance(2s);
  const core::TimePoint began_at = clock.now();
  plan.call = [&] { clock.advance(4s); };
  enqueue_keyed();
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed[0].task.lease->expires_at, began_at + kLease);
}

}  // namespace pawl::testing
