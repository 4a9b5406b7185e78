// A store that hangs: queues stay bounded, callers get back-pressure, and no accepted command is dropped
// (B68).

#include <atomic>
#include <optional>

#include "store/faulty.hpp"
#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

using core::ProblemCode;

// Blocks every commit while closed.
class Gate final : public store::FaultPlan {
 public:
  void before(store::Verb verb) override {
    if (verb != store::Verb::commit) return;
    std::unique_lock lock{mutex_};
    ++waiting_;
    changed_.wait(lock, [this] { return is_open_; });
    --waiting_;
  }

  void set_open(bool open) {
    {
      const std::lock_guard lock{mutex_};
      is_open_ = open;
    }
    changed_.notify_all();
  }
  [[nodiscard]] int waiting() {
    const std::lock_guard lock{mutex_};
    return waiting_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = true;
  int waiting_ = 0;
};

class Stall : public RuntimeTest {
 public:
  struct Tally {
    std::atomic<int> stored = 0;
    std::atomic<int> refused = 0;
    std::atomic<int> other = 0;
    [[nodiscard]] int answered() const { return stored + refused + other; }
  };

  static void submit_enqueue(RunningNode& node, Tally& tally, std::size_t tasks = 1) {
    core::EnqueueTasks command;
    command.tasks.assign(tasks, task_of("t"));
    node.runtime.submit(std::move(command), [&tally](const core::Result<core::Answer>& answer) {
      if (answer) {
        ++tally.stored;
      } else if (answer.problem().code == ProblemCode::resource_exhausted) {
        ++tally.refused;
      } else {
        ++tally.other;
      }
    });
  }

  // The node has registered, and its next heartbeat is far in the future: only commands of the test block at
  // the gate.
  static void await_membership(RunningNode& node) {
    ASSERT_TRUE(eventually([&] { return node.runtime.membership().is_leader(); }));
  }
  static runtime::RuntimeOptions calm(runtime::RuntimeOptions options = {}) {
    options.node.leader_ttl = 1h;
    return options;
  }

  Gate gate;
};

TEST_P(Stall, B68_OfTheStoreRejectsCommandsBeyondTheLimitAndDropsNone) {
  Tally tally;
  constexpr int kBound = 50;
  constexpr int kSubmitted = 400;
  RunningNode node{std::shared_ptr<store::Store>{store::make_faulty_store(open(), gate)},
                   calm({.loop = {.threads = 1, .queued_commands_max = kBound}})};
  submit_enqueue(node, tally);
  ASSERT_TRUE(eventually([&] { return tally.answered() == 1; }));

  await_membership(node);
  gate.set_open(false);
  submit_enqueue(node, tally);  // blocks at the gate
  ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
  in_parallel(4, [&](int) {
    for (int i = 0; i < kSubmitted / 4; ++i) submit_enqueue(node, tally);
  });
  EXPECT_EQ(tally.refused, kSubmitted - kBound) << "refused at once, while the store stands";
  EXPECT_EQ(tally.stored, 1);
  std::optional<ProblemCode> claim_refused;  // submitted directly: a call would first read its worker
  node.runtime.submit(core::ClaimTasks{.worker_id = "w"}, [&](const core::Result<core::Answer>& answer) {
    if (!answer) claim_refused = answer.problem().code;
  });
  EXPECT_EQ(claim_refused, ProblemCode::resource_exhausted) << "claims feel it too";

  gate.set_open(true);
  ASSERT_TRUE(eventually([&] { return tally.answered() == kSubmitted + 2; }));
  EXPECT_EQ(tally.stored, kBound + 2);
  EXPECT_EQ(tally.other, 0);
  EXPECT_EQ(counts_of(node.api()).pending, kBound + 2)
      << "what was accepted is there, what was refused is not";
  EXPECT_TRUE(node.api().enqueue("default", task_of("t")).ok()) << "and it goes on";
}

TEST_P(Stall, B21_IsReportedAsWaitingWork) {
  Tally tally;
  RunningNode node{std::shared_ptr<store::Store>{store::make_faulty_store(open(), gate)}, calm()};
  submit_enqueue(node, tally);
  ASSERT_TRUE(eventually([&] { return tally.answered() == 1; }));
  ASSERT_TRUE(eventually([&] { return !node.runtime.progress().waiting_since; })) << "idle is no stall";
  await_membership(node);
  gate.set_open(false);
  submit_enqueue(node, tally);
  ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
  const auto since = node.runtime.progress().waiting_since;
  ASSERT_TRUE(since.has_value());
  submit_enqueue(node, tally);
  EXPECT_EQ(node.runtime.progress().waiting_since, since) << "more work is no progress";
  gate.set_open(true);
  EXPECT_TRUE(eventually([&] { return !node.runtime.progress().waiting_since; }));
}

TEST_P(Stall, RejectsCommandsThatWaitedTooLong) {
  Tally tally;
  constexpr core::Duration kAtMost = 50ms;
  RunningNode node{std::shared_ptr<store::Store>{store::make_faulty_store(open(), gate)},
                   calm({.loop = {.threads = 1, .queued_at_most = kAtMost}})};
  submit_enqueue(node, tally);
  ASSERT_TRUE(eventually([&] { return tally.answered() == 1; }));
  await_membership(node);
  gate.set_open(false);
  submit_enqueue(node, tally);  // blocks at the gate
  ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
  for (int i = 0; i < 3; ++i) submit_enqueue(node, tally);
  const core::MonotonicTime until = node.clock.monotonic() + 2 * kAtMost;
  ASSERT_TRUE(eventually([&] { return node.clock.monotonic() > until; }));
  gate.set_open(true);
  ASSERT_TRUE(eventually([&] { return tally.answered() == 5; }));
  EXPECT_EQ(tally.other, 3);
  EXPECT_EQ(counts_of(node.api()).pending, 2);
}

TEST_P(Stall, B68_IsLimitedByTasksAsWellAsByCommands) {
  Tally tally;
  RunningNode node{std::shared_ptr<store::Store>{store::make_faulty_store(open(), gate)},
                   calm({.loop = {.threads = 1, .queued_tasks_max = 100}})};
  submit_enqueue(node, tally);
  ASSERT_TRUE(eventually([&] { return tally.answered() == 1; }));
  await_membership(node);
  gate.set_open(false);
  submit_enqueue(node, tally);
  ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
  for (int i = 0; i < 10; ++i) submit_enqueue(node, tally, 30);
  EXPECT_EQ(tally.refused, 7);
  gate.set_open(true);
  ASSERT_TRUE(eventually([&] { return tally.answered() == 12; }));
  EXPECT_EQ(counts_of(node.api()).pending, 92);
}

PAWL_ON_EVERY_STORE(Stall);

}  // namespace pawl::testing
