// Detection of stalled work, as opposed to idle time.
#include "runtime/progress.hpp"

#include "store/faulty.hpp"
#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

using core::MonotonicTime;
using runtime::check_progress;
using runtime::Progress;

constexpr MonotonicTime kNow{1h};

std::string verdict(const Progress& progress) {
  const auto checked = check_progress(progress, kNow);
  return checked ? "" : checked.problem().detail;
}

TEST(Progress, OfAnIdleServerIsHealthy) { EXPECT_EQ(verdict({.polled_at = kNow}), ""); }

TEST(Progress, StopsWhenCommitsFailForTooLong) {
  const auto refused = [](core::Duration since, core::Duration last) {
    return Progress{.refused_since = kNow - since, .refused_last = kNow - last, .polled_at = kNow};
  };
  EXPECT_EQ(verdict(refused(10s - 1us, 0s)), "");
  EXPECT_EQ(verdict(refused(10s, 0s)), "the store has refused every commit for 10 s");
  EXPECT_NE(verdict(refused(60s, 30s)), "");
  EXPECT_EQ(verdict(refused(60s, 30s + 1us)), "")
      << "no commit was tried since: the store may have recovered";
}

TEST(Progress, StopsImmediatelyWhenAnotherProgramHasMigratedTheStore) {
  Progress progress{
      .refused_since = kNow, .refused_last = kNow, .foreign_schema = "version 14", .polled_at = kNow};
  EXPECT_EQ(verdict(progress), "version 14");
}

TEST(Progress, StopsWhenCommandsWaitAndNoGroupEnds) {
  const auto waiting = [](core::Duration since) {
    return Progress{.waiting_since = kNow - since, .polled_at = kNow};
  };
  EXPECT_EQ(verdict(waiting(30s - 1us)), "");
  EXPECT_EQ(verdict(waiting(30s)), "commands wait, and no group has ended for 30 s");
}

TEST(Progress, StopsWithoutPollsForExpiredLeases) {
  EXPECT_EQ(verdict({.polled_at = kNow - 30s + 1us}), "");
  EXPECT_EQ(verdict({.polled_at = kNow - 30s}), "no poll for expired leases has finished for 30 s");
}

// Refuses commits while `refuses` is set.
class Refusal final : public store::FaultPlan {
 public:
  void before(store::Verb verb) override {
    if (verb == store::Verb::commit && refuses)
      throw store::StoreError{store::StoreError::Kind::unavailable, "the disk is full"};
  }

  std::atomic<bool> refuses = false;
};

class ProgressOfANode : public RuntimeTest {};

TEST_P(ProgressOfANode, RecordsSinceWhenCommitsFail) {
  Refusal refusal;
  RunningNode node{std::shared_ptr<store::Store>{store::make_faulty_store(open(), refusal)}};
  ASSERT_TRUE(node.api().enqueue("default", {.type = "t"}).ok());
  EXPECT_EQ(node.runtime.progress().refused_since, std::nullopt);
  refusal.refuses = true;
  EXPECT_FALSE(node.api().enqueue("default", {.type = "t"}).ok());
  const auto first = node.runtime.progress();
  ASSERT_TRUE(first.refused_since.has_value());
  EXPECT_FALSE(node.api().enqueue("default", {.type = "t"}).ok());
  EXPECT_EQ(node.runtime.progress().refused_since, first.refused_since) << "the first one counts";
  EXPECT_GE(node.runtime.progress().refused_last, first.refused_last);
  refusal.refuses = false;
  ASSERT_TRUE(node.api().enqueue("default", {.type = "t"}).ok());
  EXPECT_EQ(node.runtime.progress().refused_since, std::nullopt);
}

TEST_P(ProgressOfANode, RecordsRepeatedPollsForLeases) {
  RunningNode node{open()};
  const auto first = node.runtime.progress().polled_at;
  EXPECT_TRUE(eventually([&] { return node.runtime.progress().polled_at > first; }));
}

PAWL_ON_EVERY_STORE(ProgressOfANode);

}  // namespace pawl::testing
