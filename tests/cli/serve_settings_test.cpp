// The effects of the server's settings on its clients.
#include <csignal>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "client/http_caller.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/env.hpp"

namespace pawl::testing {
namespace {

class ServeSettings : public ::testing::Test {
 protected:
  void start(const std::vector<std::string>& sets) {
    std::vector<std::string> arguments{"serve", "--listen", "127.0.0.1:0", "--store", "memory:"};
    for (const auto& set : sets) arguments.insert(arguments.end(), {"--set", set});
    server = std::make_unique<Program>(arguments);
    const std::string line = server->read_line();
    caller = std::make_unique<client::HttpCaller>(
        client::HttpTarget{.address = {.host = "127.0.0.1", .port = line.substr(line.rfind(':') + 1)}},
        random);
  }
  client::HttpAnswer post(const std::string& path, const std::string& body) const {
    const auto answer = caller->send({.method = "POST", .path = "/v1/default" + path, .body = body});
    EXPECT_TRUE(answer.ok());
    return answer ? *answer : client::HttpAnswer{};
  }

  SeededRandom random{1};
  std::unique_ptr<Program> server;
  std::unique_ptr<client::HttpCaller> caller;
};

TEST_F(ServeSettings, SetTheLeaseOfAClaim) {
  start({"lease.default=7m"});
  ASSERT_EQ(post("/tasks", R"({"type":"a"})").status, 201);
  const auto claimed = nlohmann::json::parse(post("/tasks/claim", R"({"worker_id":"w"})").body);
  const auto& lease = claimed["tasks"][0]["lease"];
  EXPECT_EQ(*core::parse_time(lease["expires_at"].get<std::string>()) -
                *core::parse_time(lease["acquired_at"].get<std::string>()),
            std::chrono::minutes{7});
}

TEST_F(ServeSettings, CanRequireATokenBeforeTheFirstOne) {
  start({"auth.required=true"});
  EXPECT_EQ(post("/tasks", R"({"type":"a"})").status, 401);
  EXPECT_EQ(caller->send({.path = "/healthz"})->status, 200);
}

TEST_F(ServeSettings, LimitBodiesAndPayloadsAndReportTheirSize) {
  start({"limits.body_max=2KiB", "limits.payload_max=100", "limits.payload_warn=50"});
  const auto enqueue = [&](std::size_t payload) {
    return post("/tasks", R"({"type":"a","payload":")" + std::string(payload, 'x') + "\"}").status;
  };
  EXPECT_EQ(enqueue(90), 201);
  EXPECT_EQ(enqueue(101), 413);
  EXPECT_EQ(enqueue(3'000), 413);
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(), 0);
  EXPECT_NE(server->err().find("warning large payload namespace=\"default\" bytes=\"92\""), std::string::npos)
      << server->err();
}

}  // namespace
}  // namespace pawl::testing
