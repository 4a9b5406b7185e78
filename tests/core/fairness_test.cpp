#include "core/queue/fairness.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <set>

#include <gtest/gtest.h>

#include "core/task/task.hpp"

namespace pawl::core {
namespace {

TEST(Turns, OfOneKeyAreSpacedByItsWeight) {
  LaneTurns lane;
  EXPECT_EQ(give_turn(lane, {.key = "a"}, false), 0);
  EXPECT_EQ(give_turn(lane, {.key = "a"}, false), kWholeTurn);
  EXPECT_EQ(give_turn(lane, {.key = "b", .weight = 4}, false), 0);
  EXPECT_EQ(give_turn(lane, {.key = "b", .weight = 4}, false), kWholeTurn / 4);
  EXPECT_EQ(give_turn(lane, {.key = "c", .weight = 0.5}, false), 0);
  EXPECT_EQ(give_turn(lane, {.key = "c", .weight = 0.5}, false), 2 * kWholeTurn);
  EXPECT_EQ(lane.last, 4 * kWholeTurn);
}

TEST(Turns, StartAtTheCurrentTurnOfTheLane) {
  LaneTurns lane{.now = 7 * kWholeTurn, .last = 90 * kWholeTurn, .keys = {{"old", {.next = 3 * kWholeTurn}}}};
  EXPECT_EQ(give_turn(lane, {.key = "old"}, false), 7 * kWholeTurn);
  EXPECT_EQ(give_turn(lane, {.key = "new"}, false), 7 * kWholeTurn);
  EXPECT_EQ(lane.last, 90 * kWholeTurn);
}

TEST(Turns, OfReturnedTasksDoNotAdvanceThoseOfNewTasks) {
  LaneTurns lane{.now = 5 * kWholeTurn, .last = 90 * kWholeTurn, .keys = {{"a", {.next = 90 * kWholeTurn}}}};
  EXPECT_EQ(give_turn(lane, {.key = "a"}, true), 5 * kWholeTurn);
  EXPECT_EQ(give_turn(lane, {.key = "a"}, true), 6 * kWholeTurn);
  EXPECT_EQ(give_turn(lane, {.key = "a"}, false), 90 * kWholeTurn);
}

class ClaimOrder : public ::testing::Test {
 protected:
  const TaskRecord* add(const Lane& lane, std::uint8_t number, std::int64_t at) {
    TaskRecord& task = tasks_.emplace_back();
    task.id.bytes[15] = number;
    task.lane = &lane;
    if (lane.fair) {
      task.turn = at;
    } else {
      task.available_at = time_from_micros(at);
    }
    added_.push_back(&task);
    return &task;
  }
  std::vector<int> order() {
    std::vector<int> numbers;
    for (const std::size_t index : claim_order(added_)) numbers.push_back(added_[index]->id.bytes[15]);
    return numbers;
  }

  const Lane plain{.id = 1};
  const Lane other{.id = 2, .type = "other"};
  const Lane urgent{.id = 3, .priority = 1};
  const Lane fair{.id = 4, .fair = true};
  const Lane urgent_fair{.id = 5, .priority = 1, .fair = true};

 private:
  std::deque<TaskRecord> tasks_;
  std::vector<const TaskRecord*> added_;
};

TEST_F(ClaimOrder, IsEmptyWithoutTasks) { EXPECT_TRUE(order().empty()); }

TEST_F(ClaimOrder, IsByAgeAcrossLanesWithoutFairness) {
  add(plain, 1, 30);
  add(other, 2, 20);
  add(plain, 3, 20);
  EXPECT_EQ(order(), (std::vector<int>{2, 3, 1}));
}

TEST_F(ClaimOrder, IsByTurnInAFairLane) {
  add(fair, 1, 30);
  add(fair, 2, 10);
  add(fair, 3, 30);
  EXPECT_EQ(order(), (std::vector<int>{2, 1, 3}));
}

TEST_F(ClaimOrder, IsByPriorityFirst) {
  add(fair, 1, 0);
  add(plain, 2, 0);
  add(urgent_fair, 3, 9);
  add(urgent, 4, 9);
  const std::vector<int> numbers = order();
  EXPECT_EQ(std::set<int>(numbers.begin(), numbers.begin() + 2), (std::set<int>{3, 4}));
}

TEST_F(ClaimOrder, AlternatesBetweenTasksWithAndWithoutKeys) {
  for (std::uint8_t i = 0; i < 10; ++i) {
    add(plain, i, i);
    if (i < 3) add(fair, static_cast<std::uint8_t>(100 + i), i);
  }
  const std::vector<int> numbers = order();
  ASSERT_EQ(numbers.size(), 13U);
  EXPECT_EQ(std::count_if(numbers.begin(), numbers.begin() + 6, [](int number) { return number >= 100; }), 3);
}

TEST_F(ClaimOrder, LetsEitherSideBeFirst) {
  int fair_first = 0;
  for (int round = 0; round < 200; ++round) {
    std::array<TaskRecord, 2> tasks;
    tasks[0].lane = &plain;
    tasks[1].lane = &fair;
    tasks[0].id.bytes[14] = static_cast<std::uint8_t>(round);
    tasks[1].id.bytes[15] = 1;
    const std::vector<const TaskRecord*> both{&tasks[0], &tasks[1]};
    fair_first += claim_order(both).front() == 1 ? 1 : 0;
  }
  EXPECT_GT(fair_first, 60);
  EXPECT_LT(fair_first, 140);
}

}  // namespace
}  // namespace pawl::core
