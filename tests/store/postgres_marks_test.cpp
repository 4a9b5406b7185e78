// In-memory marks never hide a task forever, whatever happened below them.
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "store/postgres/marks.hpp"
#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using postgres::CountsMark;
using postgres::DueMark;
using postgres::Position;
using postgres::ReadyMarks;
using postgres_test::Database;
using postgres_test::Hands;
using postgres_test::Session;

constexpr auto kLong = 1h;  // prevents steps back within a test

Position at(std::int64_t micros) { return {.available_at = core::time_from_micros(micros)}; }

TEST(PostgresReadyMarks, AdvanceWithTheClaimedTasks) {
  ReadyMarks marks{kLong};
  (void)marks.start(1);  // the first read steps back to the very start
  const auto start = marks.start(1);
  EXPECT_EQ(start.from, Position{});
  marks.advance(1, start, at(10));
  EXPECT_EQ(marks.start(1).from, at(10));
}

TEST(PostgresReadyMarks, AreLoweredByAWriteBelowThem) {
  ReadyMarks marks{kLong};
  (void)marks.start(1);
  marks.advance(1, marks.start(1), at(10));
  marks.lower(1, at(5));
  EXPECT_EQ(marks.start(1).from, at(5));
}

TEST(PostgresReadyMarks, DoNotPassAConcurrentWrite) {
  ReadyMarks marks{kLong};
  (void)marks.start(1);
  const auto start = marks.start(1);
  marks.lower(1, at(5));
  marks.lower(1, at(30));
  marks.advance(1, start, at(10));
  EXPECT_EQ(marks.start(1).from, at(5));
}

TEST(PostgresReadyMarks, DoNotAdvanceAfterTooManyConcurrentWrites) {
  ReadyMarks marks{kLong};
  (void)marks.start(1);
  const auto start = marks.start(1);
  marks.lower(1, at(5));
  for (int i = 0; i < 40; ++i) marks.lower(1, at(50));
  marks.advance(1, start, at(10));
  EXPECT_EQ(marks.start(1).from, Position{});
}

TEST(PostgresReadyMarks, SkipAnEmptyLaneUntilTheNextWrite) {
  ReadyMarks marks{kLong};
  (void)marks.start(1);
  const auto start = marks.start(1);
  marks.note_empty(1, start);
  EXPECT_TRUE(marks.start(1).is_empty);
  marks.lower(1, at(5));
  EXPECT_FALSE(marks.start(1).is_empty);
  marks.note_empty(1, start);  // by a read that began before the write
  EXPECT_FALSE(marks.start(1).is_empty);
}

TEST(PostgresReadyMarks, AreDisabledWithoutStaleness) {
  ReadyMarks marks{0ms};
  const auto start = marks.start(1);
  marks.advance(1, start, at(10));
  marks.note_empty(1, start);
  EXPECT_EQ(marks.start(1).from, Position{});
  EXPECT_FALSE(marks.start(1).is_empty);
}

