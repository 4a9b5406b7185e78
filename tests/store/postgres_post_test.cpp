// What is sent and not waited for: its answers come first, and its failure is told before anything else is
// done.
#include <gtest/gtest.h>

#include "store/postgres/connection.hpp"
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

class PostgresPost : public ::testing::Test {
 protected:
  Database database;
  Server server{database.conninfo(), nullptr};
  Connection connection{server};
  Session session{database.conninfo()};
  int taken = 0;

  void SetUp() override { connection.connect_or_throw(); }
  Connection::Take count(std::optional<Failure> failure = {}) {
    return [this, failure](std::span<const Rows> answers) {
      taken += static_cast<int>(answers.size());
      return failure;
    };
  }
  std::string traces() { return session.value("select count(*) from pg_tables where tablename = 'trace'"); }
  void expect_usable() {
    connection.send(kTwo);
    EXPECT_EQ(connection.run_or_throw().at(0).int8(0, 0), 2);
  }
};

TEST_F(PostgresPost, ItsAnswersAreTakenBeforeThoseOfTheNextStatement) {
  connection.send(kOne);
  connection.post(count());
  EXPECT_EQ(taken, 0);
  connection.send(kTwo);
  EXPECT_EQ(taken, 1);
  const auto answers = connection.run_or_throw();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].int8(0, 0), 2);
}

TEST_F(PostgresPost, AfterAFailureNothingMoreIsSent) {
  connection.send(kOne);
  connection.send(kWrong);
  connection.post(count());
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

TEST_F(PostgresPost, NorAfterAnAnswerThatIsNotWhatWasExpected) {
  connection.send(kOne);
  connection.post(count(Failure{.kind = StoreError::Kind::retry, .message = "another one"}));
  connection.send(kTrace);
  std::vector<Rows> answers;
  const auto failure = connection.run(answers);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, StoreError::Kind::retry);
  EXPECT_EQ(traces(), "0");
  expect_usable();
}

TEST_F(PostgresPost, WhatNobodyWaitedForIsForgottenByARollback) {
  connection.send(kOne);
  connection.post(count());
  connection.roll_back();
  EXPECT_EQ(taken, 0);
  EXPECT_TRUE(connection.is_connected());
  expect_usable();
}

// Their answers would be taken for those of what comes next.
TEST_F(PostgresPost, AConnectionWithStatementsOnTheWayIsNotUsedAgain) {
  connection.send(kOne);
  connection.roll_back();
  EXPECT_FALSE(connection.is_connected());
}

TEST_F(PostgresPost, ATransactionThatCameToNothingLeavesItsConnectionInOrder) {
  Hands hands{database.conninfo(), 0ms, false};
  for (int i = 0; i < 10; ++i) (void)hands.store->begin();
  const auto ids = hands.enqueue(3);
  EXPECT_EQ(hands.claim(10).size(), ids.size());
}

}  // namespace
}  // namespace pawl::store::postgres
