// HttpCaller against a server whose connections the test scripts one by one.
#include "client/http_caller.hpp"

#include <gtest/gtest.h>

#include "tests/support/env.hpp"
#include "tests/support/scripted_server.hpp"

namespace pawl::client {
namespace {

using testing::response;
using testing::ScriptedServer;

HttpTarget target_of(const ScriptedServer& server) {
  return {.address = {.host = "127.0.0.1", .port = server.port()}, .timeout = std::chrono::seconds{10}};
}

class Calls : public ::testing::Test {
 protected:
  testing::SeededRandom random{1};
};

TEST_F(Calls, ReuseTheConnectionAndDecodeResponses) {
  ScriptedServer server{{{response(200, "{\"a\":1}", "X-One: 1\r\n"), response(201, "")}}};
  auto target = target_of(server);
  target.token = "secret";
  {
    HttpCaller caller{target, random};
    const auto first = caller.call({.path = "/x?y=1"});
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first->body, "{\"a\":1}");
    EXPECT_EQ(first->headers.at("x-one"), "1");
    EXPECT_EQ(caller.call({.method = "POST", .path = "/p", .body = "{}"})->status, 201);
  }
  EXPECT_TRUE(server.requests()[0].starts_with("GET /x?y=1 HTTP/1.1\r\n"));
  EXPECT_NE(server.requests()[0].find("Authorization: Bearer secret\r\n"), std::string::npos);
  EXPECT_NE(server.requests()[1].find("idempotency-key: "), std::string::npos);
}

TEST_F(Calls, ReturnTheProblemOfAnErrorResponse) {
  ScriptedServer server{
      {{response(409, R"({"code":"stale_lease","detail":"too late","errors":[{"field":"f","message":"m"}]})"),
        response(502, "<html>")}}};
  HttpCaller caller{target_of(server), random};
  EXPECT_EQ(
      caller.call({.path = "/"}).problem(),
      (core::Problem{.code = core::ProblemCode::stale_lease, .detail = "too late", .errors = {{"f", "m"}}}));
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::internal);
}

TEST_F(Calls, AreResentWithTheSameKeyWhenAReusedConnectionDies) {
  ScriptedServer server{{{response(200, "1")}, {response(200, "2")}}};
  {
    HttpCaller caller{target_of(server), random};
    ASSERT_TRUE(caller.call({.path = "/"}).ok());
    const auto second = caller.call({.method = "POST", .path = "/again", .body = "{}"});
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(second->body, "2");
  }
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST_F(Calls, AreNotResentWhenANewConnectionDies) {
  ScriptedServer server{{{""}}};
  HttpCaller caller{target_of(server), random};
  EXPECT_EQ(caller.call({.method = "POST", .path = "/", .body = "{}"}).problem().code,
            core::ProblemCode::unavailable);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(Calls, FailAsUnavailableWithoutAServer) {
  HttpCaller caller{{.address = {.host = "127.0.0.1", .port = "1"}}, random};
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::unavailable);
}

TEST_F(Calls, RejectAResponseAboveTheSizeLimit) {
  ScriptedServer server{{{response(200, std::string(100, 'x'))}}};
  auto target = target_of(server);
  target.body_max = 99;
  HttpCaller caller{target, random};
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::payload_too_large);
}

TEST_F(Calls, MaySetTheirOwnResponseSizeLimit) {
  ScriptedServer server{{{response(200, std::string(100, 'x'))}}};
  HttpCaller caller{target_of(server), random};
  EXPECT_EQ(caller.call({.path = "/", .body_max = 99}).problem().code, core::ProblemCode::payload_too_large);
}

TEST_F(Calls, HaveADefaultResponseSizeLimit) {
  ScriptedServer server{
      {{"HTTP/1.1 200 X\r\nContent-Length: " + std::to_string(kAnswerBytesMax + 1) + "\r\n\r\n"}}};
  HttpCaller caller{target_of(server), random};
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::payload_too_large);
}

