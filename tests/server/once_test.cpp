// Idempotency-Key.
#include <gtest/gtest.h>

#include "tests/server/fixture.hpp"

namespace pawl::testing {
namespace {

class Once : public ServerTest {
 protected:
  std::string ask(const std::string& body, const std::string& key) const {
    RawClient client{front.port()};
    client.send(post("/v1/default/tasks", body, "Idempotency-Key: " + key + "\r\n"));
    return client.receive();
  }
  std::size_t tasks() { return runtime.api().list_tasks({})->items.size(); }
};

std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n")); }

TEST_F(Once, TheSameRequestGetsTheFirstAnswerAgain) {
  const std::string first = ask(R"({"type":"a"})", "k1");
  const std::string second = ask(R"({"type":"a"})", "k1");
  EXPECT_EQ(status_of(first), 201);
  EXPECT_EQ(status_of(second), 201);
  EXPECT_EQ(body_of(first), body_of(second));
  EXPECT_EQ(first.find("Idempotent-Replay"), std::string::npos);
  EXPECT_NE(second.find("Idempotent-Replay: true"), std::string::npos);
  EXPECT_EQ(tasks(), 1U);
}

TEST_F(Once, AnotherRequestIsRefused) {
  (void)ask(R"({"type":"a"})", "k1");
  EXPECT_EQ(status_of(ask(R"({"type":"b"})", "k1")), 422);
  EXPECT_EQ(tasks(), 1U);
}

TEST_F(Once, WhatWasRefusedMayBeTriedAgain) {
  EXPECT_EQ(status_of(ask(R"({"typ":"a"})", "k1")), 400);
  EXPECT_EQ(status_of(ask(R"({"type":"a"})", "k1")), 201);
  EXPECT_EQ(tasks(), 1U);
}

}  // namespace
}  // namespace pawl::testing
