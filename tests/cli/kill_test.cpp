// Calls with an Idempotency-Key to a server that is killed while it executes them.
#include <algorithm>
#include <csignal>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "client/http_caller.hpp"
#include "runtime/env.hpp"
#include "tests/cli/live_server.hpp"

namespace pawl::testing {
namespace {

class Kill : public ::testing::Test {
 protected:
  core::Result<client::HttpAnswer> ask(const std::string& path, const std::string& body,
                                       const std::string& key) {
    client::HttpCaller caller{{.address = *client::parse_http_address(server.variables().at("PAWL_ADDRESS"))},
                              random};
    return caller.send({.method = "POST",
                        .path = "/v1/default" + path,
                        .body = body,
                        .headers = {{"idempotency-key", key}}});
  }
  std::size_t tasks_of(const std::string& type) {
    const auto listed = server.pawl({"task", "list", "--type", type, "--json"});
    return static_cast<std::size_t>(std::count(listed.out.begin(), listed.out.end(), '\n'));
  }

  LiveServer server;
  runtime::SystemRandom random;
};

TEST_F(Kill, LeavesNoKeyLockedAndLosesNoEffect) {
  constexpr int kRounds = 12;
  for (int i = 0; i < kRounds; ++i) {
    const std::string type = fmt::format("t{}", i);
    const std::string body = fmt::format(R"({{"type":"{}"}})", type);
    std::thread first{[&] { (void)ask("/tasks", body, type); }};
    // The delay varies, so that some calls are killed before the commit, some after, some in between. The
    // last one is killed after its answer.
    const bool is_last = i == kRounds - 1;
    for (int wait = 0; wait < i / 2; ++wait) (void)server.pawl({"--version"});
    if (is_last) first.join();
    server.signal(SIGKILL);
    if (!is_last) first.join();
    server.restart();
    const auto second = ask("/tasks", body, type);
    ASSERT_TRUE(second.ok()) << second.problem().detail;
    EXPECT_EQ(second->status, 201) << second->body;
    if (is_last) {
      EXPECT_TRUE(second->headers.contains("idempotent-replay"));
    }
    EXPECT_EQ(tasks_of(type), 1U) << type;
    EXPECT_EQ(ask("/tasks", R"({"type":"other"})", type)->status, 422);
  }
}

TEST_F(Kill, LeavesAStoreThatVerifyAccepts) {
  (void)server.enqueue("t");
  server.signal(SIGKILL);
  server.restart();
  const auto verified = server.pawl({"verify", "--json"});
  EXPECT_EQ(verified.exit_code, 0) << verified.err << verified.out;
  EXPECT_EQ(nlohmann::json::parse(verified.out)["ok"], true);
  const auto directly = server.pawl({"verify", "--store", "sqlite:" + server.file("pawl.db")});
  EXPECT_EQ(directly.exit_code, 0) << directly.err;
  EXPECT_NE(directly.out.find("I44"), std::string::npos) << directly.out;
  EXPECT_NE(server.pawl({"verify", "--store", "sqlite:" + server.file("nothing.db")}).exit_code, 0);
}

}  // namespace
}  // namespace pawl::testing
