// `pawl dev`: starts a server and a worker, restarts them when they are killed, and stops them with itself.
#include <charconv>
#include <climits>
#include <csignal>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/supervise.hpp"
#include "tests/cli/live_server.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/env.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {
namespace {

// The server's process, from what `pawl dev` prints at its start.
pid_t server_in(const std::string& out) {
  const std::size_t at = out.find_first_of("0123456789", out.find("process"));
  pid_t server = 0;
  std::from_chars(out.data() + at, out.data() + out.size(), server);
  return server;
}

class PawlDev : public ::testing::Test {
 protected:
  PawlDev()
      : dev({"dev", "--listen", "127.0.0.1:0", "--data", folder.path() + "/data", "--handle", "echo=cat"}) {
    const std::string first = dev.read_line();
    EXPECT_NE(first.find("http://"), std::string::npos) << first;
    address = first.substr(std::min(first.size(), first.find("http://")));
  }

  Ended pawl(std::vector<std::string> arguments) const {
    return run_pawl(std::move(arguments), {{"PAWL_ADDRESS", address}, {"PAWL_TOKEN", token}});
  }

  bool completes_a_task() const {
    const auto made =
        nlohmann::json::parse(pawl({"task", "enqueue", "echo", "7", "--json"}).out, nullptr, false);
    if (made.is_discarded()) return false;
    const std::string id = made["task"]["id"];
    return await([&] {
      return pawl({"task", "show", id, "--json"}).out.find("completed") != std::string::npos;
    });
  }

  TemporaryFolder folder;
  Program dev;
  std::string address;
  std::string token;
};

TEST_F(PawlDev, ServesExecutesAndStopsCleanly) {
  EXPECT_TRUE(completes_a_task());
  dev.signal(SIGINT);
  EXPECT_EQ(dev.wait(), 0) << dev.err();
  EXPECT_EQ(pawl({"task", "list"}).exit_code, 3);
}

TEST_F(PawlDev, RestartsAKilledServerWithItsData) {
  ASSERT_TRUE(completes_a_task());
  ASSERT_TRUE(dev.read_until("(restarted automatically"));
  const pid_t server = server_in(dev.out());
  ASSERT_GT(server, 1);
  kill(server, SIGKILL);
  EXPECT_TRUE(await([&] { return completes_a_task(); }));
  EXPECT_NE(pawl({"task", "list"}).out.find("echo"), std::string::npos);
}

TEST_F(PawlDev, LeavesNoProcessesBehind) {
  ASSERT_TRUE(completes_a_task());
  dev.signal(SIGKILL);
  EXPECT_TRUE(await([&] { return pawl({"task", "list"}).exit_code == 3; }));
}

TEST_F(PawlDev, GivesItsWorkerATokenWhenTokensAreRequired) {
  ASSERT_TRUE(completes_a_task());
  const auto made =
      nlohmann::json::parse(pawl({"token", "create", "--role", "admin", "--for", "*", "--json"}).out);
  token = made["token"];
  EXPECT_TRUE(completes_a_task());
  dev.signal(SIGINT);
  EXPECT_EQ(dev.wait(), 0) << dev.err();
  EXPECT_NE(dev.err().find("created token"), std::string::npos) << dev.err();
  const auto store = "sqlite:" + folder.path() + "/data/pawl.db";
  const auto left = run_pawl({"token", "list", "--store", store}).out;
  EXPECT_NE(left.find("pawl dev"), std::string::npos) << left;
  EXPECT_NE(left.find("revoked"), std::string::npos) << left;
}

TEST(PawlDevRestart, BacksOffForACrashingProcess) {
  using namespace std::chrono_literals;
  ManualClock clock;
  cli::Rest rest{clock};
  const auto rested = [&] {
    rest.started();
    core::Duration waited{0};
    for (; !rest.is_over(); waited += 500ms) clock.advance(500ms);
    return waited;
  };
  EXPECT_EQ(rested(), 500ms);
  EXPECT_EQ(rested(), 1s);
  EXPECT_EQ(rested(), 2s);
  for (int i = 0; i < 10; ++i) (void)rested();
  EXPECT_EQ(rested(), 30s);
  rest.started();
  clock.advance(10s);
  EXPECT_FALSE(rest.is_over()) << "it lived well: from the beginning again";
  clock.advance(500ms);
  EXPECT_TRUE(rest.is_over());
}

TEST(PawlDevWarnings, AppearOnceForAllItsProcesses) {
  const TemporaryFolder folder;
  Program dev{{"dev", "--listen", "127.0.0.1:0", "--data", folder.path(), "--handle", "t=true"},
              {{"PAWL_ADRESS", "x"}}};
  ASSERT_TRUE(dev.read_until("Ctrl-C"));
  dev.signal(SIGINT);
  EXPECT_EQ(dev.wait(), 0) << dev.err();
  const std::size_t first = dev.err().find("PAWL_ADRESS");
  EXPECT_NE(first, std::string::npos) << dev.err();
  EXPECT_EQ(dev.err().find("PAWL_ADRESS", first + 1), std::string::npos) << dev.err();
}

// A pipe for the standard error of `pawl dev`. It is full, so that the first message blocks the process until
// the test reads.
class FullPipe {
 public:
  explicit FullPipe(const std::string& path) {
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    pipe_ = net::Descriptor{open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)};
    const std::string filling(PIPE_BUF, '.');
    while (write(pipe_.get(), filling.data(), filling.size()) > 0) continue;
  }
  // Whether the text arrives within a minute.
  bool read_until(std::string_view text) {
    constexpr int kMinute = 60'000;
    pollfd readable{pipe_.get(), POLLIN, 0};
    std::string buffer(PIPE_BUF, '\0');
    while (text_.find(text) == std::string::npos) {
      if (poll(&readable, 1, kMinute) != 1) return false;
      const ssize_t count = read(pipe_.get(), buffer.data(), buffer.size());
      if (count > 0) text_.append(buffer, 0, static_cast<std::size_t>(count));
    }
    return true;
  }

