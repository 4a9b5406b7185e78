// The HTTP transport: strict parsing, limits, and the order of responses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/runtime/fixture.hpp"
#include "tests/server/fixture.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

class Http : public ServerTest {
 protected:
  Http() : ServerTest({.limits = limits()}) {}

  static server::HttpLimits limits() {
    server::HttpLimits limits;
    limits.header_timeout = milliseconds{300};
    limits.body_timeout = milliseconds{300};
    limits.idle_timeout = milliseconds{400};
    limits.connections_max = 40;
    limits.requests_per_connection_max = 20;
    return limits;
  }

  std::string ask(const std::string& request) const {
    RawClient client{front.port()};
    client.send(request);
    return client.receive();
  }
};

TEST_F(Http, ReportsTheAddressThatItCannotListenOn) {
  server::Metrics counted;
  server::HttpServer taken{{.port = front.port()}, counted};
  const core::Status refused = taken.listen();
  EXPECT_EQ(refused.problem().code, core::ProblemCode::conflict);
  EXPECT_NE(refused.problem().detail.find(std::to_string(front.port())), std::string::npos);
  server::HttpServer nowhere{{.address = "300.1.1.1"}, counted};
  EXPECT_EQ(nowhere.listen().problem().code, core::ProblemCode::invalid_argument);
}

TEST_F(Http, KeepsAConnectionAndAnswersPipelinedRequestsInOrder) {
  RawClient client{front.port()};
  client.send(post("/v1/default/tasks", R"({"type":"a"})") + get("/healthz") + get("/nothing"));
  EXPECT_EQ(status_of(client.receive()), 201);
  EXPECT_EQ(status_of(client.receive()), 200);
  EXPECT_EQ(status_of(client.receive()), 404);
}

TEST_F(Http, AcceptsARequestInPieces) {
  RawClient client{front.port()};
  for (const char c : get("/healthz")) client.send({&c, 1});
  EXPECT_EQ(status_of(client.receive()), 200);
}

TEST_F(Http, AcceptsAChunkedBody) {
  const std::string body = R"({"type":"a"})";
  const std::string chunked = fmt::format(
      "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
      "chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
      body.size(), body);
  EXPECT_EQ(status_of(ask(chunked)), 201);
}

TEST_F(Http, Sends100ContinueOnRequest) {
  RawClient client{front.port()};
  client.send(
      "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send(R"({"type":"a"})");
  EXPECT_EQ(status_of(client.receive()), 201);
}

TEST_F(Http, ParsesALargeBodyOnAnotherThreadWithTheSameResult) {
  const std::string payload(300'000, 'x');  // larger than a network thread parses itself
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", R"({"type":"a","payload":")" + payload + "\"}"))), 201);
}

TEST_F(Http, RejectsInvalidHttpAndCloses) {
  for (const std::string& bad :
       {std::string{"GARBAGE\r\n\r\n"}, std::string{"GET /healthz HTTP/1.1\nHost: localhost\n\n"},
        std::string{"GET /metrics HTTP/1.1\r\n\r\n"},
        std::string{"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
        std::string{
            "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: "
            "chunked\r\n\r\n0\r\n\r\n"},
        std::string{
            "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: "
            "4\r\n\r\nabcd"},
        std::string{"GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n"}}) {
    RawClient client{front.port()};
    client.send(bad);
    EXPECT_EQ(status_of(client.receive()), 400) << bad;
    EXPECT_TRUE(client.is_closed()) << bad;
  }
}

TEST_F(Http, IsNotReadyWithTheReasonWhenWorkStalls) {
  auto stuck = behind();
  stuck.check_progress = [] {
    return core::Status{core::Problem{.code = core::ProblemCode::unavailable, .detail = "nothing moves"}};
  };
  const HttpFront other{stuck, clock, random};
  RawClient client{other.port()};
  client.send(get("/readyz"));
  const std::string answer = client.receive();
  EXPECT_EQ(status_of(answer), 503);
  EXPECT_NE(answer.find(R"("detail":"nothing moves")"), std::string::npos) << answer;
  EXPECT_EQ(status_of(ask(get("/readyz"))), 200);
}

TEST_F(Http, RejectsForeignHostsAndOrigins) {
  EXPECT_EQ(status_of(ask("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n")), 421);
  EXPECT_EQ(status_of(ask(get("/healthz", "Origin: http://evil.example\r\n"))), 403);
  EXPECT_EQ(status_of(ask(get("/healthz", "Origin: http://localhost\r\n"))), 200);
}

TEST_F(Http, MarksEveryResponseAsUncacheableData) {
  for (const std::string& request :
       {get("/v1/default/tasks"), get("/nothing"), get("/healthz"), get("/metrics"), get("/openapi.json"),
        post("/v1/default/tasks", R"({"type":"a"})"), post("/v1/default/tasks", "no JSON"),
        std::string{"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n"}, std::string{"no HTTP\r\n\r\n"}}) {
    const std::string answer = ask(request);
    EXPECT_NE(answer.find("\r\nX-Content-Type-Options: nosniff\r\n"), std::string::npos) << answer;
    EXPECT_NE(answer.find("\r\nCache-Control: no-store\r\n"), std::string::npos) << answer;
  }
}

TEST_F(Http, AnswersHeadLikeGetWithoutABody) {
  const auto head = [&](const std::string& path) {
    RawClient client{front.port()};
    client.send("HEAD " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    return client.receive_all();
  };
  for (const auto* path : {"/healthz", "/v1/default/queues", "/nothing"}) {
    const std::string answer = head(path);
    EXPECT_EQ(status_of(answer), status_of(ask(get(path)))) << path;
    EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
    EXPECT_EQ(answer.find("Content-Length: 0\r\n"), std::string::npos) << "it is that of GET";
  }
  EXPECT_EQ(status_of(head("/v1/default/workers/w/heartbeat")), 405);
}

TEST_F(Http, RejectsACompressedBody) {
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", "x", "Content-Encoding: gzip\r\n"))), 415);
}

TEST_F(Http, ListsTheAllowedMethods) {
  const std::string answer = ask("DELETE /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(status_of(answer), 405);
  EXPECT_NE(answer.find("Allow: POST, GET, HEAD\r\n"), std::string::npos) << answer;
}

TEST_F(Http, RejectsInvalidJsonAndStoresNothing) {
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", R"({"type":"a",})"))), 400);
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", std::string_view{"{\"type\":\"a\0\"}", 13}))), 400);
  EXPECT_TRUE(runtime.api().list_tasks({})->items.empty());
}