TEST_F(Calls, RejectEndlessResponseHeaders) {
  std::string endless = "HTTP/1.1 200 X\r\n";
  for (int i = 0; i < 20'000; ++i) endless += "X-" + std::to_string(i) + ": a field of no use\r\n";
  const std::string chunk =
      "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(500'000, 'x');
  ScriptedServer server{{{endless}, {chunk}}};
  HttpCaller caller{target_of(server), random};
  for (const char* what : {"fields", "an extension of a chunk"}) {
    const auto ended = caller.call({.path = "/"});
    ASSERT_FALSE(ended.ok()) << what;
    EXPECT_NE(ended.problem().detail.find("sent an invalid HTTP response"), std::string::npos)
        << what << ": " << ended.problem().detail;
  }
}

TEST_F(Calls, AreNotSentIfAHeaderOrPathContainsLineBreaks) {
  const std::string split = "k\r\nContent-Length: 0\r\n\r\nDELETE /x HTTP/1.1\r\nHost: h\r\nX: ";
  HttpCaller caller{{.address = {.host = "127.0.0.1", .port = "1"}}, random};  // no server listens there
  const auto refusal = [&](HttpRequest request) { return caller.call(std::move(request)).problem(); };
  for (const std::string& value :
       {split, std::string{"a\nb"}, std::string{"a\rb"}, std::string{"a\0b", 3}, std::string{"a\x7f"}}) {
    const auto problem = refusal({.method = "POST", .path = "/", .headers = {{"idempotency-key", value}}});
    EXPECT_EQ(problem.code, core::ProblemCode::invalid_argument) << problem.detail;
    EXPECT_TRUE(problem.detail.starts_with("idempotency-key: \"")) << problem.detail;
    EXPECT_EQ(refusal({.path = "/" + value}).code, core::ProblemCode::invalid_argument);
    EXPECT_EQ(refusal({.path = "/", .headers = {{"x-" + value, "1"}}}).code,
              core::ProblemCode::invalid_argument);
    EXPECT_EQ(refusal({.method = value, .path = "/"}).code, core::ProblemCode::invalid_argument);
  }
  EXPECT_EQ(refusal({.path = "/a b"}).code, core::ProblemCode::invalid_argument);
  EXPECT_EQ(refusal({.path = "/", .headers = {{"idempotency-key", "größer\t1"}}}).code,
            core::ProblemCode::unavailable)
      << "any other text is sent";
  HttpCaller with_token{{.address = {.host = "127.0.0.1", .port = "1"}, .token = split}, random};
  const auto problem = with_token.call({.path = "/"}).problem();
  EXPECT_EQ(problem.code, core::ProblemCode::invalid_argument);
  EXPECT_EQ(problem.detail.find("DELETE"), std::string::npos) << "a token is not shown: " << problem.detail;
}

TEST_F(Calls, ToPrivateAddressesAreRejectedIfConfigured) {
  HttpCaller caller{{.address = {.host = "192.168.255.254", .port = "80"}, .refuse_private = true}, random};
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::forbidden);
}

TEST_F(Calls, TimeOutWithoutAResponse) {
  ScriptedServer silent{{}};  // accepts connections and never answers
  auto target = target_of(silent);
  target.timeout = std::chrono::milliseconds{50};
  HttpCaller caller{target, random};
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::timeout);
}

TEST_F(Calls, HaveOneDeadlineForAllTheirConnections) {
  constexpr std::chrono::milliseconds kTimeout{200};
  // The second call is on a kept connection, which the server closes without an answer; the caller connects
  // again. Neither pause alone is too long.
  ScriptedServer server{{{response(200, "1"), ""}, {response(200, "2")}}, kTimeout * 3 / 5};
  HttpCaller caller{target_of(server), random};
  ASSERT_TRUE(caller.call({.path = "/"}).ok());
  const auto second = caller.call({.path = "/", .timeout = kTimeout});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.problem().code, core::ProblemCode::timeout) << second.problem().detail;
}

TEST_F(Calls, EndWhenCancelledWhileWaitingForTheResponse) {
  ScriptedServer silent{{}};
  HttpCaller caller{target_of(silent), random};
  std::thread other{[&] { caller.cancel(); }};
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::unavailable);
  other.join();
}

TEST_F(Calls, ReadChunkedAndConnectionTerminatedResponses) {
  ScriptedServer server{
      {{"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
        "HTTP/1.1 200 X\r\n\r\nall of it"},
       {"HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nhalf"}}};
  HttpCaller caller{target_of(server), random};
  EXPECT_EQ(caller.call({.path = "/"})->body, "abc");
  EXPECT_EQ(caller.call({.path = "/"})->body, "all of it");
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::unavailable);
}

TEST_F(Calls, EndWhenTheyAreCancelled) {
  HttpCaller caller{{.address = {.host = "127.0.0.1", .port = "1"}}, random};
  caller.cancel();
  EXPECT_EQ(caller.call({.path = "/"}).problem().detail, "the call was cancelled");
}

}  // namespace
}  // namespace pawl::client
