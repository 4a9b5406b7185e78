// Commits that wait for a synchronous standby which is away. The server gives up waiting when the wait is
// canceled, or its process is ended: the commit is in its own log and may be in no other.

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
  // How a commit ends whose waiting is ended by this function of PostgreSQL.
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

TEST_F(AbsentStandby, LeavesACommitUnknownWhoseWaitIsCanceled) {
  EXPECT_EQ(kind_after("pg_cancel_backend"), StoreError::Kind::unknown);
}

TEST_F(AbsentStandby, LeavesACommitUnknownWhoseProcessIsEnded) {
  EXPECT_EQ(kind_after("pg_terminate_backend"), StoreError::Kind::unknown);
}

TEST_F(AbsentStandby, DoesNotMakeACommitUnknownOnceItIsBack) {
  standby->start();
  auto tx = store->begin();
  EXPECT_NO_THROW(tx->commit({.queues = {{.ref = {.ns = "default", .name = "mail"}, .settings = {}}}}));
}

}  // namespace
}  // namespace pawl::chaos