TEST_F(Http, ReleasesATaskWhoseClaimerDisconnected) {
  RawClient gone{front.port()};
  gone.send(post("/v1/default/tasks/claim", R"({"worker_id":"gone","wait":"30s"})"));
  while (runtime.engine().waiters().size() == 0) std::this_thread::yield();
  gone.close();
  ASSERT_TRUE(runtime.api().enqueue("default", {.type = "a"}).ok());
  const auto claimed = runtime.api().claim({.worker_id = "here", .wait = std::chrono::seconds{20}});
  ASSERT_EQ(claimed->size(), 1U);
  EXPECT_EQ(claimed->front().task.attempt, 1) << "the attempt of the one who was gone is not spent";
}

TEST_F(Http, EndsAWaitingClaimWhenItsCallerDisconnects) {
  const std::string claim = post("/v1/default/tasks/claim", R"({"worker_id":"gone","wait":"60s"})");
  for (const std::string& sent : {claim, claim + get("/healthz")}) {
    RawClient gone{front.port()};
    gone.send(sent);
    ASSERT_TRUE(eventually([&] { return runtime.engine().waiters().size() == 1; }));
    gone.close();
    ASSERT_TRUE(eventually([&] { return runtime.engine().waiters().size() == 0; }));
  }
  ASSERT_TRUE(runtime.api().enqueue("default", {.type = "a"}).ok());
  const auto claimed = runtime.api().claim({.worker_id = "here", .wait = std::chrono::seconds{20}});
  ASSERT_EQ(claimed->size(), 1U);
  EXPECT_EQ(claimed->front().task.lease->fence, 1) << "the one who was gone was never given it";
}

TEST_F(Http, LetsAClaimWaitBeforePipelinedRequests) {
  RawClient client{front.port()};
  client.send(post("/v1/default/tasks/claim", R"({"worker_id":"w","wait":"30s"})") + get("/healthz"));
  while (runtime.engine().waiters().size() == 0) std::this_thread::yield();
  ASSERT_TRUE(runtime.api().enqueue("default", {.type = "a"}).ok());
  const std::string claimed = client.receive();
  EXPECT_NE(claimed.find(R"("type":"a")"), std::string::npos) << claimed;
  EXPECT_NE(client.receive().find(R"("status":"ok")"), std::string::npos);
}

TEST_F(Http, KeepsTheConnectionAfterAWaitingClaim) {
  RawClient client{front.port()};
  for (int i = 0; i < 3; ++i) {
    client.send(post("/v1/default/tasks/claim", R"({"worker_id":"w","wait":"30s"})"));
    while (runtime.engine().waiters().size() == 0) std::this_thread::yield();
    ASSERT_TRUE(runtime.api().enqueue("default", {.type = "a"}).ok());
    EXPECT_EQ(status_of(client.receive()), 200);
    client.send(get("/healthz"));
    EXPECT_EQ(status_of(client.receive()), 200);
  }
}

TEST_F(Http, HoldsNoThreadForAWaitingClaim) {
  std::vector<std::unique_ptr<RawClient>> waiting;
  for (int i = 0; i < 30; ++i) {
    waiting.push_back(std::make_unique<RawClient>(front.port()));
    waiting.back()->send(post("/v1/default/tasks/claim", R"({"worker_id":"w","wait":"30s","max":1})"));
  }
  while (runtime.engine().waiters().size() < 30) std::this_thread::yield();
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", R"({"type":"a"})"))), 201);
  while (runtime.engine().waiters().size() != 29) std::this_thread::yield();
}

}  // namespace
}  // namespace pawl::testing
