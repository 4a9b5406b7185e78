// The range of priorities over HTTP.
#include <gtest/gtest.h>

#include "tests/server/json_fixture.hpp"

namespace pawl::testing {
namespace {

using Priorities = JsonServerTest;

TEST_F(Priorities, HaveThirtyTwoBits) {
  for (const std::int64_t priority : {-2'147'483'648LL, -32'769LL, 70'000LL, 2'147'483'647LL}) {
    const Got made = send("/tasks", {{"type", "t"}, {"priority", priority}});
    EXPECT_EQ(made.status, 201) << made.json;
    EXPECT_EQ(made.json["task"]["priority"], priority);
  }
  const Got claimed = send("/tasks/claim", {{"worker_id", "w"}, {"max", 10}});
  ASSERT_EQ(claimed.json["tasks"].size(), 4U);
  EXPECT_EQ(claimed.json["tasks"][0]["priority"], 2'147'483'647LL);
  EXPECT_EQ(claimed.json["tasks"][3]["priority"], -2'147'483'648LL);
}

TEST_F(Priorities, OutOfRangeAreRejectedWithTheValue) {
  for (const std::int64_t priority : {-2'147'483'649LL, 2'147'483'648LL}) {
    const Got refused = send("/tasks", {{"type", "t"}, {"priority", priority}});
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.json["errors"][0]["field"], "priority");
    EXPECT_EQ(refused.json["errors"][0]["message"],
              std::to_string(priority) + " is out of range (-2147483648 to 2147483647)");
  }
  EXPECT_EQ(send("/tasks", {{"type", "t"}, {"priority", 1.5}}).status, 400);
}

}  // namespace
}  // namespace pawl::testing
