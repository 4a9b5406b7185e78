// When the commit loop delays a group to batch more commands. No command gets lost by the delay.
#include "runtime/batch_delay.hpp"

#include <atomic>

#include <unistd.h>

#include "store/sqlite/sqlite_store.hpp"
#include "tests/runtime/fixture.hpp"

namespace pawl::testing {
namespace {

using runtime::BatchDelay;

constexpr core::MonotonicTime kReplied{1h};

// The state after the replies to a group of sixteen commands.
BatchDelay after_a_group(core::Duration work, core::Duration flush) {
  BatchDelay delay;
  delay.note_work(work);
  delay.note_flush(flush, 12, 4);
  delay.note_replied(kReplied);
  return delay;
}

TEST(BatchDelay, WaitsForTheSameCallersOnASlowDisk) {
  const BatchDelay delay = after_a_group(100us, 1ms);
  EXPECT_TRUE(delay.waits_for_last_group());
  EXPECT_TRUE(delay.wants_more(4));
  EXPECT_TRUE(delay.wants_more(15));
  EXPECT_FALSE(delay.wants_more(16));
  EXPECT_EQ(delay.wait_ends_at(), kReplied + 500us);
}

TEST(BatchDelay, DoesNotWaitOnAFastDiskOrAfterLongWork) {
  for (const BatchDelay& delay : {after_a_group(10us, 400us), after_a_group(250us, 1ms), BatchDelay{}}) {
    EXPECT_FALSE(delay.waits_for_last_group());
    EXPECT_FALSE(delay.wants_more(1));
  }
}

TEST(BatchDelay, DoesNotWaitForASingleCaller) {
  BatchDelay delay;
  delay.note_flush(5ms, 1, 0);
  delay.note_replied(kReplied);
  EXPECT_FALSE(delay.wants_more(1));
}

TEST(BatchDelay, DoesNotWaitLongAfterADiskThatStalled) {
  EXPECT_EQ(after_a_group(100us, 30s).wait_ends_at(), kReplied + 2ms);
}

TEST(BatchDelay, WaitsLessOftenAfterUnproductiveWaits) {
  BatchDelay delay = after_a_group(100us, 1ms);
  int skipped = 0;
  for (const int expected : {1, 3, 7, 15, 31, 31}) {
    delay.note_waited(4, 5);  // twelve were missing, and one arrived
    delay.note_begun();
    for (skipped = 0; !delay.wants_more(4); ++skipped) delay.note_begun();
    EXPECT_EQ(skipped, expected);
  }
  delay.note_waited(4, 14);
  delay.note_begun();
  EXPECT_TRUE(delay.wants_more(4));
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
TEST_F(OnASlowDisk, EveryCallerGetsItsReply) {
  constexpr int kCallers = 8;
  const auto node = node_with([] { return 2ms; });
  in_parallel(kCallers, [&](int caller) {
    for (int i = 0; i < 5 * (caller + 1); ++i) EXPECT_TRUE(node->api().enqueue("default", task_of("t")).ok());
  });
  EXPECT_EQ(counts_of(node->api()).pending, 5 * kCallers * (kCallers + 1) / 2);
}

// The disk alternates between slow and fast: a group that was delayed for the slow disk is also served if the
// disk is fast by the time of the replies.
TEST_F(OnASlowDisk, EveryCallerGetsItsReplyWhenItBecomesFast) {
  constexpr int kRounds = 600;
  constexpr int kTogether = 4;
  std::atomic<int> flushes = 0;
  const auto node = node_with([&]() -> core::Duration { return ++flushes % 32 == 0 ? 30ms : 0ms; });
  for (int round = 1; round <= kRounds; ++round) {
    for (int i = 0; i < kTogether; ++i) submit(*node);
    ASSERT_TRUE(eventually([&] { return answered == round * kTogether; })) << answered;
  }
}

TEST_F(OnASlowDisk, SubmittedCommandsGetTheirRepliesBeforeTheEnd) {
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
