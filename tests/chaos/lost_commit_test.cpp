// A commit whose reply is lost, and whose server has crashed: the number of the transaction, which was never
// on disk, is given out again, and whoever asks by it is told of another's fate.
#include <gtest/gtest.h>

#include "tests/chaos/private_postgres.hpp"
#include "tests/store/postgres_support.hpp"
#include "tests/support/stores.hpp"

namespace pawl::chaos {
namespace {

using store::StoreError;
using store::postgres_test::Hands;
using store::postgres_test::Session;

std::int64_t number_in(Session& session, const char* sql) { return std::stoll(session.value(sql)); }

TEST(LostCommit, IsNotTakenForThatOfAnotherAfterACrash) {
  const testing::TemporaryFolder folder;
  PrivatePostgres server{folder.path()};
  const std::string conninfo = server.conninfo(server.port());
  Hands hands{conninfo, std::chrono::seconds{1}};
  (void)hands.enqueue(1);
  auto tx = hands.store->begin();
  const core::TaskRecord record = hands.new_task({.type = "mail"}, tx->now());
  const std::int64_t number = [&] {
    Session session{conninfo};
    return number_in(session, "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint");
  }();

  server.stop_immediately();
  server.start();
  Session session{conninfo};
  while (number_in(session, "select pg_current_xact_id()::text::bigint") < number) continue;
  ASSERT_EQ(session.value("select pg_xact_status('" + std::to_string(number) + "')"), "committed");

  try {
    tx->commit({.tasks = {{.is_new = true, .record = &record}}});
    FAIL() << "it is said to be committed";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), StoreError::Kind::unknown) << error.what();
  }
  tx.reset();
  EXPECT_FALSE(hands.store->find_task(record.id));
}

}  // namespace
}  // namespace pawl::chaos
