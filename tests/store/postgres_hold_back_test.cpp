// Held-back statements, which are sent in front of the next ones: their answers arrive first, and if they
// fail, nothing after them is executed.
#include <gtest/gtest.h>

#include "store/migrate.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/heard_clock.hpp"
#include "store/postgres/sql.hpp"
#include "tests/store/postgres_support.hpp"

namespace pawl::store::postgres {
namespace {

using namespace std::chrono_literals;
using postgres_test::Database;
using postgres_test::Hands;
using postgres_test::Session;

constexpr std::string_view kOne = "select 1::int8";
constexpr std::string_view kTwo = "select 2::int8";
constexpr std::string_view kWrong = "select 1::int8 / 0::int8";
constexpr std::string_view kTrace = "create table trace ()";

class PostgresHoldBack : public ::testing::Test {
 protected:
  Database database;
  Server server{database.conninfo(), nullptr};
  Connection connection{server};
  Session session{database.conninfo()};
  int taken = 0;

  void SetUp() override { connection.connect_or_throw(); }
  Connection::Take count() {
    return [this](std::span<const Rows> answers) { taken += static_cast<int>(answers.size()); };
  }
  std::string traces() { return session.value("select count(*) from pg_tables where tablename = 'trace'"); }
  void expect_usable() {
    connection.send(kTwo);
    EXPECT_EQ(connection.run_or_throw().at(0).int8(0, 0), 2);
  }
};

TEST_F(PostgresHoldBack, SendsTheDelayedStatementsBeforeTheNextOnes) {
  connection.hold_back([](Connection& used) { used.send(kOne); }, count());
  connection.send(kTwo);
  EXPECT_EQ(taken, 0);
  const auto answers = connection.run_or_throw();
  EXPECT_EQ(taken, 1);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].int8(0, 0), 2);
}

TEST_F(PostgresHoldBack, ExecutesNothingAfterAFailedDelayedStatement) {
  const auto ask = [](Connection& used) {
    used.send(kOne);
    used.send(kWrong);
  };
  connection.hold_back(ask, count());
  connection.send(kTrace);
  std::vector<Rows> answers;
  const auto failure = connection.run(answers);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->sqlstate, "22012");
  EXPECT_EQ(taken, 0);
  EXPECT_EQ(traces(), "0");
  connection.roll_back();
  EXPECT_TRUE(connection.is_connected());
  expect_usable();
}

TEST_F(PostgresHoldBack, ExecutesNothingAfterASchemaMismatch) {
  (void)store::open_postgres({.conninfo = database.conninfo()});
  const std::string identity = session.value(std::string{sql::identify_server});
  for (const int off : {0, 1}) {
    Params params;
    params.value(std::optional<core::TimePoint>{});
    params.value(std::optional<core::TimePoint>{});
    params.value(static_cast<std::int32_t>(schema_version_of(sql::kMigrations) - off));
    params.value(identity);
    params.value(std::int64_t{0});
    connection.hold_back([&params](Connection& used) { used.send(sql::expect_start, params); }, count());
    connection.send(kTwo);
    std::vector<Rows> answers;
    EXPECT_EQ(connection.run(answers).has_value(), off != 0);
  }
  EXPECT_EQ(taken, 1);
}

TEST_F(PostgresHoldBack, ExecutesNothingAfterAWrongTimeEstimate) {
  (void)store::open_postgres({.conninfo = database.conninfo()});  // for its functions
  const core::TimePoint now = core::time_from_micros(
      std::stoll(session.value("select (extract(epoch from clock_timestamp()) * 1000000)::int8")));
  const std::string identity = session.value(std::string{sql::identify_server});
  for (const core::Duration off : {core::Duration{0s}, core::Duration{-10min}, core::Duration{10min}}) {
    Params params;
    params.value(now + off - HeardClock::kEarlyMax);
    params.value(now + off + core::Duration{1min});
    params.value(static_cast<std::int32_t>(schema_version_of(sql::kMigrations)));
    params.value(identity);
    params.value(std::int64_t{0});
    connection.hold_back([&params](Connection& used) { used.send(sql::expect_start, params); }, count());
    connection.send(kTwo);
    std::vector<Rows> answers;
    const auto failure = connection.run(answers);
    EXPECT_EQ(failure.has_value(), off != core::Duration{0s});
    EXPECT_TRUE(!failure || failure->kind == StoreError::Kind::retry);
  }
  EXPECT_EQ(taken, 1);
}

TEST_F(PostgresHoldBack, ExecutesNothingAfterAClockStep) {
  (void)store::open_postgres({.conninfo = database.conninfo()});
  const std::string identity = session.value(std::string{sql::identify_server});
  for (const std::int64_t steps : {0, 1}) {
    Params params;
    params.value(std::optional<core::TimePoint>{});
    params.value(std::optional<core::TimePoint>{});
    params.value(static_cast<std::int32_t>(schema_version_of(sql::kMigrations)));
    params.value(identity);
    params.value(steps);
    connection.hold_back([&params](Connection& used) { used.send(sql::expect_start, params); }, count());
    connection.send(kTwo);
    std::vector<Rows> answers;
    EXPECT_EQ(connection.run(answers).has_value(), steps != 0);
  }
  EXPECT_EQ(taken, 1);
}

TEST_F(PostgresHoldBack, ExecutesNothingOnAnotherServerThanTheCachedOne) {
  (void)store::open_postgres({.conninfo = database.conninfo()});
  Params params;
  params.value(std::optional<core::TimePoint>{});
  params.value(std::optional<core::TimePoint>{});
  params.value(static_cast<std::int32_t>(schema_version_of(sql::kMigrations)));
  params.value(std::string{"00000002/1/2/3"});
  params.value(std::int64_t{0});
  connection.hold_back([&params](Connection& used) { used.send(sql::expect_start, params); }, count());
  connection.send(kTwo);
  std::vector<Rows> answers;
  const auto failure = connection.run(answers);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, StoreError::Kind::retry);
}

TEST_F(PostgresHoldBack, DropsTheDelayedStatementsOnRollback) {
  bool is_sent = false;
  connection.hold_back([&is_sent](Connection&) { is_sent = true; }, count());
  connection.roll_back();
  EXPECT_FALSE(is_sent);
  EXPECT_TRUE(connection.is_connected());
  expect_usable();
}

// Their answers would be mistaken for answers to the next statements.
TEST_F(PostgresHoldBack, DoesNotReuseAConnectionWithStatementsInFlight) {
  connection.send(kOne);
  connection.roll_back();
  EXPECT_FALSE(connection.is_connected());
}

TEST_F(PostgresHoldBack, LeavesTheConnectionOfAnUnusedTransactionUsable) {
  Hands hands{database.conninfo(), 0ms, false};
  for (int i = 0; i < 10; ++i) (void)hands.store->begin({.may_be_repeated = true});
  const auto ids = hands.enqueue(3);
  EXPECT_EQ(hands.claim(10).size(), ids.size());
}

// Leases are extended by this amount.
TEST_F(PostgresHoldBack, ReportsTheMaximumErrorOfAnEstimatedTime) {
  Hands hands{database.conninfo(), 0ms, false};
  EXPECT_EQ(hands.store->begin()->now_behind_max(), 0ms);
  EXPECT_EQ(hands.store->begin({.may_be_repeated = true})->now_behind_max(), HeardClock::kLateMax);
}

}  // namespace
}  // namespace pawl::store::postgres
