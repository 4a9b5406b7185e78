// Many threads and nodes on the same records: exactly one wins, and no caller sees a lost race.

#include <algorithm>
#include <atomic>
#include <set>

#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

using RecordsRace = RuntimeTest;

TEST_P(RecordsRace, ForANewLockHasOneWinner) {
  constexpr int kRounds = 20;
  constexpr int kThreads = 4;
  RunningNode first{open()};
  RunningNode second{open()};
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> winners = 0;
    in_parallel(kThreads, [&](int i) {
      core::Api& api = i % 2 == 0 ? first.api() : second.api();
      const auto answer =
          api.acquire_lock({.key = "k" + std::to_string(round), .holder = std::to_string(i), .ttl = 1h});
      ASSERT_TRUE(answer.ok()) << answer.problem().detail;
      EXPECT_EQ(answer->lock.fence, 1);
      winners += answer->acquired ? 1 : 0;
    });
    EXPECT_EQ(winners, 1);
  }
}

TEST_P(RecordsRace, ForOneLockNeverRepeatsAFence) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20;
  RunningNode first{open()};
  RunningNode second{open()};
  std::mutex mutex;
  std::vector<std::int64_t> fences;
  in_parallel(kThreads, [&](int i) {
    core::Api& api = i % 2 == 0 ? first.api() : second.api();
    const std::string holder = std::to_string(i);
    for (int round = 0; round < kRounds; ++round) {
      const auto taken = api.acquire_lock({.key = "k", .holder = holder, .ttl = 1h});
      ASSERT_TRUE(taken.ok()) << taken.problem().detail;
      if (!taken->acquired) continue;
      {
        const std::lock_guard lock{mutex};
        fences.push_back(taken->lock.fence);
      }
      ASSERT_TRUE(api.release_lock({.key = "k", .holder = holder, .fence = taken->lock.fence}).ok());
    }
  });
  EXPECT_EQ(std::set<std::int64_t>(fences.begin(), fences.end()).size(), fences.size());
  EXPECT_TRUE(std::is_sorted(fences.begin(), fences.end())) << "noted while it was held";
}

TEST_P(RecordsRace, ToPutOneDefinitionHasOneWinner) {
  constexpr int kRounds = 20;
  constexpr int kThreads = 4;
  RunningNode first{open()};
  RunningNode second{open()};
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = "w" + std::to_string(round);
    std::atomic<int> makers = 0;
    in_parallel(kThreads, [&](int i) {
      core::RunApi& runs = i % 2 == 0 ? first.runtime.local() : second.runtime.local();
      const auto put =
          runs.put_definition({.name = name, .text = R"({"tasks":[{"id":"a","activity":"t"}]})"});
      ASSERT_TRUE(put.ok()) << put.problem().detail;
      EXPECT_EQ(put->version.version, 1);
      makers += put->created ? 1 : 0;
    });
    EXPECT_EQ(makers, 1);
  }
}

TEST_P(RecordsRace, ToAppendCheckpointsLeavesNoGap) {
  constexpr int kThreads = 4;
  constexpr int kEach = 10;
  RunningNode first{open()};
  RunningNode second{open()};
  core::TaskSpec spec = task_of("t");
  spec.key = "k";
  const core::TaskId leader = first.api().enqueue("default", spec)->task.id;
  const core::TaskId waiting = first.api().enqueue("default", spec)->task.id;
  in_parallel(kThreads, [&](int i) {
    core::Api& api = i % 2 == 0 ? first.api() : second.api();
    for (int n = 0; n < kEach; ++n) {
      for (const core::TaskId& owner : {leader, waiting}) {
        const auto appended =
            api.append_checkpoint({.owner = owner, .type = "tool_executed", .snapshot = {"1"}});
        ASSERT_TRUE(appended.ok()) << appended.problem().detail;
      }
    }
  });
  for (const core::TaskId& owner : {leader, waiting}) {
    const auto summary = first.api().summarize_checkpoints("default", owner);
    EXPECT_EQ(summary->total, kThreads * kEach);
    EXPECT_EQ(summary->max_sequence, kThreads * kEach);
  }
}

TEST_P(RecordsRace, OfIncarnationsOfOneProcessLeavesOneOnline) {
  constexpr int kThreads = 4;
  RunningNode first{open()};
  RunningNode second{open()};
  in_parallel(kThreads, [&](int i) {
    core::Api& api = i % 2 == 0 ? first.api() : second.api();
    const auto worker = api.register_worker({.hostname = "h", .pid = 1});
    ASSERT_TRUE(worker.ok()) << worker.problem().detail;
  });
  int online = 0;
  const auto workers = first.api().list_workers({});
  for (const core::Worker& worker : workers->items)
    online += worker.status == core::WorkerStatus::online ? 1 : 0;
  EXPECT_EQ(online, 1);
}

PAWL_ON_EVERY_STORE(RecordsRace);

}  // namespace pawl::testing
