// The real program when the operating system runs out of a resource, or its files disappear: it reports the
// problem, stays alive, and recovers.

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/cli/live_server.hpp"
#include "tests/places/places.hpp"
#include "tests/support/raw_client.hpp"

namespace pawl::testing {
namespace {

namespace fs = std::filesystem;

class Resources : public ::testing::Test {
 protected:
  // Starts the server from a shell that runs `before` first.
  void start(const std::string& before = "true") {
    const std::string command =
        before + " && exec " + pawl_binary() + " serve --listen 127.0.0.1:0 --store sqlite:" + database();
    server = std::make_unique<Program>("/bin/sh", std::vector<std::string>{"-c", command}, Variables{});
  }
  int port() {
    const std::string line = server->read_line();
    return std::stoi("0" + line.substr(line.rfind(':') + 1));
  }
  [[nodiscard]] std::string database() const { return folder.path() + "/pawl.db"; }
  [[nodiscard]] rlim_t count_descriptors() const {
    rlim_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         fs::directory_iterator{"/proc/" + std::to_string(server->pid()) + "/fd"})
      ++count;
    return count;
  }
  void limit(__rlimit_resource what, rlim_t most) const {
    rlimit old = {};
    ASSERT_EQ(prlimit(server->pid(), what, nullptr, &old), 0);
    const rlimit wanted{.rlim_cur = std::min(most, old.rlim_max), .rlim_max = old.rlim_max};
    ASSERT_EQ(prlimit(server->pid(), what, &wanted, nullptr), 0);
  }
  // In seconds of one core.
  [[nodiscard]] double cpu_seconds() const {
    std::ifstream file{"/proc/" + std::to_string(server->pid()) + "/stat"};
    std::string word;
    double ticks = 0;
    for (int i = 1; i <= 15 && file >> word; ++i) {
      if (i >= 14) ticks += std::stod(word);
    }
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  [[nodiscard]] static std::string ask(int port, const std::string& request) {
    RawClient client{port};
    client.send(request);
    return client.receive();
  }
  [[nodiscard]] static int value_of(const std::string& metrics, const std::string& name) {
    const std::size_t found = metrics.find("\n" + name + " ");
    return found == std::string::npos ? -1 : std::stoi(metrics.substr(found + name.size() + 2));
  }
  [[nodiscard]] static int enqueue(int port) {
    return status_of(ask(port, post("/v1/default/tasks", R"({"type":"t"})")));
  }
  std::string stop() {
    server->signal(SIGTERM);
    exit_code = server->wait();
    return server->err();
  }

  TemporaryFolder folder;
  std::unique_ptr<Program> server;
  int exit_code = -1;
};

TEST_F(Resources, WithoutDescriptorsTheServerIdlesAndReportsIt) {
  start();
  const int at = port();
  ASSERT_EQ(enqueue(at), 201);
  RawClient early{at};
  const auto ask_early = [&early](const std::string& request) {
    early.send(request);
    return early.receive();
  };
  const auto failures = [&] {
    return value_of(ask_early(get("/metrics")), "pawl_http_accept_failures_total");
  };
  ASSERT_EQ(failures(), 0);
  limit(RLIMIT_NOFILE, count_descriptors());
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(std::make_unique<RawClient>(at));
  const double before = cpu_seconds();
  // Each poll includes a waiting claim, so that the polls themselves use little CPU time.
  ASSERT_TRUE(await([&] {
    ask_early(post("/v1/default/tasks/claim", R"({"worker_id":"w","queues":["none"],"wait":"500ms"})"));
    return failures() >= 20;
  }));
  const int failed = failures();
  // A pause of 100 ms follows each attempt. Without the pause, an attempt would use less CPU time, and there
  // would be many more of them.
  EXPECT_LT(cpu_seconds() - before, failed * 0.033);
  EXPECT_LT(failed, 1'000);
  limit(RLIMIT_NOFILE, RLIM_INFINITY);
  EXPECT_TRUE(clients.back()->send(post("/v1/default/tasks", R"({"type":"t"})")));
  EXPECT_EQ(status_of(clients.back()->receive()), 201) << "it waited for a descriptor";
  const int failed_in_all = failures();
  clients.clear();
  early.close();
  const std::string log = stop();
  EXPECT_EQ(exit_code, 0);
  const std::string line = "error cannot accept connections why=\"Too many open files\"";
  ASSERT_NE(log.find(line), std::string::npos) << log;
  int lines = 0;
  for (std::size_t found = log.find(line); found != std::string::npos; found = log.find(line, found + 1))
    ++lines;
  EXPECT_EQ(lines, (failed_in_all + 9) / 10) << "one for each ten failures, " << failed_in_all << " in all";
}

// A stack of one GiB per thread, and not enough address space for all threads: for root, a limit on the
// number of processes has no effect.
TEST_F(Resources, WithTooFewThreadsTheServerDoesNotStartAndReportsWhy) {
  start("ulimit -s 1048576 && ulimit -v 8388608");
  EXPECT_EQ(server->wait(), 1);
  EXPECT_NE(server->err().find("the server needs "), std::string::npos) << server->err();
  EXPECT_NE(server->err().find("ulimit -u"), std::string::npos) << server->err();
  EXPECT_EQ(server->err().find("terminate called"), std::string::npos) << server->err();
}

TEST_F(Resources, WithoutMemoryForARequestTheServerContinues) {
  start();
  const int at = port();
  ASSERT_EQ(enqueue(at), 201);
  std::ifstream file{"/proc/" + std::to_string(server->pid()) + "/statm"};
  rlim_t pages = 0;
  file >> pages;
  limit(RLIMIT_AS, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (8U << 20U));
  const std::string payload = "\"" + std::string(3'900'000, 'x') + "\"";
  const std::string body = R"({"type":"t","payload":)" + payload + "}";
  std::vector<std::thread> callers;
  for (int i = 0; i < 16; ++i) {
    callers.emplace_back([&] {
      RawClient client{at};
      for (int n = 0; n < 4 && client.send(post("/v1/default/tasks", body)); ++n) {
        const int status = status_of(client.receive());
        EXPECT_TRUE(status == 0 || status == 201 || status == 413 || status >= 500) << status;
        if (status != 201) break;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  limit(RLIMIT_AS, RLIM_INFINITY);
  EXPECT_EQ(enqueue(at), 201);
  const std::string log = stop();
  EXPECT_EQ(exit_code, 0) << log;
}

class Files : public Resources {
 protected:
  [[nodiscard]] static bool is_ready(int port) { return status_of(ask(port, get("/readyz"))) == 200; }
};

TEST_F(Files, DeletedUnderAServerMakeItNotReady) {
  start();
  const int at = port();
  ASSERT_EQ(enqueue(at), 201);
  EXPECT_TRUE(is_ready(at));
  fs::remove(database());
  const std::string answer = ask(at, post("/v1/default/tasks", R"({"type":"t"})"));
  EXPECT_EQ(status_of(answer), 503);
  EXPECT_NE(answer.find(database() + ": the file was deleted or moved"), std::string::npos) << answer;
  EXPECT_FALSE(is_ready(at));
  EXPECT_NE(stop().find("the file was deleted or moved"), std::string::npos);
}

TEST_F(Files, DamagedUnderAServerMakeItNotReady) {
  start();
  ASSERT_EQ(enqueue(port()), 201);
  (void)stop();  // merges the WAL into the database file
  start();
  const int at = port();
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(is_ready(at));  // caches all pages that it reads
  std::fstream file{database(), std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(4096);
  const auto rest = static_cast<std::streamsize>(fs::file_size(database()) - 4096);
  file.write(std::string(static_cast<std::size_t>(rest), 'x').data(), rest);
  file.close();
  EXPECT_FALSE(is_ready(at));
}

}  // namespace
}  // namespace pawl::testing
