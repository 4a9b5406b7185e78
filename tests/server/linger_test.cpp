// Responses that the server sends before the end of the request: they also reach clients that send the whole
// request first, and no client can hold a connection open by sending more.
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/server/fixture.hpp"

namespace pawl::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr std::size_t kMuch = 32U << 20U;  // more than the sockets in between hold
constexpr std::size_t kEndless = 512U << 20U;

class Lingering : public ServerTest {
 protected:
  explicit Lingering(const server::HttpLimits& limits = {}) : ServerTest({.limits = limits}) {}

  // Sends the whole request, and only then reads the response.
  [[nodiscard]] std::string ask(const std::string& request) const {
    RawClient client{front.port()};
    EXPECT_TRUE(client.send(request)) << "it was not let to send all of it";
    std::string answer = client.receive();
    EXPECT_EQ(field_of(answer, "Connection"), "close");
    EXPECT_TRUE(client.is_closed());
    return answer;
  }

  static std::string chunk() { return "10000\r\n" + std::string(0x10000, 'x') + "\r\n"; }
  static std::string chunked_head() {
    return "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  }
  // Sends until the server cuts it off. Returns the number of bytes.
  static std::size_t send_endlessly(const RawClient& client) {
    const std::string more = chunk();
    std::size_t sent = 0;
    client.send(chunked_head());
    while (sent < kEndless && client.send(more)) sent += more.size();
    return sent;
  }
  // The client is refused, and keeps the connection open.
  static void be_refused(RawClient& client) {
    client.send("POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n{");
    EXPECT_EQ(status_of(client.receive()), 413);
    EXPECT_TRUE(client.is_closed());
  }
  void wait_until_all_are_closed() {
    while (front.metrics().connections() > 0) std::this_thread::yield();
  }
};

TEST_F(Lingering, LetsTheRejectionOfALargeBodyBeRead) {
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", std::string(kMuch, 'x')))), 413);
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks/batch", std::string(kMuch, 'x')))), 413);
}

TEST_F(Lingering, LetsTheRejectionOfALargeChunkedBodyBeRead) {
  std::string request = chunked_head();
  while (request.size() < kMuch) request += chunk();
  EXPECT_EQ(status_of(ask(request + "0\r\n\r\n")), 413);
}

TEST_F(Lingering, LetsEveryOtherRejectionBeRead) {
  const std::string body(kMuch, 'x');
  EXPECT_EQ(status_of(ask(post("/v1/default/nothing", body))), 404);
  EXPECT_EQ(status_of(ask(post("/healthz", body))), 405);
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", body, "Origin: http://evil.example\r\n"))), 403);
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", body, "Content-Encoding: gzip\r\n"))), 415);
}

TEST_F(Lingering, ReportsAMissingTokenBeforeALargeBody) {
  RawClient first{front.port()};
  first.send(post("/v1/admin/tokens", R"({"role":"admin","namespaces":["*"]})"));
  ASSERT_EQ(status_of(first.receive()), 201);
  EXPECT_EQ(status_of(ask(post("/v1/default/tasks", std::string(kMuch, 'x')))), 401);
}

TEST_F(Lingering, SendsNo100ContinueForATooLargeBody) {
  RawClient client{front.port()};
  client.send(
      "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(status_of(client.receive()), 413);
}

TEST_F(Lingering, AddsTheRequestIdToEveryRejection) {
  const std::string large(5U << 20U, 'x');
  for (const std::string& request :
       {post("/v1/default/tasks", large), chunked_head() + "zzz\r\n", std::string{"GARBAGE\r\n\r\n"},
        get("/" + std::string(9'000, 'a')), post("/v1/default/nothing", large)}) {
    const std::string answer = ask(request);
    const auto problem = nlohmann::json::parse(body_of(answer));
    EXPECT_NE(problem["request_id"], "") << answer;
    EXPECT_EQ(problem["request_id"], field_of(answer, "X-Request-Id")) << answer;
  }
}

TEST_F(Lingering, AddsTheCallersRequestIdToTheRejectionOfALargeBody) {
  const std::string large(5U << 20U, 'x');
  const std::string answer = ask(post("/v1/default/tasks", large, "X-Request-Id: mine\r\n"));
  EXPECT_EQ(field_of(answer, "X-Request-Id"), "mine");
  EXPECT_EQ(nlohmann::json::parse(body_of(answer))["request_id"], "mine");
}

class LingeringForLong : public Lingering {
 protected:
  LingeringForLong() : Lingering({.linger = {.bytes_max = 1U << 20U, .timeout = hours{1}}}) {}
};

TEST_F(LingeringForLong, EndsAfterALimitedNumberOfBytes) {
  const RawClient client{front.port()};
  EXPECT_LT(send_endlessly(client), 64U << 20U);
  wait_until_all_are_closed();
}

TEST_F(LingeringForLong, EndsWhenTheClientCloses) {
  RawClient client{front.port()};
  be_refused(client);
  client.close();
  wait_until_all_are_closed();
}

TEST_F(LingeringForLong, EndsWhenTheServerStops) {
  RawClient client{front.port()};
  be_refused(client);
  front.http().stop_accepting();
  wait_until_all_are_closed();
}

TEST_F(LingeringForLong, DoesNotStartWhenTheServerStops) {
  RawClient client{front.port()};
  client.send("POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n{");
  EXPECT_EQ(status_of(client.receive()), 413);  // the end of the connection follows a little later
  front.http().stop_accepting();
  wait_until_all_are_closed();
}

class LingeringForMuch : public Lingering {
 protected:
  LingeringForMuch()
      : Lingering({.linger = {.bytes_max = std::size_t{1} << 40U, .timeout = milliseconds{200}}}) {}
};

TEST_F(LingeringForMuch, TimesOutForASilentClient) {
  RawClient client{front.port()};
  be_refused(client);
  wait_until_all_are_closed();
}

TEST_F(LingeringForMuch, TimesOutForAClientThatKeepsSending) {
  const RawClient client{front.port()};
  const std::string more = chunk();
  client.send(chunked_head());
  while (client.send(more)) {
  }
  wait_until_all_are_closed();
}

class Farewells : public Lingering {
 protected:
  Farewells()
      : Lingering({.connections_max = 1,
                   .farewell = {.bytes_max = server::HttpLimits{}.farewell.bytes_max, .timeout = hours{1}},
                   .farewells_max = 1}) {
    served.send(get("/v1/default/queues"));
    EXPECT_EQ(status_of(served.receive()), 200);
  }

  RawClient served{front.port()};
};

TEST_F(Farewells, ReachAClientThatSendsItsRequestFirst) {
  const std::string answer = ask(post("/v1/default/tasks", std::string(500'000, 'x')));
  EXPECT_EQ(status_of(answer), 429);
  EXPECT_EQ(field_of(answer, "Retry-After"), "1");
  const auto problem = nlohmann::json::parse(body_of(answer));
  EXPECT_EQ(problem["code"], "resource_exhausted");
  EXPECT_EQ(problem["request_id"], field_of(answer, "X-Request-Id"));
}

TEST_F(Farewells, AreLimitedAndDoNotCountAsConnections) {
  RawClient rejected{front.port()};
  EXPECT_EQ(status_of(rejected.receive()), 429);
  EXPECT_EQ(front.metrics().connections(), 1);
  RawClient closed{front.port()};
  EXPECT_EQ(closed.receive(), "");
  rejected.close();
  std::string answer;
  while (answer.empty()) answer = RawClient{front.port()}.receive();  // until the server sees the close
  EXPECT_EQ(status_of(answer), 429);
}

TEST_F(Farewells, EndAfterALimitedNumberOfBytes) {
  const RawClient client{front.port()};
  EXPECT_LT(send_endlessly(client), 64U << 20U);
}

}  // namespace
}  // namespace pawl::testing
