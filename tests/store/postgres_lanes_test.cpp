// Lane numbers of a database that has lost rows, as after a failover or from a backup: a number may then be
// that of another lane.
#include <gtest/gtest.h>

#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using postgres_test::Database;
using postgres_test::Hands;
using postgres_test::Session;

TEST(PostgresLanes, ANumberThatNamesAnotherLaneEndsWhatWasRemembered) {
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

}  // namespace
}  // namespace pawl::store
