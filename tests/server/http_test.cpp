// The transport: strict, within its limits, and in order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/server/fixture.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

class Http : public ServerTest {
 protected:
  Http() : ServerTest(limits()) {}

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

TEST_F(Http, SaysWhereItCannotListen) {
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

TEST_F(Http, TakesARequestThatComesInPieces) {
  RawClient client{front.port()};
  for (const char c : get("/healthz")) client.send({&c, 1});
  EXPECT_EQ(status_of(client.receive()), 200);
}

TEST_F(Http, TakesAChunkedBody) {
  const std::string body = R"({"type":"a"})";
  const std::string chunked = fmt::format(
      "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
      "chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
      body.size(), body);
  EXPECT_EQ(status_of(ask(chunked)), 201);
}

TEST_F(Http, RefusesWhatIsNotHttpAndCloses) {
  for (const std::string& bad :
       {std::string{"GARBAGE\r\n\r\n"}, std::string{"GET /healthz HTTP/1.1\nHost: localhost\n\n"},
        std::string{"GET /healthz HTTP/1.1\r\n\r\n"},
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

TEST_F(Http, TakesAddressesUpToTheirLimit) {
  const auto with_size = [](std::size_t size) { return get("/healthz?" + std::string(size - 9, 'a')); };
  EXPECT_EQ(status_of(ask(with_size(8191))), 200);
  EXPECT_EQ(status_of(ask(with_size(8192))), 200);
  EXPECT_EQ(status_of(ask(with_size(8193))), 414);
}

TEST_F(Http, TakesAFieldUpToItsLimit) {
  const auto with_size = [](std::size_t size) {
    return get("/healthz", "X-A: " + std::string(size - 3, 'a') + "\r\n");
  };
  EXPECT_EQ(status_of(ask(with_size(8191))), 200);
  EXPECT_EQ(status_of(ask(with_size(8192))), 200);
  EXPECT_EQ(status_of(ask(with_size(8193))), 431);
}

TEST_F(Http, TakesSoManyFieldsAndNoMore) {
  const auto with_fields = [](int count) {
    std::string fields;
    for (int i = 1; i < count; ++i) fields += fmt::format("X-{}: a\r\n", i);
    return get("/healthz", fields);
  };
  EXPECT_EQ(status_of(ask(with_fields(99))), 200);
  EXPECT_EQ(status_of(ask(with_fields(100))), 200);
  EXPECT_EQ(status_of(ask(with_fields(101))), 431);
}

TEST_F(Http, RefusesAHeaderThatIsTooLargeAltogether) {
  std::string fields;
  for (int i = 0; i < 8; ++i) fields += fmt::format("X-{}: {}\r\n", i, std::string(5000, 'a'));
  EXPECT_EQ(status_of(ask(get("/healthz", fields))), 431);
}

TEST_F(Http, TakesABodyUpToItsLimit) {
  const auto with_size = [](std::size_t size) {
    const std::string start = R"({"type":"a","labels":{"a":")";
    const std::string end = "\"}}";
    return post("/v1/default/tasks", start + std::string(size - start.size() - end.size(), 'x') + end);
  };
  constexpr std::size_t kMax = 4U << 20U;
  EXPECT_EQ(status_of(ask(with_size(kMax - 1))), 400);  // read whole; the label is what is too long
  EXPECT_EQ(status_of(ask(with_size(kMax))), 400);
  EXPECT_EQ(status_of(ask(with_size(kMax + 1))), 413);
}

TEST_F(Http, ClosesARequestThatTakesTooLong) {
  RawClient header{front.port()};
  header.send("GET /healthz HT");
  EXPECT_TRUE(header.is_closed());
  RawClient body{front.port()};
  body.send("POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_TRUE(body.is_closed());
}

TEST_F(Http, ClosesAConnectionThatIsIdleOrHasServedEnough) {
  RawClient idle{front.port()};
  EXPECT_TRUE(idle.is_closed());
  RawClient busy{front.port()};
  for (int i = 0; i < 20; ++i) {
    busy.send(get("/healthz"));
    EXPECT_EQ(status_of(busy.receive()), 200) << i;
  }
  EXPECT_TRUE(busy.is_closed());
}

TEST_F(Http, RefusesNamesAndPagesThatAreNotItsOwn) {
  EXPECT_EQ(status_of(ask("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n")), 403);
  EXPECT_EQ(status_of(ask(get("/healthz", "Origin: http://evil.example\r\n"))), 403);
  EXPECT_EQ(status_of(ask(get("/healthz", "Origin: http://localhost\r\n"))), 200);
}

TEST_F(Http, SaysWhichMethodsThereAre) {
  const std::string answer = ask("DELETE /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(status_of(answer), 405);
  EXPECT_NE(answer.find("Allow: POST, GET\r\n"), std::string::npos) << answer;
}

TEST_F(Http, RefusesJsonThatIsTooDeepOrNoneAndStoresNothing) {
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", std::string(65, '[') + std::string(65, ']')))), 400);
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", R"({"type":"a",})"))), 400);
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", std::string_view{"{\"type\":\"a\0\"}", 13}))), 400);
  EXPECT_TRUE(runtime.api().list_tasks({})->items.empty());
}

TEST_F(Http, GivesATaskBackThatNobodyWaitsForAnyMore) {
  RawClient gone{front.port()};
  gone.send(post("/v1/default/tasks/claim", R"({"worker_id":"gone","wait":"30s"})"));
  while (runtime.engine().waiters().size() == 0) std::this_thread::yield();
  gone.close();
  ASSERT_TRUE(runtime.api().enqueue("default", {.type = "a"}).ok());
  const auto claimed = runtime.api().claim({.worker_id = "here", .wait = std::chrono::seconds{20}});
  ASSERT_EQ(claimed->size(), 1U);
  EXPECT_EQ(claimed->front().task.attempt, 1) << "the attempt of the one who was gone is not spent";
}

TEST_F(Http, HoldsNoThreadForAClaimThatWaits) {
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
