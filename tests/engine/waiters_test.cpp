// The data structure of waiting claims: which claims a wake-up takes, and in which order.

#include "engine/waiters.hpp"

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::engine {
namespace {

using namespace std::chrono_literals;

struct WaitersTest : ::testing::Test {
  core::Lane mail{.id = 1, .ns = "default", .queue = "mail", .type = "send"};
  core::Lane work{.id = 2, .ns = "default", .queue = "work", .type = "job"};
  Waiters waiters{3};
  std::vector<core::Result<core::Answer>> answers;

  WaitingClaim claim_of(std::vector<std::string> queues, std::vector<std::string> types = {}, int max = 1) {
    return {.claim = {.worker_id = "w", .queues = std::move(queues), .types = std::move(types), .max = max},
            .reply = [this](core::Result<core::Answer> answer) { answers.push_back(std::move(answer)); },
            .until = core::MonotonicTime{10s}};
  }
  bool park(WaitingClaim claim, std::optional<std::uint64_t> seen = {}) {
    return waiters.park(claim, seen.value_or(waiters.wakes()));
  }
  std::vector<WaitingClaim> take_for(const core::Lane& lane, std::int64_t count) {
    const Wake wake{.lane = &lane, .count = count};
    return waiters.take_for({&wake, 1});
  }
};

TEST_F(WaitersTest, WakeOldestFirstUntilAllTasksAreAssigned) {
  park(claim_of({"mail"}, {}, 2));
  park(claim_of({"mail"}, {"send"}, 2));
  park(claim_of({"mail"}));
  const auto taken = take_for(mail, 3);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_LT(taken[0].place, taken[1].place);
  EXPECT_EQ(waiters.size(), 1U);
}

TEST_F(WaitersTest, OfOtherQueuesAndTypesKeepWaiting) {
  park(claim_of({"mail"}, {"other"}));
  park(claim_of({"work"}));
  EXPECT_TRUE(take_for(mail, 5).empty());
  EXPECT_EQ(take_for(work, 5).size(), 1U);
}

TEST_F(WaitersTest, WithADuplicateQueueAreWokenOnce) {
  park(claim_of({"mail", "mail", "work"}, {"send", "send"}));
  EXPECT_EQ(take_for(mail, 5).size(), 1U);
  EXPECT_TRUE(take_for(work, 5).empty());
  EXPECT_EQ(waiters.size(), 0U);
  EXPECT_EQ(waiters.next_end(), std::nullopt);
}

TEST_F(WaitersTest, PollAgainAfterAMissedWakeUp) {
  const std::uint64_t seen = waiters.wakes();
  (void)take_for(mail, 1);
  EXPECT_FALSE(park(claim_of({"mail"}), seen));
  EXPECT_FALSE(park(claim_of({"work", "mail"}), seen));
  EXPECT_TRUE(park(claim_of({"work"}), seen)) << "a wake-up of another queue is none of its business";
  EXPECT_TRUE(park(claim_of({"mail"}), waiters.wakes()));
}

TEST_F(WaitersTest, BeyondTheLimitAreRejectedImmediately) {
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(park(claim_of({"mail"})));
  EXPECT_EQ(waiters.size(), 3U);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].problem().code, core::ProblemCode::resource_exhausted);
}

TEST_F(WaitersTest, KeepTheirPlaceWhenParkedAgain) {
  park(claim_of({"mail"}));
  park(claim_of({"mail"}));
  auto taken = take_for(mail, 1);
  const std::uint64_t place = taken.at(0).place;
  EXPECT_TRUE(waiters.park(taken[0], waiters.wakes()));
  EXPECT_EQ(take_for(mail, 1).at(0).place, place);
}

TEST_F(WaitersTest, ParkedAgainAreAcceptedAboveTheLimit) {
  for (int i = 0; i < 3; ++i) park(claim_of({"mail"}));
  auto taken = take_for(mail, 1);
  EXPECT_TRUE(park(claim_of({"work"})));
  EXPECT_TRUE(waiters.park(taken.at(0), waiters.wakes()));
  EXPECT_TRUE(answers.empty());
  EXPECT_EQ(waiters.size(), 4U);
}

TEST_F(WaitersTest, EndAtTheirTimeout) {
  WaitingClaim soon = claim_of({"mail"});
  soon.until = core::MonotonicTime{1s};
  park(claim_of({"mail"}));
  park(std::move(soon));
  EXPECT_EQ(waiters.next_end(), core::MonotonicTime{1s});
  EXPECT_TRUE(waiters.take_expired(core::MonotonicTime{1s} - 1us).empty());
  EXPECT_EQ(waiters.take_expired(core::MonotonicTime{1s}).size(), 1U);
  EXPECT_EQ(waiters.next_end(), core::MonotonicTime{10s});
  EXPECT_EQ(waiters.take_all().size(), 1U);
}

TEST_F(WaitersTest, OfAQueueAreWokenAllOrOnlyTheLimitedOnes) {
  WaitingClaim limited = claim_of({"mail"});
  limited.limited = true;
  park(claim_of({"mail", "work"}));
  EXPECT_FALSE(waiters.has_limited());
  park(std::move(limited));
  EXPECT_TRUE(waiters.has_limited());
  EXPECT_EQ(waiters.take_of_queue({"default", "mail"}, true, 5).size(), 1U);
  EXPECT_FALSE(waiters.has_limited());
  EXPECT_TRUE(waiters.take_of_queue({"other", "mail"}, false, 5).empty());
  EXPECT_EQ(waiters.take_of_queue({"default", "work"}, false, 5).size(), 1U);
}

TEST_F(WaitersTest, OfOneKindWakeTheirOldest) {
  park(claim_of({"mail"}));
  park(claim_of({"mail"}));
  park(claim_of({"mail"}, {"send"}));
  EXPECT_EQ(waiters.take_oldest_of_each_kind(false).size(), 2U);
  EXPECT_EQ(waiters.size(), 1U);
  EXPECT_TRUE(waiters.take_oldest_of_each_kind(true).empty());
}

}  // namespace
}  // namespace pawl::engine
