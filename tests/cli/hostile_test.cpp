// Hostile clients beside a good one of the real program: its memory stays bounded. How much slower it becomes
// for the good one is printed, not asserted.
#include "tests/support/hostile.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "bench/resident.hpp"
#include "tests/cli/live_server.hpp"

namespace pawl::testing {
namespace {

using std::chrono::steady_clock;

constexpr int kIdle = 900;
constexpr int kConnections = 4;
constexpr int kCalls = 900;        // of each: a connection may ask 1,000 times
constexpr double kMemoryMax = 64;  // MiB more than before, for all of them together

class Hostile : public ::testing::Test {
 protected:
  Hostile() { (void)good_calls(); }  // the first ones find nothing warm

  // Milliseconds at the 99th percentile, of enqueues one after the other.
  double good_calls(HostileClients* beside = nullptr) {
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

TEST_F(Hostile, ClientsCostLittleMemoryAndLittleTime) {
  const double alone = good_calls();
  const double before = bench::resident(std::to_string(server.pid()));
  HostileClients hostile{server.port(), kIdle};
  const double beside = good_calls(&hostile);
  const double more = bench::resident(std::to_string(server.pid())) - before;
  std::printf("p99 alone %.2f ms, beside hostile clients %.2f ms; memory %+.1f MiB\n", alone, beside, more);
  EXPECT_LT(more, kMemoryMax);
}

}  // namespace
}  // namespace pawl::testing
