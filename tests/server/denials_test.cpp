// Denials are recorded in the audit; a flood of them is recorded as a count.
#include "server/denials.hpp"

#include <gtest/gtest.h>

#include "tests/server/auth_fixture.hpp"

namespace pawl::testing {
namespace {

using server::Denials;

// The test controls the time and reads the entries.
class DenialsOfCallers : public ::testing::Test {
 protected:
  [[nodiscard]] static core::AuditEntry anonymous(const std::string& object = "GET /v1/{ns}/tasks") {
    return {.ns = "default", .action = "denied", .object = object, .outcome = "unauthorized"};
  }
  [[nodiscard]] static core::AuditEntry of_token(const std::string& token, const std::string& ns) {
    return {.ns = ns, .actor = token, .action = "denied", .object = "GET", .outcome = "forbidden"};
  }
  void pass(core::Duration time) {
    clock.advance(time);
    for (const auto& work : std::exchange(put_off, {})) work();
  }

  ManualClock clock;
  std::vector<std::function<void()>> put_off;
  std::vector<core::AuditEntry> written;  // the counted ones
  Denials denials{clock,
                  [this](core::Duration, std::function<void()> work) { put_off.push_back(std::move(work)); },
                  [this](std::vector<core::AuditEntry> entries) {
                    written.insert(written.end(), entries.begin(), entries.end());
                  },
                  {.interval = std::chrono::minutes{1}, .kinds = 5, .kinds_of_one_token = 2}};
};

TEST_F(DenialsOfCallers, AreAuditedOnceAndThenCountedByAddress) {
  const auto first = denials.note(anonymous(), "192.0.2.1");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->detail.text, R"({"address":"192.0.2.1"})");
  for (int i = 0; i < 7'000; ++i) EXPECT_FALSE(denials.note(anonymous("GET /metrics"), "192.0.2.1"));
  EXPECT_TRUE(denials.note(anonymous(), "192.0.2.2")) << "another address";
  EXPECT_EQ(put_off.size(), 1U) << "one timer for all";
  pass(std::chrono::minutes{1});
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].detail.text, R"({"address":"192.0.2.1","count":7000,"within":"60s"})");
  EXPECT_EQ(written[0].object, "GET /metrics") << "that of the last";
  EXPECT_EQ(written[0].outcome, "unauthorized");
}

TEST_F(DenialsOfCallers, HaveOneEntryPerIntervalWhileTheyContinue) {
  ASSERT_TRUE(denials.note(anonymous(), "192.0.2.1"));
  for (std::size_t minute = 1; minute <= 5; ++minute) {
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(denials.note(anonymous(), "192.0.2.1"));
    pass(std::chrono::minutes{1});
    EXPECT_EQ(written.size(), minute);
  }
  pass(std::chrono::minutes{1});
  EXPECT_EQ(written.size(), 5U);
  EXPECT_TRUE(put_off.empty()) << "nothing is counted any more";
  EXPECT_TRUE(denials.note(anonymous(), "192.0.2.1")) << "and the next is the first again";
}

TEST_F(DenialsOfCallers, OfManyAddressesAreCountedTogether) {
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(denials.note(anonymous(), "192.0.2." + std::to_string(i))) << i;
  EXPECT_TRUE(denials.note(anonymous(), "198.51.100.0"));
  for (int i = 1; i < 1'000; ++i)
    EXPECT_FALSE(denials.note(anonymous(), "198.51.100." + std::to_string(i))) << i;
  pass(std::chrono::minutes{1});
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].detail.text, R"({"count":999,"within":"60s"})");
}

TEST_F(DenialsOfCallers, OfATokenAreLimitedAndLeaveRoomForOthers) {
  for (int i = 0; i < 100; ++i)
    (void)denials.note(of_token("mallory", "ns" + std::to_string(i)), "192.0.2.1");
  EXPECT_TRUE(denials.note(of_token("alice", "default"), "192.0.2.2"));
  pass(std::chrono::minutes{1});
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].actor, "mallory");
  EXPECT_EQ(written[0].detail.text, R"({"address":"192.0.2.1","count":97,"within":"60s"})");
}

TEST_F(DenialsOfCallers, AreAuditedWhenTheServerStops) {
  ASSERT_TRUE(denials.note(anonymous(), "192.0.2.1"));
  denials.flush();
  EXPECT_TRUE(written.empty()) << "the first is not counted";
  EXPECT_FALSE(denials.note(anonymous(), "192.0.2.1"));
  denials.flush();
  ASSERT_EQ(written.size(), 1U);
  denials.flush();
  EXPECT_EQ(written.size(), 1U);
}

TEST_F(Auth, CountsTheDeniedCallsOfOneAddress) {
  const std::string admin = token_in(make("admin", "*", ""));
  RawClient client{front.port()};
  for (int i = 0; i < 500; ++i) {
    client.send(get("/v1/default/tasks"));
    ASSERT_EQ(status_of(client.receive()), 401) << i;
  }
  const auto audit = runtime.api().list_audit({});
  ASSERT_TRUE(audit.ok());
  ASSERT_EQ(audit->items.size(), 2U) << "the token, and the first that was denied";
  EXPECT_EQ(audit->items[0].action, "denied");
  EXPECT_EQ(audit->items[0].detail.text, R"({"address":"127.0.0.1"})");
}

}  // namespace
}  // namespace pawl::testing
