// Connections that break at the worst moments: acknowledged work survives, and other work is reported as
// unfinished.
#include <atomic>
#include <cstdlib>
#include <list>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/migrate.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"
#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kClock = "select clock_timestamp()";

using core::Place;
using postgres_test::Database;
using postgres_test::Hands;
using postgres_test::Session;

// Relays bytes between the store and the server. On request it forwards a request and then closes instead of
// relaying the reply, or closes before the request.
class Proxy {
 public:
  enum class Cut { none, before_request, before_reply };

  explicit Proxy(const std::string& server_conninfo) {
    Session session{server_conninfo};
    server_port_ = std::stoi(session.value("show port"));
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(0);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listener_, 16);
    socklen_t length = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread{[this] { accept_all(); }};
  }
  ~Proxy() {
    stop_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    for (std::thread& link : links_) link.join();
  }
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  [[nodiscard]] int port() const { return port_; }
  // Applies to the next bytes from the client, or to the next that contain a COMMIT.
  void cut_next(Cut cut) { cut_ = cut; }
  void cut_commit(Cut cut) { commit_cut_ = cut; }
  [[nodiscard]] int cuts() const { return cuts_; }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  void accept_all() {
    while (!stop_) {
      const int client = ::accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      const int server = ::socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address = loopback(server_port_);
      ::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address);
      links_.emplace_back([this, client, server] { pass(client, server); });
    }
  }

  void pass(int client, int server) {
    bool is_reply_cut = false;
    while (!stop_) {
      pollfd ends[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      ::poll(ends, 2, 50);
      char buffer[65536];
      if (ends[0].revents != 0) {
        const ssize_t size = ::recv(client, buffer, sizeof buffer, 0);
        if (size <= 0) break;
        const bool is_commit = std::string_view{buffer, static_cast<std::size_t>(size)}.find(commit_name_) !=
                               std::string_view::npos;
        Cut cut = is_commit ? commit_cut_.exchange(Cut::none) : Cut::none;
        if (cut == Cut::none) cut = cut_.exchange(Cut::none);
        if (cut != Cut::none) ++cuts_;
        if (cut == Cut::before_request) break;
        is_reply_cut = cut == Cut::before_reply;
        ::send(server, buffer, static_cast<std::size_t>(size), MSG_NOSIGNAL);
      }
      if (ends[1].revents != 0) {
        const ssize_t size = ::recv(server, buffer, sizeof buffer, 0);
        if (size <= 0 || is_reply_cut) break;
        ::send(client, buffer, static_cast<std::size_t>(size), MSG_NOSIGNAL);
      }
    }
    ::close(client);
    ::close(server);
  }

  int server_port_ = 0;
  int port_ = 0;
  int listener_ = -1;
  std::atomic<bool> stop_ = false;
  const std::string commit_name_ = "pawl_" + checksum_of(postgres::sql::commit);  // as a prepared statement
  std::atomic<Cut> cut_ = Cut::none;
  std::atomic<Cut> commit_cut_ = Cut::none;
  std::atomic<int> cuts_ = 0;
  std::thread acceptor_;
  std::list<std::thread> links_;
};

class PostgresLoss : public ::testing::Test {
 protected:
  Database database;
  Proxy proxy{database.conninfo()};
  Hands hands{database.conninfo() + " host=127.0.0.1 port=" + std::to_string(proxy.port()), 0ms};
  Session session{database.conninfo()};

  StoreError::Kind kind_of_begin() const {
    try {
      (void)hands.store->begin();
    } catch (const StoreError& error) {
      return error.kind();
    }
    return StoreError::Kind::internal;
  }
};

TEST_F(PostgresLoss, ACommitWithALostReplyIsFoundCommitted) {
  (void)hands.enqueue(1);  // prepares the statements, so that the commit is one message
  const auto tx = hands.store->begin();
  const core::TaskRecord record = hands.new_task({.type = "mail"}, tx->now());
  proxy.cut_commit(Proxy::Cut::before_reply);
  tx->commit({.tasks = {{.is_new = true, .record = &record}}});
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_TRUE(hands.store->find_task(record.id));
  EXPECT_EQ(session.value("select count(*) from pawl.tasks"), "2");
}

TEST_F(PostgresLoss, ACommitThatNeverArrivedIsReportedAsRetryable) {
  (void)hands.enqueue(1);
  auto tx = hands.store->begin();
  const core::TaskRecord record = hands.new_task({.type = "mail"}, tx->now());
  proxy.cut_commit(Proxy::Cut::before_request);
  try {
    tx->commit({.tasks = {{.is_new = true, .record = &record}}});
    FAIL() << "the commit was lost";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), StoreError::Kind::retry);
  }
  tx.reset();
  EXPECT_FALSE(hands.store->find_task(record.id));
  tx = hands.store->begin();
  tx->commit({.tasks = {{.is_new = true, .record = &record}}});
  EXPECT_TRUE(hands.store->find_task(record.id));
}

