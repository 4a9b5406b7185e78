// The caller against a server that the test scripts connection by connection.
#include "client/http_caller.hpp"

#include <array>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/env.hpp"

namespace pawl::client {
namespace {

std::string response(int status, const std::string& body, const std::string& header = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + header + "\r\n" + body;
}

// One entry a connection: the answers it gives before it closes.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<std::vector<std::string>> script) : script_(std::move(script)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread{[this] { serve(); }};
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;
  ~ScriptedServer() {
    if (thread_.joinable()) thread_.join();
    close(listener_);
  }

  [[nodiscard]] HttpTarget target() const {
    return {.address = {.host = "127.0.0.1", .port = std::to_string(port_)},
            .timeout = std::chrono::seconds{10}};
  }
  // After all connections have ended.
  const std::vector<std::string>& requests() {
    if (thread_.joinable()) thread_.join();
    return requests_;
  }

 private:
  static std::string read_request(int connection) {
    std::string text;
    std::array<char, 4096> buffer{};
    while (!is_whole(text)) {
      const auto count = recv(connection, buffer.data(), buffer.size(), 0);
      if (count <= 0) return "";
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

  static bool is_whole(const std::string& text) {
    const auto end = text.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    const auto at = text.find("Content-Length: ");
    const std::size_t body = at == std::string::npos ? 0 : std::stoul(text.substr(at + 16));
    return text.size() >= end + 4 + body;
  }

  void serve() {
    for (const auto& answers : script_) {
      const int connection = accept(listener_, nullptr, nullptr);
      for (const auto& answer : answers) {
        const auto request = read_request(connection);
        if (request.empty()) break;
        requests_.push_back(request);
        send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
      }
      close(connection);
    }
  }

  std::vector<std::vector<std::string>> script_;
  std::vector<std::string> requests_;
  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
};

class Calls : public ::testing::Test {
 protected:
  testing::SeededRandom random_{1};
};

TEST_F(Calls, KeepTheirConnectionAndDecodeAnswers) {
  ScriptedServer server{{{response(200, "{\"a\":1}", "X-One: 1\r\n"), response(201, "")}}};
  auto target = server.target();
  target.token = "secret";
  {
    HttpCaller caller{target, random_};
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

TEST_F(Calls, GiveTheProblemOfARefusal) {
  ScriptedServer server{
      {{response(409, R"({"code":"stale_lease","detail":"too late","errors":[{"field":"f","message":"m"}]})"),
        response(502, "<html>")}}};
  HttpCaller caller{server.target(), random_};
  EXPECT_EQ(
      caller.call({.path = "/"}).problem(),
      (core::Problem{.code = core::ProblemCode::stale_lease, .detail = "too late", .errors = {{"f", "m"}}}));
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::internal);
}

TEST_F(Calls, OnAKeptConnectionThatDiedAreSentAgainWithTheSameKey) {
  ScriptedServer server{{{response(200, "1")}, {response(200, "2")}}};
  {
    HttpCaller caller{server.target(), random_};
    ASSERT_TRUE(caller.call({.path = "/"}).ok());
    const auto second = caller.call({.method = "POST", .path = "/again", .body = "{}"});
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(second->body, "2");
  }
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST_F(Calls, OnANewConnectionThatDiesAreNotSentAgain) {
  ScriptedServer server{{{""}}};
  HttpCaller caller{server.target(), random_};
  EXPECT_EQ(caller.call({.method = "POST", .path = "/", .body = "{}"}).problem().code,
            core::ProblemCode::unavailable);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(Calls, WithNobodyThereAreUnavailable) {
  HttpCaller caller{{.address = {.host = "127.0.0.1", .port = "1"}}, random_};
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::unavailable);
}

TEST_F(Calls, RefuseALargerAnswerThanTheyMayHave) {
  ScriptedServer server{{{response(200, std::string(100, 'x'))}}};
  auto target = server.target();
  target.body_max = 99;
  HttpCaller caller{target, random_};
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::payload_too_large);
}

TEST_F(Calls, ToPrivateAddressesAreRefusedWhereAsked) {
  HttpCaller caller{{.address = {.host = "192.168.255.254", .port = "80"}, .refuse_private = true}, random_};
  EXPECT_EQ(caller.call({.path = "/"}).problem().code, core::ProblemCode::forbidden);
}

TEST_F(Calls, EndWhenTheyAreCancelled) {
  HttpCaller caller{{.address = {.host = "127.0.0.1", .port = "1"}}, random_};
  caller.cancel();
  EXPECT_EQ(caller.call({.path = "/"}).problem().detail, "the call was cancelled");
}

}  // namespace
}  // namespace pawl::client
