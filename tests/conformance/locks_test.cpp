// User locks: fences, expiry, and refusals.
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;

class Locks : public Conformance {
 public:
  core::LockAnswer acquire(const std::string& holder, core::Duration ttl = 30s) {
    auto answer = api().acquire_lock({.key = "k", .holder = holder, .ttl = ttl});
    EXPECT_TRUE(answer.ok());
    return *answer;
  }
};

TEST_P(Locks, AreHeldByOneHolderAtATime) {
  const auto first = acquire("a");
  EXPECT_TRUE(first.acquired);
  EXPECT_EQ(first.lock, (core::Lock{.key = "k", .holder = "a", .fence = 1, .expires_at = clock.now() + 30s}));
  const auto second = acquire("b");
  EXPECT_FALSE(second.acquired);
  EXPECT_EQ(second.lock, first.lock);
}

TEST_P(Locks, AcquiredAgainByTheHolderKeepTheirFence) {
  (void)acquire("a");
  clock.advance(20s);
  const auto again = acquire("a");
  EXPECT_TRUE(again.acquired);
  EXPECT_EQ(again.lock.fence, 1);
  EXPECT_EQ(again.lock.expires_at, clock.now() + 30s);
}

TEST_P(Locks, RaiseTheFenceAcrossReleaseAndExpiry) {
  (void)acquire("a");
  ASSERT_TRUE(api().release_lock({.key = "k", .holder = "a", .fence = 1}).ok());
  EXPECT_EQ(*api().get_lock("default", "k"), (core::Lock{.key = "k", .fence = 1}));
  EXPECT_EQ(acquire("b").lock.fence, 2);
  clock.advance(31s);
  EXPECT_EQ(api().get_lock("default", "k")->holder, "");
  EXPECT_EQ(acquire("b").lock.fence, 3) << "its own one that was over is a new one";
}

TEST_P(Locks, CannotBeRenewedOrReleasedAfterTheirEnd) {
  (void)acquire("a");
  EXPECT_EQ(api().renew_lock({.key = "k", .holder = "a", .fence = 1, .ttl = 1min})->expires_at,
            clock.now() + 1min);
  EXPECT_EQ(api().renew_lock({.key = "k", .holder = "b", .fence = 1}).problem().code,
            ProblemCode::stale_lease);
  EXPECT_EQ(api().renew_lock({.key = "k", .holder = "a", .fence = 2}).problem().code,
            ProblemCode::stale_lease);
  clock.advance(1min);
  EXPECT_EQ(api().renew_lock({.key = "k", .holder = "a", .fence = 1}).problem().code,
            ProblemCode::stale_lease);
  EXPECT_EQ(api().release_lock({.key = "k", .holder = "a", .fence = 1}).problem().code,
            ProblemCode::stale_lease);
}

TEST_P(Locks, AreSeparatePerNamespace) {
  (void)acquire("a");
  EXPECT_TRUE(api().acquire_lock({.ns = "other", .key = "k", .holder = "b"})->acquired);
  EXPECT_EQ(api().get_lock("other", "none").problem().code, ProblemCode::not_found);
  EXPECT_EQ(api().acquire_lock({.key = "", .holder = "b"}).problem().errors.at(0).field, "key");
}

TEST_P(Locks, AcquiredInOneGroupSeeEachOther) {
  const auto command = [](const std::string& holder) {
    const core::AcquireLock request{.key = "k", .holder = holder};
    return core::ChangeRecords{.refs = {core::lock_ref("default", "k")},
                               .decide = [request](core::FoundRecords found, core::TimePoint now) {
                                 return core::decide_acquire(request, found, now);
                               }};
  };
  const auto answers = submit_group(node(), {command("a"), command("b")});
  const auto holder = [&](std::size_t i) {
    return core::lock_from(std::get<core::RecordAnswer>(*answers[i].answer()).body).holder;
  };
  EXPECT_EQ(holder(0), "a");
  EXPECT_EQ(holder(1), "a");
}

TEST_P(Locks, AreSeenByAnotherNode) {
  (void)acquire("a");
  const auto other = another_node(2);
  EXPECT_FALSE(other->api().acquire_lock({.key = "k", .holder = "b"})->acquired);
  EXPECT_TRUE(other->api().release_lock({.key = "k", .holder = "a", .fence = 1}).ok());
  EXPECT_EQ(acquire("b").lock.fence, 2);
}

PAWL_ON_EVERY_STORE(Locks);

}  // namespace
}  // namespace pawl::testing