// The whole transaction is one message, so its number is unknown and its outcome cannot be looked up.
TEST_F(PostgresLoss, ALostReplyToARepeatableCommitIsReportedAsRetryable) {
  (void)hands.enqueue(1);
  auto claimed = hands.claim(1);
  hands.complete(claimed);  // prepares the statements
  (void)hands.enqueue(1);
  const core::TaskId id = hands.claim(1).at(0).id;
  auto tx = hands.store->begin({.may_be_repeated = true});
  LoadRequest request;  // the lease is cached, so the load sends no query
  request.tasks.push_back(
      {.id = id, .hints = {.ended_lease = LoadTask::HeldLease{.fence = 1, .worker_id = hands.worker}}});
  core::TaskRecord record = *tx->load(request).tasks.at(0);
  const core::Report report{.task_id = id, .fence = 1, .action = core::ReportAction::complete};
  core::apply(record,
              *core::decide_report(record, hands.worker, report, nullptr, {.now = tx->now()})->change);
  proxy.cut_commit(Proxy::Cut::before_reply);
  try {
    tx->commit({.tasks = {Hands::written(record, Place::leased, 1)}});
    FAIL() << "the reply was lost";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), StoreError::Kind::retry);
  }
  EXPECT_EQ(proxy.cuts(), 1);
  tx.reset();
  EXPECT_EQ(hands.store->find_task(id)->record.status, core::TaskStatus::completed);
}

TEST_F(PostgresLoss, ACommitWithAClaimKnowsItsTransactionNumber) {
  (void)hands.enqueue(2);
  EXPECT_EQ(hands.claim(1).size(), 1U);
  auto tx = hands.store->begin({.may_be_repeated = true});
  auto taken = hands.take(*tx, 1);
  core::apply(taken.at(0), core::decide_claim(taken.at(0), "w", 30s, tx->now()));
  proxy.cut_commit(Proxy::Cut::before_reply);
  tx->commit({.tasks = {Hands::written(taken.at(0), Place::nowhere, 0)}});
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_EQ(hands.store->find_task(taken.at(0).id)->record.status, core::TaskStatus::claimed);
}

TEST_F(PostgresLoss, AClaimWithALostReplyIsNotDeliveredTwice) {
  (void)hands.enqueue(5);
  EXPECT_EQ(hands.claim(1).size(), 1U);
  auto tx = hands.store->begin();
  auto taken = hands.take(*tx, 4);
  WriteSet writes;
  for (core::TaskRecord& record : taken) {
    core::apply(record, core::decide_claim(record, "w", 30s, tx->now()));
    writes.tasks.push_back(Hands::written(record, Place::nowhere, 0));
  }
  proxy.cut_commit(Proxy::Cut::before_reply);
  tx->commit(writes);
  EXPECT_EQ(hands.claim(9).size(), 0U);
  EXPECT_EQ(session.value("select count(*) from pawl.leases"), "5");
}

TEST_F(PostgresLoss, TerminatedIdleSessionsAreReplacedWithoutAnError) {
  (void)hands.enqueue(3);
  (void)hands.store->due_tasks(1);
  for (int round = 0; round < 3; ++round) {
    EXPECT_GT(database.terminate_sessions(), 0);
    EXPECT_EQ(hands.claim(1).size(), 1U);
    EXPECT_EQ(hands.store->due_leases(10).size(), 0U);
    hands.store->maintain();
  }
}

TEST_F(PostgresLoss, ASessionThatEndsInMidTransactionIsReportedAndReplaced) {
  const auto id = hands.enqueue(1).front();
  auto tx = hands.store->begin();
  (void)hands.take(*tx, 1);
  EXPECT_GT(database.terminate_sessions(), 0);
  try {
    (void)tx->load({.tasks = {{.id = id}}});
    FAIL() << "the session was ended";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), StoreError::Kind::unavailable);
  }
  tx.reset();
  EXPECT_EQ(hands.claim(1).size(), 1U);
}

TEST_F(PostgresLoss, ANodePausedInATransactionKeepsNothingLocked) {
  const auto id = hands.enqueue(1).front();
  auto tx = hands.store->begin();
  ASSERT_EQ(hands.take(*tx, 1).size(), 1U);
  const auto idle = [&] {
    return session.value(
        "select count(*) from pg_stat_activity where state like 'idle in transaction%' and datname = '" +
        database.name() + "'");
  };
  ASSERT_EQ(idle(), "1");
  const auto until = std::chrono::steady_clock::now() + 1min;
  while (idle() != "0" && std::chrono::steady_clock::now() < until) {
  }
  try {
    (void)tx->load({.tasks = {{.id = id}}});
    FAIL() << "the session was ended";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), StoreError::Kind::unavailable);
  }
  tx.reset();
  EXPECT_EQ(hands.claim(1).size(), 1U);
}

