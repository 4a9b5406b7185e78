// The code in docs/guides works as shown: the Python worker and the first commands are extracted from their
// pages.
#include <csignal>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/descriptor.hpp"
#include "tests/cli/live_server.hpp"
#include "tests/places/places.hpp"

namespace pawl::testing {
namespace {

// The first block of code in that language on a page.
std::string code_on(const std::string& page, const std::string& language) {
  std::ifstream file{source_dir() + "/docs/" + page};
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  const std::string begin = "```" + language + "\n";
  const std::size_t from = all.find(begin);
  EXPECT_NE(from, std::string::npos) << page << " has no " << language;
  if (from == std::string::npos) return "";
  return all.substr(from + begin.size(), all.find("\n```", from) - from - begin.size() + 1);
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), by);
}

// Below the system's ephemeral ports, so that no other process gets the port before it is used.
int free_port() {
  constexpr int kFirst = 10'000;
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) {
    const int port = kFirst + (getpid() + i) % kCount;
    const net::Descriptor listener{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return port;
  }
  ADD_FAILURE() << "every port is taken";
  return 0;
}

class PythonWorker : public ::testing::Test {
 protected:
  PythonWorker() { write(code); }
  void write(const std::string& text) const { std::ofstream{server.file("worker.py")} << text; }
  std::vector<std::string> words() const { return {"python3", server.file("worker.py")}; }

  std::string code = code_on("guides/workers.md", "python");
  LiveServer server;
};

TEST_F(PythonWorker, CompletesFailsAndReconnects) {
  Program worker{"/usr/bin/env", words(), server.variables()};
  const auto sent = server.enqueue("email.send", {R"({"to":"ada@example.org"})"});
  EXPECT_EQ(server.await_status(sent, "completed")["output"]["sent_to"], "ada@example.org");
  const auto bad = server.enqueue("email.send", {"{}", "--max-attempts", "1"});
  EXPECT_EQ(server.await_status(bad, "dead_letter")["error"]["code"], "KeyError");
  server.restart();
  const auto later = server.enqueue("email.send", {R"({"to":"bob@example.org"})"});
  server.await_status(later, "completed");
}

TEST_F(PythonWorker, ReportsACompletionAfterTheServerReturns) {
  const std::string wait =
      "touch " + server.file("started") + "; while [ ! -e " + server.file("go") + " ]; do sleep 0.05; done";
  replace(code, "lambda payload:", "lambda payload: os.system('" + wait + "') or");
  write(code);
  Program worker{"/usr/bin/env", words(), server.variables()};
  const auto sent = server.enqueue("email.send", {R"({"to":"ada@example.org"})", "--max-attempts", "1"});
  server.await_file("started");
  server.signal(SIGKILL);
  ASSERT_TRUE(await([&] { return server.pawl({"task", "list"}).exit_code == 3; }));
  std::ofstream{server.file("go")} << "";
  ASSERT_TRUE(worker.read_until("/tasks/report"));
  server.restart();
  EXPECT_EQ(server.await_status(sent, "completed")["output"]["sent_to"], "ada@example.org");
}

TEST_F(PythonWorker, FailsATaskWhoseOutputCannotBeStored) {
  replace(code, "lambda payload:", "lambda payload: float('nan') if 'to' not in payload else");
  write(code);
  Program worker{"/usr/bin/env", words(), server.variables()};
  const auto bad = server.enqueue("email.send", {"{}", "--max-attempts", "1"});
  EXPECT_EQ(server.await_status(bad, "dead_letter")["error"]["code"], "refused");
  server.await_status(server.enqueue("email.send", {R"({"to":"bob@example.org"})"}), "completed");
}

// With another port and folder than on the page, and stopped at the end.
TEST(FirstWorkflow, RunsAsShownInTheGuide) {
  const TemporaryFolder folder;
  const std::string listen = "127.0.0.1:" + std::to_string(free_port());
  std::string pasted = code_on("guides/workflows.md", "sh");
  replace(pasted, "pawl dev", "pawl dev --listen " + listen + " --data " + folder.path());
  const std::string pawl = pawl_binary();
  Program shell{
      "/bin/sh",
      {"-c", "cd " + source_dir() + " && set -e\n" + pasted + "\nkill -INT $!; wait $!"},
      {{"PATH", pawl.substr(0, pawl.rfind('/')) + ":/usr/bin:/bin"}, {"PAWL_ADDRESS", "http://" + listen}}};
  EXPECT_EQ(shell.wait(), 0) << shell.err();
  EXPECT_NE(shell.out().find("workflow_completed"), std::string::npos) << shell.out();
}

}  // namespace
}  // namespace pawl::testing
