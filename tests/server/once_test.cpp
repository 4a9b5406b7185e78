// Idempotency-Key.
#include <gtest/gtest.h>

#include "runtime/env.hpp"
#include "runtime/runtime.hpp"
#include "store/memory/memory_store.hpp"
#include "tests/over_http/http_front.hpp"
#include "tests/server/raw_client.hpp"

namespace pawl::testing {
namespace {

class Once : public ::testing::Test {
 protected:
  std::string ask(const std::string& body, const std::string& key) const {
    RawClient client{front.port()};
    client.send(post("/v1/default/tasks", body, "Idempotency-Key: " + key + "\r\n"));
    return client.receive();
  }
  std::size_t tasks() { return runtime.api().list_tasks({})->items.size(); }

  runtime::SystemClock clock;
  runtime::SystemRandom random;
  std::unique_ptr<store::Store> store = store::make_memory_store(clock);
  runtime::Runtime runtime{*store, clock, random};
  HttpFront front{
      {.api = runtime.local(),
       .submit = [this](core::Command command,
                        core::Reply reply) { runtime.submit(std::move(command), std::move(reply)); },
       .engine = runtime.engine(),
       .store = *store},
      clock,
      random};
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
