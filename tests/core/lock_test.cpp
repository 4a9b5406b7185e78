#include "core/records/lock.hpp"

#include <gtest/gtest.h>

#include "tests/core/now.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

// A lock's record, to which decisions are applied as the engine does.
struct LockRecord {
  std::optional<Record> record = {};

  Result<RecordDecision> apply(Result<RecordDecision> decision) {
    if (!decision) return decision;
    for (const RecordChange& change : decision->changes)
      record = Record{.ref = change.ref, .version = 1, .body = *change.body, .expires_at = change.expires_at};
    return decision;
  }
  Lock acquire(const std::string& holder, TimePoint now) {
    return lock_from(
        apply(decide_acquire({.key = "k", .holder = holder, .ttl = 10s}, std::span{&record, 1}, now))
            ->answer);
  }
};

TEST(Lock, KeepsItsFenceWhileHeld) {
  LockRecord lock;
  EXPECT_EQ(lock.acquire("a", kNow).fence, 1);
  EXPECT_EQ(lock.acquire("a", kNow + 9s).fence, 1);
  EXPECT_EQ(lock.acquire("a", kNow + 18s).expires_at, kNow + 28s);
}

TEST(Lock, IsFreeAtTheInstantOfItsExpiry) {
  LockRecord lock;
  (void)lock.acquire("a", kNow);
  EXPECT_EQ(lock.acquire("b", kNow + 10s - 1us).holder, "a");
  const Lock taken = lock.acquire("b", kNow + 10s);
  EXPECT_EQ(taken.holder, "b");
  EXPECT_EQ(taken.fence, 2);
}

TEST(Lock, KeepsItsFenceWithoutAHolder) {
  LockRecord lock;
  (void)lock.acquire("a", kNow);
  const ReleaseLock release{.key = "k", .holder = "a", .fence = 1};
  ASSERT_TRUE(lock.apply(decide_release(release, std::span{&lock.record, 1}, kNow)).ok());
  EXPECT_EQ(lock_at(*lock.record, kNow), (Lock{.key = "k", .fence = 1}));
  const auto again = decide_release(release, std::span{&lock.record, 1}, kNow);
  EXPECT_EQ(again.problem().code, ProblemCode::stale_lease);
}

TEST(Lock, RejectsAWrongFenceAndNamesBoth) {
  LockRecord lock;
  (void)lock.acquire("a", kNow);
  const auto refused =
      decide_renew({.key = "k", .holder = "a", .fence = 7}, std::span{&lock.record, 1}, kNow);
  EXPECT_EQ(refused.problem().detail, "lock k is at fence 1, the request carried 7");
}

TEST(Lock, ValidatesItsCommands) {
  EXPECT_EQ(check(AcquireLock{.key = "k", .holder = ""}).problem().errors.at(0).field, "holder");
  EXPECT_EQ(check(AcquireLock{.key = "k", .holder = "a", .ttl = 0s}).problem().errors.at(0).field, "ttl");
  EXPECT_EQ(check(RenewLock{.ns = "No", .key = "k", .holder = "a"}).problem().errors.at(0).field,
            "namespace");
}

TEST(RecordKinds, HaveDistinctNames) {
  for (int i = 0; i < kRecordKindCount; ++i) {
    const auto kind = static_cast<RecordKind>(i);
    EXPECT_EQ(record_kind_from(to_string(kind)), kind);
  }
  EXPECT_EQ(record_kind_from("none"), std::nullopt);
}

}  // namespace
}  // namespace pawl::core