TEST(PostgresDown, RejectsCallsImmediatelyBetweenConnectionAttempts) {
  Database database;
  auto proxy = std::make_unique<Proxy>(database.conninfo());
  Hands hands{database.conninfo() + " host=127.0.0.1 port=" + std::to_string(proxy->port()), 0ms};
  (void)hands.enqueue(1);
  proxy.reset();
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i) {
    try {
      (void)hands.store->begin();
      FAIL() << "there is no server";
    } catch (const StoreError& error) {
      EXPECT_EQ(error.kind(), StoreError::Kind::unavailable);
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, 2s);
}

TEST(PostgresPooler, SwitchesToUnnamedStatementsAfterAnUnknownStatement) {
  const Database database;
  postgres::Server server{database.conninfo(), nullptr};
  postgres::Connection connection{server};
  connection.connect_or_throw();
  connection.send(kClock);
  (void)connection.run_or_throw();
  // Simulates a transaction pooler: the next transaction uses a process that does not have our statements.
  ASSERT_FALSE(connection.run_script("deallocate all"));
  connection.send(kClock);
  std::vector<postgres::Rows> answers;
  const auto failure = connection.run(answers);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, StoreError::Kind::retry);
  EXPECT_TRUE(server.is_pooled);
  connection.send(kClock);
  EXPECT_EQ(connection.run_or_throw().size(), 1U);
  EXPECT_TRUE(connection.is_connected());
}

TEST(PostgresPooler, SupportsAllOperationsWithoutNamedStatements) {
  const Database database;
  Hands hands{database.conninfo(), 0ms};
  static_cast<postgres::PostgresStore&>(*hands.store).expect_pooler();
  (void)hands.enqueue(3);
  hands.complete(hands.claim(2));
  EXPECT_EQ(Session{database.conninfo()}.value("select count(*) from pawl.finished"), "2");
}

TEST(PostgresMigrations, AreAppliedOnceAndReported) {
  const Database database;
  auto states = postgres_migration_status(database.conninfo());
  ASSERT_FALSE(states.empty());
  EXPECT_FALSE(states.front().applied_at);
  EXPECT_EQ(migrate_postgres(database.conninfo()), static_cast<int>(states.size()));
  EXPECT_EQ(migrate_postgres(database.conninfo()), 0);
  EXPECT_TRUE(postgres_migration_status(database.conninfo()).front().applied_at);
}

TEST(PostgresMigrations, ByConcurrentNodesAreAppliedOnce) {
  const Database database;
  std::atomic<int> applied = 0;
  std::vector<std::thread> nodes;
  for (int i = 0; i < 4; ++i) nodes.emplace_back([&] { applied += migrate_postgres(database.conninfo()); });
  for (std::thread& node : nodes) node.join();
  EXPECT_EQ(applied, static_cast<int>(postgres_migration_status(database.conninfo()).size()));
}

TEST(PostgresMigrations, ReportTheSessionThatHoldsTheLockAndGiveUp) {
  const Database database;
  Session other{database.conninfo()};
  const std::string pid = other.value("select pg_backend_pid()");
  other.query("select pg_advisory_lock(1885435756)");
  std::vector<std::string> notices;
  const MigrationWait wait{.notice = [&](const std::string& line) { notices.push_back(line); },
                           .notice_after = 50ms,
                           .longest = 300ms};
  std::string error;
  try {
    migrate_postgres(database.conninfo(), wait);
  } catch (const StoreError& thrown) {
    EXPECT_EQ(thrown.kind(), StoreError::Kind::unavailable);
    error = thrown.what();
  }
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_NE(notices[0].find("pid " + pid), std::string::npos) << notices[0];
  EXPECT_NE(error.find("pid " + pid), std::string::npos) << error;
  EXPECT_NE(error.find("start again"), std::string::npos) << error;
  other.query("select pg_advisory_unlock(1885435756)");
  EXPECT_GT(migrate_postgres(database.conninfo(), wait), 0);
}

TEST(PostgresMigrations, RejectANewerSchemaAndAChangedFile) {
  const Database database;
  migrate_postgres(database.conninfo());
  Session session{database.conninfo()};
  session.query("insert into pawl.schema_migrations values (999, 'future', 'x', now())");
  EXPECT_THROW((void)open_postgres({.conninfo = database.conninfo()}), StoreError);
  session.query("delete from pawl.schema_migrations where version = 999");
  session.query("update pawl.schema_migrations set checksum = 'other'");
  EXPECT_THROW((void)open_postgres({.conninfo = database.conninfo()}), StoreError);
}

}  // namespace
}  // namespace pawl::store
