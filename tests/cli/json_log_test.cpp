// With JSON logs, every line of a server's or worker's stdout and stderr is a JSON object.
#include <csignal>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/live_server.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {
namespace {

using Json = nlohmann::json;

// The objects of both streams. A line that is not an object fails the test.
std::vector<Json> objects_of(const std::string& text) {
  std::vector<Json> objects;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    Json object = Json::parse(line, nullptr, false);
    EXPECT_TRUE(object.is_object()) << line;
    if (!object.is_object()) continue;
    EXPECT_TRUE(object.contains("at") && object.contains("level") && object.contains("what")) << line;
    objects.push_back(std::move(object));
  }
  return objects;
}

std::vector<std::string> whats_of(const std::string& text) {
  std::vector<std::string> whats;
  for (const Json& object : objects_of(text)) whats.push_back(object["what"]);
  return whats;
}

bool has_one_with(const std::vector<std::string>& whats, const std::string& part) {
  for (const std::string& what : whats) {
    if (what.find(part) != std::string::npos) return true;
  }
  return false;
}

Ended refused(std::vector<std::string> arguments, Variables variables = {}) {
  Ended ended = run_pawl(std::move(arguments), std::move(variables));
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(objects_of(ended.err).back()["level"], "error") << ended.err;
  return ended;
}

TEST(JsonLog, CoversTheWholeLifeOfAServer) {
  const TemporaryFolder folder;
  const std::string store = "sqlite:" + folder.path() + "/pawl.db";
  Program server{{"serve", "--listen", "127.0.0.1:0", "--store", store, "--log-format", "json"},
                 {{"PAWL_LEADER_TLT", "1s"}}};
  const Json banner = Json::parse(server.read_line(), nullptr, false);
  ASSERT_TRUE(banner.is_object()) << "the first start migrates the store";
  EXPECT_EQ(banner["what"].get<std::string>().find("Pawl serves at http://127.0.0.1:"), 0U);
  server.signal(SIGTERM);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  const auto whats = whats_of(server.err());
  EXPECT_TRUE(has_one_with(whats, "unknown environment variable PAWL_LEADER_TLT")) << server.err();
  EXPECT_TRUE(has_one_with(whats, "serving"));
  EXPECT_TRUE(has_one_with(whats, "stopped"));
  EXPECT_TRUE(objects_of(server.out()).size() <= 1) << server.out();
}

TEST(JsonLog, HasTheReasonWhyAServerDoesNotStart) {
  refused({"serve", "--log-format", "json", "--store", "sqlite:/no/such/folder/x.db"});
  refused({"serve", "--log-format=json", "--listen", "nowhere"});
  refused({"serve", "--set", "log.format=json", "--set", "leader.ttl=0s"});
  refused({"serve", "--log-format", "json", "--bogus"});
  refused({"serve"}, {{"PAWL_LOG_FORMAT", "json"}, {"PAWL_LEADER_TTL", "soon"}});
  const Json why =
      objects_of(refused({"serve", "--log-format", "json", "--set", "leader.ttl=0s"}).err).back();
  EXPECT_EQ(why["code"], "invalid_argument");
  EXPECT_EQ(why["errors"][0]["field"], "leader.ttl");
}

TEST(JsonLog, CanBeEnabledByTheConfiguration) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/pawl.yaml";
  std::ofstream{file} << "log:\n  format: json\nstore: sqlite:/no/such/folder/x.db\n";
  refused({"serve", "--config", file});
  refused({"serve"}, {{"PAWL_CONFIG", file}});
  const Ended ended = run_pawl({"serve", "--config", file, "--log-format", "text"});
  EXPECT_TRUE(ended.err.starts_with("pawl")) << "a flag is above the file: " << ended.err;
}

TEST(JsonLog, CoversTheWholeLifeOfAWorker) {
  LiveServer server;
  Program worker{{"worker", "--handle", "mail=cat", "--log-format", "json"}, server.variables()};
  const std::string id = server.enqueue("mail");
  server.await_status(id, "completed");
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait(), 0);
  EXPECT_TRUE(has_one_with(whats_of(worker.err()), "handles mail")) << worker.err();
  EXPECT_EQ(worker.out(), "");
}

TEST(JsonLog, HasTheReasonWhyAWorkerDoesNotStart) {
  refused({"worker", "--log-format", "json"});
  refused({"worker", "--log-format", "json", "--handle", "no-command"});
  refused({"worker", "--concurrency", "0", "--handle", "a=cat"}, {{"PAWL_LOG_FORMAT", "json"}});
  refused({"worker", "--bogus"}, {{"PAWL_LOG_FORMAT", "json"}});
}

TEST(JsonLog, IsParsedByPawlDev) {
  const TemporaryFolder folder;
  Program dev{{"dev", "--listen", "127.0.0.1:0", "--data", folder.path()}, {{"PAWL_LOG_FORMAT", "json"}}};
  EXPECT_TRUE(dev.read_until("http://127.0.0.1:"));
  dev.signal(SIGTERM);
  EXPECT_EQ(dev.wait(), 0);
}

TEST(JsonLog, AppliesOnlyToServersAndWorkers) {
  LiveServer server;
  Variables variables = server.variables();
  variables["PAWL_LOG_FORMAT"] = "json";
  const Ended listed = run_pawl({"worker", "list"}, variables);
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_FALSE(listed.out.starts_with("{")) << listed.out;
  EXPECT_FALSE(run_pawl({"task", "show", "x"}, variables).err.starts_with("{"));
}

}  // namespace
}  // namespace pawl::testing
