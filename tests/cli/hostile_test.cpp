// Hostile clients next to a well-behaved one, against the real program: its memory stays bounded. The
// slowdown of the well-behaved client is printed, not asserted.
#include "tests/support/hostile.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/resident.hpp"
#include "net/descriptor.hpp"
#include "tests/cli/live_server.hpp"

namespace pawl::testing {
namespace {

using std::chrono::steady_clock;

constexpr int kIdle = 900;
constexpr int kConnections = 4;
constexpr int kCalls = 900;        // per connection: the server allows 1,000
constexpr double kMemoryMax = 64;  // MiB more than before, for all clients together

// The hostile clients run in a process of their own: in this one they would share more with the good client
// than with the server. No threads exist yet when it forks.
class HostileProcess {
 public:
  HostileProcess(int port, int idle) {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    ticks_ = net::Descriptor{ends[0]};
    net::Descriptor theirs{ends[1]};
    pid_ = fork();
    if (pid_ == 0) {
      ticks_.close();
      attack(theirs.get(), port, idle);
    }
    theirs.close();
    char ready = 0;
    EXPECT_EQ(read(ticks_.get(), &ready, 1), 1) << "they could not connect";
  }
  HostileProcess(const HostileProcess&) = delete;
  HostileProcess& operator=(const HostileProcess&) = delete;
  ~HostileProcess() {
    ticks_.close();
    int status = -1;
    waitpid(pid_, &status, 0);
    EXPECT_EQ(status, 0) << "not all of them were refused as documented";
  }

  void tick() const { EXPECT_EQ(write(ticks_.get(), "", 1), 1); }

 private:
  // A failure here must end this process and not run the tests of the parent that it is a copy of.
  [[noreturn]] static void attack(int ticks, int port, int idle) noexcept {
    {
      HostileClients clients{port, idle};
      EXPECT_EQ(write(ticks, "", 1), 1);
      for (char tick = 0; read(ticks, &tick, 1) == 1;) clients.tick();
    }
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }

  net::Descriptor ticks_;
  pid_t pid_ = -1;
};

class Hostile : public ::testing::Test {
 protected:
  Hostile() { (void)good_calls(); }  // warms the server up

  // The 99th percentile, in milliseconds, of sequential enqueues.
  double good_calls(const HostileProcess* beside = nullptr) {
    std::vector<double> times;
    for (int connection = 0; connection < kConnections; ++connection) {
      RawClient good{server.port()};
      for (int i = 0; i < kCalls; ++i) {
        const auto from = steady_clock::now();
        EXPECT_TRUE(good.send(post("/v1/default/tasks", R"({"type":"good"})")));
        EXPECT_EQ(status_of(good.receive()), 201);
        times.push_back(std::chrono::duration<double, std::milli>(steady_clock::now() - from).count());
        if (beside != nullptr) beside->tick();
      }
    }
    std::sort(times.begin(), times.end());
    return times[times.size() * 99 / 100];
  }

  LiveServer server;
};

TEST_F(Hostile, ClientsCostLittleMemory) {
  const double alone = good_calls();
  const double before = bench::resident(std::to_string(server.pid()));
  const HostileProcess hostile{server.port(), kIdle};
  (void)good_calls(&hostile);
  const double beside = good_calls(&hostile);
  const double more = bench::resident(std::to_string(server.pid())) - before;
  std::printf("p99 alone %.2f ms, beside hostile clients %.2f ms; memory %+.1f MiB\n", alone, beside, more);
  EXPECT_LT(more, kMemoryMax);
}

}  // namespace
}  // namespace pawl::testing