TEST(PostgresDueMark, FollowsTheClockInBothDirectionsWithAMargin) {
  DueMark mark{200ms};
  const auto now = core::time_from_micros(1'000'000'000);
  EXPECT_EQ(mark.begin(now).from, core::TimePoint::min());
  mark.end(mark.begin(now), now, std::nullopt);
  EXPECT_EQ(mark.begin(now + 100ms).from, now - 200ms);
  mark.end(mark.begin(now + 100ms), now + 100ms, now - 60s);
  EXPECT_EQ(mark.begin(now + 200ms).from, now - 60s);
  EXPECT_EQ(mark.begin(now - 5s).from, core::TimePoint::min());
}

TEST(PostgresDueMark, ScansFarBackPeriodically) {
  DueMark mark{200ms};
  const auto now = core::time_from_micros(1'000'000'000);
  mark.end(mark.begin(now), now, std::nullopt);
  DueMark::Look look;
  do {
    look = mark.begin(now);
    if (look.reach == DueMark::Reach::usual) mark.end(look, now, std::nullopt);
  } while (look.reach == DueMark::Reach::usual);
  EXPECT_EQ(look.reach, DueMark::Reach::far);
  EXPECT_EQ(look.from, now - 10s);
}

TEST(PostgresCountsMark, PassesOnlyRowsThatNoOpenTransactionCanWrite) {
  CountsMark mark;
  mark.update({.last = 10, .oldest_transaction = 100, .next_transaction = 105, .first = 8});
  EXPECT_EQ(mark.value(), 0);
  mark.update({.last = 20, .oldest_transaction = 104, .next_transaction = 120, .first = 15});
  EXPECT_EQ(mark.value(), 0);  // 104 may have been assigned one of the first ten
  mark.update({.last = 30, .oldest_transaction = 105, .next_transaction = 130, .first = 9});
  EXPECT_EQ(mark.value(), 9);
  mark.update({.last = 40, .oldest_transaction = 130, .next_transaction = 140, .first = 35});
  EXPECT_EQ(mark.value(), 31);
  mark.update({.last = 12, .oldest_transaction = 150, .next_transaction = 150, .first = {}});
  EXPECT_EQ(mark.value(), 0);  // the database was reset
}

class PostgresMarks : public ::testing::Test {
 protected:
  Database database;
};

TEST_F(PostgresMarks, LetTasksOfARolledBackClaimBeFoundAgain) {
  Hands hands{database.conninfo(), kLong};
  const auto made = hands.enqueue(10);
  {
    const auto tx = hands.store->begin();
    EXPECT_EQ(hands.take(*tx, 4).size(), 4U);
  }
  EXPECT_EQ(hands.claim(10).size(), 10U);
}

TEST_F(PostgresMarks, LetTasksOfAKilledSessionBeFoundAgain) {
  Hands hands{database.conninfo(), 50ms};
  (void)hands.enqueue(10);
  auto tx = hands.store->begin();
  EXPECT_EQ(hands.take(*tx, 4).size(), 4U);
  EXPECT_EQ(hands.claim(10).size(), 6U);  // on the other connection, skipping the locked rows
  EXPECT_GT(database.terminate_sessions(), 0);
  tx.reset();
  EXPECT_EQ(hands.claim(10).size(), 4U);
}

TEST_F(PostgresMarks, LetTasksWrittenBehindThemBeFound) {
  Hands hands{database.conninfo(), kLong};
  (void)hands.enqueue(4);
  hands.clock.advance(10s);
  (void)hands.enqueue(4);
  EXPECT_EQ(hands.claim(6).size(), 6U);
  const auto tx = hands.store->begin();
  core::TaskRecord old = hands.new_task({.type = "mail"}, tx->now());
  old.available_at -= 9s;
  tx->commit({.tasks = {{.is_new = true, .record = &old}}});
  const auto claimed = hands.claim(1);
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed[0].id, old.id);
}

TEST_F(PostgresMarks, LetMaintenanceFindTasksThatAnotherNodeWroteBehindThem) {
  Hands hands{database.conninfo(), kLong};
  (void)hands.enqueue(4);
  hands.clock.advance(10s);
  (void)hands.enqueue(4);
  EXPECT_EQ(hands.claim(6).size(), 6U);
  Hands other{database.conninfo(), kLong};
  const auto id = other.enqueue(1).front();  // its clock is 10 s behind
  EXPECT_EQ(hands.claim(5).size(), 2U);
  hands.store->maintain();
  const auto claimed = hands.claim(5);
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed[0].id, id);
}

TEST_F(PostgresMarks, LetTasksOfAnotherNodeBeFoundAfterTheStaleness) {
  Hands hands{database.conninfo(), 30ms};
  Hands other{database.conninfo(), 30ms};
  (void)hands.enqueue(1);
  EXPECT_EQ(hands.claim(5).size(), 1U);  // which marks the lane as empty
  (void)other.enqueue(3);
  std::this_thread::sleep_for(40ms);  // real time: a node's cache does not use the test's clock
  EXPECT_EQ(hands.claim(5).size(), 3U);
}

TEST_F(PostgresMarks, FindDueLeasesDespiteAnOpenSnapshot) {
  Hands hands{database.conninfo(), 200ms};
  Session holder{database.conninfo()};
  (void)hands.enqueue(50);
  const auto done = hands.claim(30);
  holder.query("begin isolation level repeatable read");
  holder.query("select count(*) from pawl.leases");
  hands.complete(done);
  (void)hands.claim(5);
  hands.clock.advance(31s);
  EXPECT_EQ(hands.store->due_leases(100).size(), 5U);
  hands.clock.advance(31s);
  (void)hands.claim(5);
  EXPECT_EQ(hands.store->due_leases(100).size(), 5U);
  hands.clock.advance(31s);
  EXPECT_EQ(hands.store->due_leases(100).size(), 10U);
}

TEST_F(PostgresMarks, KeepCountsExactDespiteAnOpenSnapshot) {
  Hands hands{database.conninfo(), 200ms};
  Session holder{database.conninfo()};
  (void)hands.enqueue(1);
  holder.query("begin isolation level repeatable read");
  holder.query("select count(*) from pawl.lane_counts");
  for (int round = 2; round <= 20; ++round) {
    (void)hands.enqueue(1);
    hands.store->maintain();
    EXPECT_EQ(hands.store->list_queues("default").at(0).counts.pending, round);
  }
  EXPECT_EQ(Session{database.conninfo()}.value("select count(*) from pawl.lane_counts"), "1");
}

}  // namespace
}  // namespace pawl::store
