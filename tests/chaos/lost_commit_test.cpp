// A server crash loses the reply to a commit, and reassigns its transaction id, which was never on disk:
// asking for that id's status would return the status of another transaction.
#include <csignal>
#include <optional>

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

class LostCommit : public ::testing::Test {
 protected:
  // Begins a transaction, calls `crash`, uses up the transaction's id in another session, and then commits.
  template <typename Crash>
  void expect_unknown_after(Crash crash) {
    (void)hands.enqueue(1);
    auto tx = hands.store->begin();
    const core::TaskRecord record = hands.new_task({.type = "mail"}, tx->now());
    std::optional<Session> before{conninfo};
    const std::int64_t number =
        number_in(*before, "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint");
    before.reset();
    crash();
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

  const testing::TemporaryFolder folder;
  PrivatePostgres server{folder.path()};
  const std::string conninfo = server.conninfo(server.port());
  Hands hands{conninfo, std::chrono::seconds{1}};
};

TEST_F(LostCommit, IsNotConfusedWithAnotherCommitAfterARestart) {
  expect_unknown_after([&] {
    server.stop_immediately();
    server.start();
  });
}

// The postmaster survives and restarts all server processes.
TEST_F(LostCommit, IsNotConfusedWithAnotherCommitAfterACrash) {
  expect_unknown_after([&] {
    Session session{conninfo};
    ::kill(static_cast<pid_t>(number_in(session, "select pg_backend_pid()")), SIGKILL);
    server.await_crash();
  });
}

}  // namespace
}  // namespace pawl::chaos
