// Commits that wait for an absent synchronous standby. The server stops waiting when the wait is canceled or
// the session is terminated: the commit is then in the primary's log and possibly in no other.

#include <future>
#include <optional>

#include <gtest/gtest.h>

#include "store/postgres/postgres_store.hpp"
#include "tests/chaos/private_postgres.hpp"
#include "tests/runtime/fixture.hpp"
#include "tests/store/postgres_support.hpp"

namespace pawl::chaos {
namespace {

using store::StoreError;
using store::postgres_test::Session;
using namespace std::chrono_literals;

class AbsentStandby : public ::testing::Test {
 protected:
  // The outcome of a commit whose wait for the standby is ended with this PostgreSQL function.
  std::optional<StoreError::Kind> kind_after(const std::string& function) {
    Session session{conninfo};
    auto commit = std::async(std::launch::async, [&]() -> std::optional<StoreError::Kind> {
      try {
        auto tx = store->begin();
        tx->commit({.queues = {{.ref = {.ns = "default", .name = "mail"}, .settings = {}}}});
        return std::nullopt;
      } catch (const StoreError& error) {
        return error.kind();
      }
    });
    const std::string ended =
        "select count(" + function + "(pid)) from pg_stat_activity where wait_event = 'SyncRep'";
    EXPECT_TRUE(testing::eventually([&] { return session.value(ended) != "0"; }));
    return commit.get();
  }

  const testing::TemporaryFolder folder;
  PrivatePostgres primary{folder.path()};
  const std::string conninfo = primary.conninfo(primary.port());
  std::unique_ptr<store::Store> store = store::open_postgres({.conninfo = conninfo, .silence_max = 2s});
  std::optional<PrivatePostgres> standby{std::in_place, folder.path(), primary};

  void SetUp() override { standby->stop_immediately(); }
};

TEST_F(AbsentStandby, LeavesACommitWithACanceledWaitUnknown) {
  EXPECT_EQ(kind_after("pg_cancel_backend"), StoreError::Kind::unknown);
}

TEST_F(AbsentStandby, LeavesACommitWithATerminatedProcessUnknown) {
  EXPECT_EQ(kind_after("pg_terminate_backend"), StoreError::Kind::unknown);
}

TEST_F(AbsentStandby, LeavesNoCommitUnknownAfterItReturns) {
  standby->start();
  auto tx = store->begin();
  EXPECT_NO_THROW(tx->commit({.queues = {{.ref = {.ns = "default", .name = "mail"}, .settings = {}}}}));
}

// A canceled wait leaves the row visible on the primary alone. An answer based on the row must not
// acknowledge it before the standby has it.
class UnreplicatedRow : public AbsentStandby {
 protected:
  // Makes the call, and cancels its waits for the standby until it returns.
  template <typename Call>
  auto canceled(const Call& call) {
    Session session{conninfo};
    auto answer = std::async(std::launch::async, call);
    EXPECT_TRUE(testing::eventually([&] {
      (void)session.value(
          "select count(pg_cancel_backend(pid)) from pg_stat_activity where wait_event = 'SyncRep'");
      return answer.wait_for(0s) == std::future_status::ready;
    }));
    return answer.get();
  }
  [[nodiscard]] auto enqueue(testing::RunningNode& node) {
    return canceled([&node] {
      return node.api().enqueue_batch({.tasks = {{.type = "mail", .idempotency_key = "once"}}});
    });
  }
  [[nodiscard]] auto start(testing::RunningNode& node) {
    return canceled([&node] {
      return node.runtime.local().start_run(
          {.workflow = "order", .run_key = "once", .kind = core::RunKind::code});
    });
  }
  [[nodiscard]] std::shared_ptr<store::Store> open() {
    return store::open_postgres({.conninfo = conninfo, .silence_max = 2s});
  }
  // Creates lanes, leadership leases and similar rows before the standby goes down.
  void SetUp() override {
    for (testing::RunningNode* node : {&first, &second}) {
      ASSERT_TRUE(node->api().enqueue_batch({.tasks = {{.type = "mail"}}}));
      ASSERT_TRUE(node->runtime.local().start_run({.workflow = "order", .kind = core::RunKind::code}));
    }
    AbsentStandby::SetUp();
  }

  testing::RunningNode first{open()};
  testing::RunningNode second{open()};
};

TEST_F(UnreplicatedRow, IsNotAcknowledgedToARepeatedEnqueue) {
  EXPECT_FALSE(enqueue(first).ok());
  EXPECT_FALSE(enqueue(first).ok()) << "by the node whose wait was canceled";
  EXPECT_FALSE(enqueue(second).ok()) << "by another node";
  standby->start();
  EXPECT_TRUE(testing::eventually([&] { return enqueue(second).ok(); }));
}

TEST_F(UnreplicatedRow, IsNotAcknowledgedToARepeatedStart) {
  EXPECT_FALSE(start(first).ok());
  EXPECT_FALSE(start(first).ok()) << "by the node whose wait was canceled";
  EXPECT_FALSE(start(second).ok()) << "by another node";
  standby->start();
  EXPECT_TRUE(testing::eventually([&] { return start(second).ok(); }));
}

TEST_F(UnreplicatedRow, SurvivesAPromotionAfterItsAcknowledgment) {
  EXPECT_FALSE(enqueue(first).ok());
  standby->start();
  std::optional<core::TaskId> id;
  EXPECT_TRUE(testing::eventually([&] {
    const auto answer = enqueue(second);
    if (answer.ok()) id = answer->front().id;
    return answer.ok();
  }));
  primary.stop_immediately();
  standby->promote();
  const auto promoted = store::open_postgres({.conninfo = standby->conninfo(standby->port())});
  EXPECT_TRUE(promoted->find_task(*id));
}

}  // namespace
}  // namespace pawl::chaos
