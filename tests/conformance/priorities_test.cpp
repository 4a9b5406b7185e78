// 32-bit priorities: their order, and a number of lanes that does not grow with the number of priorities.
#include <algorithm>
#include <limits>

#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();

class Priorities : public RunTest {
 public:
  core::Task enqueue_at(std::int32_t priority, const std::string& type = "t") {
    core::TaskSpec spec = task_of(type);
    spec.priority = priority;
    return enqueue(spec);
  }
  std::vector<std::int32_t> claimed_priorities(int max = 100) {
    std::vector<std::int32_t> priorities;
    for (const core::ClaimedTask& task : claim("w1", max, 1h)) priorities.push_back(task.task.priority);
    return priorities;
  }
};
using Numbers = std::vector<std::int32_t>;

TEST_P(Priorities, AreClaimedFromTheHighestToTheLowest) {
  const Numbers given{0,    kLowest, 101,    -101, kHighest, 70'000, 100,
                      -100, 5,       70'001, -5,   -70'000,  32'767, kLowest + 1};
  for (const std::int32_t priority : given) {
    const core::Task task = enqueue_at(priority);
    EXPECT_EQ(task.priority, priority);
    EXPECT_EQ(get(task.id).task.priority, priority);
  }
  for (const core::Task& task : list({}))
    EXPECT_NE(std::find(given.begin(), given.end(), task.priority), given.end());
  Numbers expected = given;
  std::sort(expected.begin(), expected.end(), std::greater<>{});
  const Numbers first = claimed_priorities(1);
  EXPECT_EQ(first, Numbers{kHighest});
  const Numbers next = claimed_priorities(3);
  EXPECT_EQ(next, Numbers(expected.begin() + 1, expected.begin() + 4));
  EXPECT_EQ(claimed_priorities(), Numbers(expected.begin() + 4, expected.end()));
}

TEST_P(Priorities, OrderTasksOfAllTypesTogether) {
  enqueue_at(500, "a");
  enqueue_at(900, "b");
  enqueue_at(700, "a");
  enqueue_at(1, "b");
  enqueue_at(800, "c");
  EXPECT_EQ(claimed_priorities(2), (Numbers{900, 800}));
  EXPECT_EQ(claimed_priorities(), (Numbers{700, 500, 1}));
}

TEST_P(Priorities, OfEqualValueAreClaimedByAge) {
  const core::TaskId first = enqueue_at(1'000'000).id;
  clock.advance(2s);
  const core::TaskId second = enqueue_at(1'000'000).id;
  clock.advance(2s);
  const core::TaskId third = enqueue_at(1'000'000).id;
  EXPECT_EQ(ids_of(claim("w1", 2)), (std::vector{first, second}));
  EXPECT_EQ(ids_of(claim("w1", 2)), (std::vector{third}));
}

TEST_P(Priorities, AreKeptThroughRetriesDelaysAndKeys) {
  core::TaskSpec spec = task_of("t");
  spec.priority = 2'000;
  spec.delay = 10s;
  spec.key = "k";
  const core::TaskId id = enqueue(spec).id;
  const core::TaskId behind = enqueue(spec).id;
  enqueue_at(1'500);
  clock.advance(11s);
  tick();
  const core::Task task = claim_one();
  EXPECT_EQ(task.id, id);
  EXPECT_EQ(task.priority, 2'000);
  ASSERT_TRUE(fail(task).ok());
  enqueue_at(1'999);
  clock.advance(1min);
  tick();
  const core::Task again = claim_one();
  EXPECT_EQ(again.id, id);
  ASSERT_TRUE(report(again, core::ReportAction::release).ok());
  EXPECT_EQ(claim_one().id, id);
  EXPECT_EQ(get(behind).task.status, core::TaskStatus::blocked);
  EXPECT_EQ(claimed_priorities(), (Numbers{1'999, 1'500}));
}

TEST_P(Priorities, AreKeptByTheTasksOfRuns) {
  define("flow",
         R"({"id":"a","activity":"t","priority":-2000000000},{"id":"b","activity":"t","priority":2000000000},
                    {"id":"c","activity":"t"})");
  const core::RunId run = start("flow");
  EXPECT_EQ(claimed(), (std::vector<std::string>{"b", "c", "a"}));
  EXPECT_EQ(held("a").task.priority, -2'000'000'000);
  for (const char* node : {"a", "b", "c"}) complete_node(node);
  EXPECT_EQ(state_of(run), core::RunState::completed);
}

TEST_P(Priorities, AtTheExtremesAreCountedAndCancelled) {
  const core::TaskId id = enqueue_at(1'000'000).id;
  enqueue_at(-1'000'000);
  EXPECT_EQ(queue().counts.pending, 2);
  ASSERT_TRUE(api().cancel_task("default", id).ok());
  EXPECT_EQ(claimed_priorities(), Numbers{-1'000'000});
  expect_counts_kept();
}

TEST_P(Priorities, ShareABoundedNumberOfLanes) {
  for (std::int32_t i = 0; i < 1'000; ++i) enqueue_at(i * 1'000);
  const auto lanes = node().store()->lanes_of({.ns = "default", .name = "default"});
  EXPECT_LE(lanes.size(), 3U);
  Numbers all;
  for (Numbers some = claimed_priorities(300); !some.empty(); some = claimed_priorities(300))
    all.insert(all.end(), some.begin(), some.end());
  EXPECT_EQ(all.size(), 1'000U);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), std::greater<>{}));
}

TEST_P(Priorities, OfTasksWithAFairnessKeyAreBounded) {
  core::TaskSpec spec = task_of("t");
  spec.fairness_key = "tenant";
  spec.priority = 32'768;
  const auto refused = api().enqueue("default", spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.problem().errors.front().field, "priority");
  spec.priority = 32'767;
  enqueue(spec);
  enqueue_at(10);
  const auto got = claim("w1", 2);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0].task.priority, 32'767);
  EXPECT_EQ(got[0].task.fairness->key, "tenant");
  EXPECT_EQ(got[1].task.fairness, std::nullopt);
}

PAWL_ON_EVERY_STORE(Priorities);

}  // namespace
}  // namespace pawl::testing
