// Lane numbers of a database that has lost rows, for example after a failover or from a backup: a number may
// then belong to another lane.
#include <functional>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "store/postgres/store_impl.hpp"
#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using postgres_test::Database;
using postgres_test::Hands;
using postgres_test::Session;

TEST(PostgresLanes, AreReloadedWhenALaneNumberChangesItsMeaning) {
  const Database database;
  Hands hands{database.conninfo(), 0ms};
  (void)hands.enqueue(1, {.type = "mail"});
  Session session{database.conninfo()};
  (void)session.query("update pawl.lanes set type = 'print'");
  EXPECT_THROW((void)hands.store->begin(), StoreError);
  (void)hands.store->begin();
  const LaneKey mail{.ns = "default", .queue = "default", .type = "mail"};
  LaneKey print = mail;
  print.type = "print";
  EXPECT_EQ(hands.store->find_lane(mail), nullptr);
  EXPECT_NE(hands.store->find_lane(print), nullptr);
}

// A life of the database that ends while a call of the store waits for a locked table.
class PostgresLanesInANewLife : public ::testing::Test {
 protected:
  // The kind of the error that `call` throws; none: it returned.
  std::optional<StoreError::Kind> end_life_during(const std::string& table,
                                                  const std::function<void()>& call) {
    Session lock{database.conninfo()};
    (void)lock.query("begin");
    (void)lock.query("lock table " + table + " in access exclusive mode");
    std::optional<StoreError::Kind> thrown;
    std::thread caller{[&] {
      try {
        call();
      } catch (const StoreError& error) {
        thrown = error.kind();
      }
    }};
    wait_for_blocked_session();
    static_cast<postgres::PostgresStore&>(*hands.store).end_life();
    (void)lock.query("commit");
    caller.join();
    return thrown;
  }

  Database database;
  Hands hands{database.conninfo(), 0ms};
  Session session{database.conninfo()};

 private:
  void wait_for_blocked_session() {
    const auto until = std::chrono::steady_clock::now() + 10s;
    while (session.value("select count(*) from pg_locks where not granted and database = "
                         "(select oid from pg_database where datname = current_database())") == "0") {
      if (std::chrono::steady_clock::now() > until) return ADD_FAILURE() << "the call does not wait";
    }
  }
};

TEST_F(PostgresLanesInANewLife, ListingQueuesIsRetried) {
  (void)hands.enqueue(3, {.type = "mail"});
  const auto list = [this] { return hands.store->list_queues("default"); };
  EXPECT_EQ(end_life_during("pawl.lane_counts", [&] { (void)list(); }), StoreError::Kind::retry);
  ASSERT_EQ(list().size(), 1U);
  EXPECT_EQ(list().front().counts.pending, 3);
}

TEST_F(PostgresLanesInANewLife, ListingTasksIsRetried) {
  const auto ids = hands.enqueue(1, {.type = "mail"});
  const auto list = [this] { return hands.store->list_task_ids({.filter = {.ns = "default"}}); };
  EXPECT_EQ(end_life_during("pawl.tasks", [&] { (void)list(); }), StoreError::Kind::retry);
  EXPECT_EQ(list(), ids);
}

TEST_F(PostgresLanesInANewLife, ReadingATaskIsRetried) {
  const auto ids = hands.enqueue(1, {.type = "mail"});
  const auto read = [&] { return hands.store->find_task(ids.at(0)); };
  EXPECT_EQ(end_life_during("pawl.tasks", [&] { (void)read(); }), StoreError::Kind::retry);
  EXPECT_TRUE(read().has_value());
}

TEST_F(PostgresLanesInANewLife, LoadingATaskIsRetried) {
  const auto ids = hands.enqueue(1, {.type = "mail"});
  const auto transaction = hands.store->begin();
  const auto load = [&] { (void)transaction->load({.tasks = {{.id = ids.at(0)}}}); };
  EXPECT_EQ(end_life_during("pawl.ready", load), StoreError::Kind::retry);
}

TEST_F(PostgresLanesInANewLife, ClaimingIsRetried) {
  (void)hands.enqueue(1, {.type = "mail"});
  const core::Lane* const lane =
      hands.store->find_lane({.ns = "default", .queue = "default", .type = "mail"});
  const auto transaction = hands.store->begin();
  const LaneShare share{.lane = lane, .max = 1};
  const auto claim = [&] { (void)transaction->take_ready({&share, 1}, 1); };
  EXPECT_EQ(end_life_during("pawl.ready", claim), StoreError::Kind::retry);
}

TEST_F(PostgresLanesInANewLife, CreatingALaneIsRetried) {
  (void)hands.enqueue(1, {.type = "mail"});
  const LaneKey key{.ns = "default", .queue = "default", .type = "print"};
  std::vector<const core::Lane*> lanes;
  const auto create = [&] { lanes = hands.store->intern_lanes({&key, 1}); };
  EXPECT_EQ(end_life_during("pawl.lanes", create), StoreError::Kind::retry);
  EXPECT_TRUE(lanes.empty());
  create();
  ASSERT_NE(lanes.at(0), nullptr);
  EXPECT_EQ(lanes.at(0)->type, "print");
}

}  // namespace
}  // namespace pawl::store
