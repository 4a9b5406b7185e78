// Real nodes on one store that stop or die: leadership is handed over, and no slot of a schedule is lost or
// fired twice (RELIABILITY B28).
#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "client/http_caller.hpp"
#include "core/base/time.hpp"
#include "runtime/env.hpp"
#include "tests/cli/live_server.hpp"
#include "tests/support/env.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

class LiveNodes : public ::testing::TestWithParam<StoreKind> {
 protected:
  LiveNodes() : database(GetParam()) {}

  std::string store() const {
    return (database.kind() == StoreKind::sqlite ? "sqlite:" : "postgres:") + database.location();
  }
  // Adds a node. Its id is the one that was not in the list before.
  void add_node() {
    const std::set<std::string> before =
        servers.empty() ? std::set<std::string>{} : node_ids(*servers.front());
    servers.push_back(std::make_unique<LiveServer>(store()));
    ids.push_back(new_id(*servers.back(), before));
  }
  std::string new_id(const LiveServer& server, const std::set<std::string>& before) {
    std::string found;
    EXPECT_TRUE(await([&] {
      for (const std::string& id : node_ids(server)) {
        if (!before.contains(id)) found = id;
      }
      return !found.empty();
    }));
    return found;
  }
  json ask(const LiveServer& server, const std::string& method, const std::string& path,
           const json& body = {}) {
    client::HttpCaller caller{{.address = *client::parse_http_address(server.address())}, random};
    const auto answer = caller.call(
        {.method = method, .path = path, .body = body.is_null() ? "" : body.dump(), .repeatable = true});
    return answer ? json::parse(answer->body) : json{};
  }
  json nodes(const LiveServer& server) {
    return ask(server, "GET", "/v1/admin/nodes").value("items", json::array());
  }
  std::set<std::string> node_ids(const LiveServer& server) {
    std::set<std::string> found;
    for (const json& node : nodes(server)) found.insert(node["node_id"]);
    return found;
  }
  std::string leader(const LiveServer& server) {
    for (const json& node : nodes(server)) {
      if (node["is_leader"] == true) return node["node_id"];
    }
    return "";
  }
  // The index of the leading node, or `other`: no node leads until the lease of a killed leader expires.
  std::size_t leading_or(std::size_t other) {
    const std::string id = leader(*servers[other]);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == id) return i;
    }
    return other;
  }

  Database database;
  runtime::SystemRandom random;
  std::vector<std::unique_ptr<LiveServer>> servers;
  std::vector<std::string> ids;
};

TEST_P(LiveNodes, HandOverLeadershipWhenTheyAreStopped) {
  add_node();
  ASSERT_TRUE(await([&] { return leader(*servers[0]) == ids[0]; }));
  add_node();
  servers[0]->signal(SIGTERM);
  // The lease would last for half a minute more: only a handover makes the other node leader now, with the
  // next term.
  EXPECT_TRUE(await([&] { return leader(*servers[1]) == ids[1]; }));
  EXPECT_EQ(nodes(*servers[1])[0]["term"], 2);
}

TEST_P(LiveNodes, B28_FireASlotOnceWhenTheLeaderDies) {
  constexpr int kKills = 6;
  const std::uint64_t seed = random.next();
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeededRandom chance{seed};
  for (int i = 0; i < 2; ++i) add_node();
  const json made = ask(*servers[0], "POST", "/v1/default/schedules",
                        {{"name", "s"}, {"every", "1s"}, {"task", {{"type", "t"}}}});
  const auto first = core::parse_time(made["next_fire_at"].get<std::string>());
  ASSERT_TRUE(first);
  std::string last;
  for (int i = 0; i < kKills; ++i) {
    const std::size_t victim = leading_or(static_cast<std::size_t>(i % 2));
    LiveServer& other = *servers[1 - victim];
    const auto next = core::parse_time(
        ask(other, "GET", "/v1/default/schedules/s/next?count=1")["times"][0].get<std::string>());
    ASSERT_TRUE(next);
    last = core::format_time(*next);
    std::this_thread::sleep_until(*next - 5ms + std::chrono::microseconds{chance.below(10'000)});
    servers[victim]->signal(SIGKILL);
    const std::set<std::string> before = node_ids(other);
    servers[victim]->restart();
    ids[victim] = new_id(other, before);
  }
  const auto firings_now = [&] {
    return ask(*servers[0], "GET", "/v1/default/schedules/s/firings?limit=500")["items"];
  };
  ASSERT_TRUE(await([&] {
    const json latest_first = firings_now();
    return !latest_first.empty() && latest_first[0]["fire_at"] >= last;
  })) << "no firing at "
      << last << " or later";
  ASSERT_TRUE(ask(*servers[0], "POST", "/v1/default/schedules/s/pause").is_object());
  json firings;
  ASSERT_TRUE(await([&] {
    firings = firings_now();
    return std::none_of(firings.begin(), firings.end(),
                        [](const json& one) { return one["status"] == "waiting"; });
  }));
  std::set<std::string> tasks;
  auto slot = *first;
  for (auto firing = firings.rbegin(); firing != firings.rend(); ++firing, slot += 1s) {
    EXPECT_EQ((*firing)["fire_at"], core::format_time(slot));
    EXPECT_EQ((*firing)["status"], "fired");
    tasks.insert((*firing)["task_id"]);
  }
  const json there = ask(*servers[0], "GET", "/v1/default/tasks?limit=500")["items"];
  EXPECT_EQ(there.size(), firings.size());
  EXPECT_EQ(tasks.size(), firings.size());
}

INSTANTIATE_TEST_SUITE_P(Stores, LiveNodes, ::testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         [](const auto& test) { return to_string(test.param); });

}  // namespace
}  // namespace pawl::testing
