// When the commit loop delays a group to batch more commands. No command gets lost by the delay.
#include "runtime/gathering.hpp"

#include <atomic>

#include <unistd.h>

#include "store/sqlite/sqlite_store.hpp"
#include "tests/runtime/fixture.hpp"

namespace pawl::testing {
namespace {

using runtime::Gathering;

constexpr core::MonotonicTime kTold{1h};

// The state after the replies to a group of sixteen commands.
Gathering after_a_group(core::Duration work, core::Duration flush) {
  Gathering gathering;
  gathering.note_work(work);
  gathering.note_flush(flush, 12, 4);
  gathering.note_told(kTold);
  return gathering;
}

TEST(Gathering, WaitsForTheRepliedCallersOnASlowDisk) {
  const Gathering gathering = after_a_group(100us, 1ms);
  EXPECT_TRUE(gathering.waits_for_the_last());
  EXPECT_TRUE(gathering.wants_more(4));
  EXPECT_TRUE(gathering.wants_more(15));
  EXPECT_FALSE(gathering.wants_more(16));
  EXPECT_EQ(gathering.waits_until(), kTold + 500us);
}

TEST(Gathering, DoesNotWaitOnAFastDiskOrForLongWork) {
  for (const Gathering& gathering : {after_a_group(10us, 400us), after_a_group(250us, 1ms), Gathering{}}) {
    EXPECT_FALSE(gathering.waits_for_the_last());
    EXPECT_FALSE(gathering.wants_more(1));
  }
}

TEST(Gathering, DoesNotWaitForASingleCaller) {
  Gathering gathering;
  gathering.note_flush(5ms, 1, 0);
  gathering.note_told(kTold);
  EXPECT_FALSE(gathering.wants_more(1));
}

TEST(Gathering, DoesNotWaitLongAfterADiskStall) {
  EXPECT_EQ(after_a_group(100us, 30s).waits_until(), kTold + 2ms);
}

TEST(Gathering, WaitsLessOftenAfterUnproductiveWaits) {
  Gathering gathering = after_a_group(100us, 1ms);
  int skipped = 0;
  for (const int expected : {1, 3, 7, 15, 31, 31}) {
    gathering.note_waited(4, 5);  // twelve were missing, and one arrived
    gathering.begin();
    for (skipped = 0; !gathering.wants_more(4); ++skipped) gathering.begin();
    EXPECT_EQ(skipped, expected);
  }
  gathering.note_waited(4, 14);
  gathering.begin();
  EXPECT_TRUE(gathering.wants_more(4));
}

// A node on a file whose flush time the test controls.
class OnASlowDisk : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<RunningNode> node_with(std::function<core::Duration()> time_of_flush) {
    const auto flush = [time_of_flush = std::move(time_of_flush)](int file) {
      std::mutex mutex;
      std::condition_variable never;
      std::unique_lock lock{mutex};
      if (const core::Duration time = time_of_flush(); time > 0ms) never.wait_for(lock, time);
      return ::fdatasync(file);
    };
    return std::make_unique<RunningNode>(store::open_sqlite(
        {.path = folder.path() + "/slow.db", .clock = &clock, .random = &random, .flush = flush}));
  }
  // Does not wait for the answer.
  void submit(RunningNode& node) {
    core::EnqueueTasks command;
    command.tasks = {task_of("t")};
    node.runtime.submit(std::move(command), [this](const core::Result<core::Answer>& answer) {
      EXPECT_TRUE(answer.ok());
      ++answered;
    });
  }

  const TemporaryFolder folder;
  runtime::SystemClock clock;
  runtime::SystemRandom random{7};
  std::atomic<int> answered = 0;
};

// The callers finish one after the other.
TEST_F(OnASlowDisk, EveryCallerIsAnsweredUntilTheLastOne) {
  constexpr int kCallers = 8;
  const auto node = node_with([] { return 2ms; });
  in_parallel(kCallers, [&](int caller) {
    for (int i = 0; i < 5 * (caller + 1); ++i) EXPECT_TRUE(node->api().enqueue("default", task_of("t")).ok());
  });
  EXPECT_EQ(counts_of(node->api()).pending, 5 * kCallers * (kCallers + 1) / 2);
}

// The disk alternates between slow and fast: a group that was delayed for the slow disk is also served if the
// disk is fast by the time of the replies.
TEST_F(OnASlowDisk, EveryCallerIsAnsweredWhenItBecomesFast) {
  constexpr int kRounds = 600;
  constexpr int kTogether = 4;
  std::atomic<int> flushes = 0;
  const auto node = node_with([&]() -> core::Duration { return ++flushes % 32 == 0 ? 30ms : 0ms; });
  for (int round = 1; round <= kRounds; ++round) {
    for (int i = 0; i < kTogether; ++i) submit(*node);
    ASSERT_TRUE(eventually([&] { return answered == round * kTogether; })) << answered;
  }
}

TEST_F(OnASlowDisk, EverySubmittedCommandIsAnsweredBeforeTheEnd) {
  constexpr int kRounds = 20;
  constexpr int kTogether = 5;
  for (int round = 1; round <= kRounds; ++round) {
    const auto node = node_with([] { return 1ms; });
    for (int i = 0; i < kTogether; ++i) submit(*node);
  }
  EXPECT_EQ(answered, kRounds * kTogether);
}

}  // namespace
}  // namespace pawl::testing