 private:
  net::Descriptor pipe_;
  std::string text_;
};

TEST(PawlDevWithTokens, RevokesTheTokenOfAWorkerThatCannotStart) {
  const TemporaryFolder folder;
  const std::string store = "sqlite:" + folder.path() + "/pawl.db";
  ASSERT_EQ(run_pawl({"migrate", "--store", store}).exit_code, 0);
  ASSERT_EQ(run_pawl({"token", "create", "--role", "admin", "--for", "*", "--store", store}).exit_code, 0);
  const auto list = [&] { return run_pawl({"token", "list", "--store", store, "--json"}).out; };
  FullPipe err{folder.path() + "/err"};
  const std::string command = "exec " + pawl_binary() + " dev --listen 127.0.0.1:0 --handle t=true --data " +
                              folder.path() + " 2>" + folder.path() + "/err";
  Program dev{"/bin/sh", {"-c", command}, {}};
  ASSERT_TRUE(dev.read_until("Ctrl-C"));
  const pid_t server = server_in(dev.out());
  ASSERT_TRUE(await([&] { return list().find("pawl dev") != std::string::npos; }));
  // `pawl dev` has made the token and is about to print so. Next it needs descriptors to start the worker; it
  // gets them again when it waits for the end of the server, which is stopped meanwhile.
  kill(server, SIGSTOP);
  rlimit old = {};
  ASSERT_EQ(prlimit(dev.pid(), RLIMIT_NOFILE, nullptr, &old), 0);
  const rlimit few{.rlim_cur = 3, .rlim_max = old.rlim_max};
  ASSERT_EQ(prlimit(dev.pid(), RLIMIT_NOFILE, &few, nullptr), 0);
  EXPECT_TRUE(err.read_until("pawl dev: cannot start another process"));
  prlimit(dev.pid(), RLIMIT_NOFILE, &old, nullptr);
  kill(server, SIGCONT);
  EXPECT_EQ(dev.wait(), 1);
  const std::string tokens = list();
  const std::size_t made = tokens.find("pawl dev");
  ASSERT_NE(made, std::string::npos) << tokens;
  const std::size_t begin = tokens.rfind('\n', made) + 1;
  const auto token = nlohmann::json::parse(tokens.substr(begin, tokens.find('\n', made) - begin));
  EXPECT_TRUE(token["revoked_at"].is_string()) << token;
}

TEST(PawlDevAddress, IsRejectedBeyondLoopback) {
  EXPECT_EQ(run_pawl({"dev", "--listen", "0.0.0.0:0"}).exit_code, 2);
}

}  // namespace
}  // namespace pawl::testing
