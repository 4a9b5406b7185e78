// Nodes and their leader, and sweeps on an administrator's request.
#include "runtime/membership.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::RecoveryCheck;
using runtime::Membership;

class Nodes : public Conformance {
 public:
  std::unique_ptr<Membership> join(DirectNode& on, const std::string& host) {
    auto node = std::make_unique<Membership>(
        on.engine(), clock, random_,
        runtime::NodeOptions{.hostname = host, .version = "1", .leader_ttl = 30s});
    node->beat_if_due();
    return node;
  }
  core::NodeStatus leader() {
    const auto nodes = api().list_nodes();
    for (const core::NodeStatus& one : *nodes) {
      if (one.is_leader) return one;
    }
    return {};
  }

 private:
  SeededRandom random_{5};
};

TEST_P(Nodes, AreListedWithTheirLeader) {
  const auto first = join(node(), "one");
  const auto second = join(node(), "two");
  const auto nodes = api().list_nodes();
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(nodes->at(0), (core::NodeStatus{.node_id = first->node_id(),
                                            .hostname = "one",
                                            .started_at = clock.now(),
                                            .heartbeat_at = clock.now(),
                                            .is_leader = true,
                                            .leader_until = clock.now() + 30s,
                                            .term = 1,
                                            .version = "1"}));
  EXPECT_FALSE(nodes->at(1).is_leader);
  EXPECT_TRUE(first->is_leader());
  EXPECT_FALSE(second->is_leader());
}

TEST_P(Nodes, OfOneHostAreDistinct) {
  const auto first = join(node(), "host");
  const auto second = join(node(), "host");
  EXPECT_NE(first->node_id(), second->node_id());
  EXPECT_EQ(api().list_nodes()->size(), 2U);
}

TEST_P(Nodes, KeepLeadingWhileTheySendHeartbeats) {
  const auto first = join(node(), "one");
  const auto second = join(node(), "two");
  for (int i = 0; i < 5; ++i) {
    clock.advance(11s);
    second->beat_if_due();
    first->beat_if_due();
  }
  EXPECT_EQ(leader().node_id, first->node_id());
  EXPECT_EQ(leader().term, 1);
  EXPECT_LT(leader().started_at, leader().heartbeat_at);
}

TEST_P(Nodes, AreReplacedInAHigherTermWhenLost) {
  const auto other = another_node(2);
  const auto first = join(node(), "one");
  const auto second = join(*other, "two");
  clock.advance(30s);
  EXPECT_FALSE(first->is_leader()) << "it knows by itself that its time is over";
  EXPECT_EQ(leader().node_id, "");
  second->beat_if_due();
  EXPECT_EQ(leader().node_id, second->node_id());
  EXPECT_EQ(leader().term, 2);
  first->beat_if_due();
  EXPECT_FALSE(first->is_leader());
  clock.advance(90s);
  second->beat_if_due();
  EXPECT_EQ(api().list_nodes()->size(), 1U) << "the lost one is not shown";
  (void)engine().sweeper().sweep_records(100);
  EXPECT_EQ(node().store()->find_record(core::node_ref(first->node_id())), std::nullopt);
}

TEST_P(Nodes, HandOverLeadershipWhenTheyLeave) {
  const auto first = join(node(), "one");
  const auto second = join(node(), "two");
  first->leave();
  EXPECT_EQ(api().list_nodes()->size(), 1U);
  clock.advance(10s);
  second->beat_if_due();
  EXPECT_TRUE(second->is_leader());
  EXPECT_EQ(leader().term, 2);
}

TEST_P(Nodes, SweepOnRequest) {
  const core::Task task = enqueue(task_of("t"));
  (void)claim_one("w1", 10s);
  EXPECT_EQ(*api().sweep({.check = RecoveryCheck::leases}),
            (core::SweepResult{.check = RecoveryCheck::leases}));
  clock.advance(11s);
  EXPECT_EQ(*api().sweep({.check = RecoveryCheck::leases}),
            (core::SweepResult{.check = RecoveryCheck::leases, .examined = 1, .changed = 1}));
  EXPECT_EQ(status_of(task.id), core::TaskStatus::pending);
  EXPECT_EQ(api().list_audit({})->items.at(0).action, "admin.sweep");
}

TEST_P(Nodes, SweepEverythingThatCanBeDue) {
  ASSERT_TRUE(api().register_worker({.worker_id = "w1"}).ok());
  ASSERT_TRUE(api().begin_idempotency({.key = "k", .request_hash = "sha256:1", .ttl = 1min}).ok());
  clock.advance(2min);
  EXPECT_EQ(api().sweep({.check = RecoveryCheck::workers})->changed, 1);
  EXPECT_EQ(api().sweep({.check = RecoveryCheck::retention})->changed, 1);
  for (const RecoveryCheck check : {RecoveryCheck::stuck, RecoveryCheck::deadlines, RecoveryCheck::timeouts})
    EXPECT_EQ(api().sweep({.check = check})->examined, 0);
}

PAWL_ON_EVERY_STORE(Nodes);

}  // namespace
}  // namespace pawl::testing
