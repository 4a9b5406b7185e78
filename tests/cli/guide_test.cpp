// What docs/guide shows is what runs: the worker in Python, taken from the page as it stands there.
#include <csignal>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/cli/live_server.hpp"

namespace pawl::testing {
namespace {

// The first block of code of that language on a page.
std::string code_on(const std::string& page, const std::string& language) {
  std::ifstream file{PAWL_SOURCE_DIR "/docs/" + page};
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  const std::string begin = "```" + language + "\n";
  const std::size_t from = all.find(begin);
  EXPECT_NE(from, std::string::npos) << page << " has no " << language;
  if (from == std::string::npos) return "";
  return all.substr(from + begin.size(), all.find("\n```", from) - from - begin.size() + 1);
}

class PythonWorker : public ::testing::Test {
 protected:
  PythonWorker() { std::ofstream{server.file("worker.py")} << code_on("guide/workers.md", "python"); }

  LiveServer server;
};

TEST_F(PythonWorker, CompletesAndFailsAndOutlivesItsServer) {
  Program worker{"/usr/bin/env", {"python3", server.file("worker.py")}, server.variables()};
  const auto sent = server.enqueue("email.send", {R"({"to":"ada@example.org"})"});
  EXPECT_EQ(server.await_status(sent, "completed")["output"]["sent_to"], "ada@example.org");
  const auto bad = server.enqueue("email.send", {"{}", "--max-attempts", "1"});
  EXPECT_EQ(server.await_status(bad, "dead_letter")["error"]["code"], "KeyError");
  server.restart();
  const auto later = server.enqueue("email.send", {R"({"to":"bob@example.org"})"});
  server.await_status(later, "completed");
}

}  // namespace
}  // namespace pawl::testing
