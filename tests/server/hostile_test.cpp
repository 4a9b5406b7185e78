// Hostile clients beside good ones: each is refused as documented, memory stays bounded, and the good ones
// are served. How much slower these become is printed, not asserted.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include "bench/resident.hpp"
#include "tests/server/fixture.hpp"

namespace pawl::testing {
namespace {

using std::chrono::steady_clock;

constexpr int kGoodCalls = 300;
constexpr int kIdle = 900;
constexpr double kMemoryMax = 64;  // MiB more than before, for all of them together

// Attackers have machines of their own: here they get what the server and the good ones leave of this one's
// processors, so that what is measured is what they do to the server.
void stay_out_of_the_way() {
  const sched_param none{};
  (void)sched_setscheduler(0, SCHED_IDLE, &none);
}

class Hostile : public ServerTest {
 protected:
  int port() { return front.port(); }

  // Milliseconds, sorted, of enqueues one after the other.
  std::vector<double> good_calls() {
    std::vector<double> times;
    RawClient good{port()};
    for (int i = 0; i < kGoodCalls; ++i) {
      const auto from = steady_clock::now();
      EXPECT_TRUE(good.send(post("/v1/default/tasks", R"({"type":"good"})")));
      EXPECT_EQ(status_of(good.receive()), 201);
      ++served;
      served.notify_all();
      times.push_back(std::chrono::duration<double, std::milli>(steady_clock::now() - from).count());
    }
    std::sort(times.begin(), times.end());
    return times;
  }

  // A megabyte in one system call would be a megabyte's time of this machine's kernel for nobody else.
  static void send_in_pieces(RawClient& client, std::string_view bytes) {
    constexpr std::size_t kPiece = 16U << 10U;
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      if (!client.send(std::string{bytes.substr(at, kPiece)})) return;
    }
  }

  // The status of what is refused; the connection must be closed after it.
  int refused(const std::string& bytes) {
    RawClient bad{port()};
    send_in_pieces(bad, bytes);
    const int status = status_of(bad.receive());
    EXPECT_TRUE(bad.is_closed());
    return status;
  }

  void send_slow_headers() {
    RawClient slow{port()};
    for (const char c : get("/v1/default/tasks")) {
      const int before = served;
      if (is_over || !slow.send({&c, 1})) return;
      served.wait(before);  // a byte for every good call
    }
  }

  void send_endless_chunks() {
    RawClient endless{port()};
    (void)endless.send(
        "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
    std::size_t sent = 0;
    while (!is_over && endless.send(chunk)) sent += chunk.size();
    EXPECT_LT(sent, 128U << 20U);  // 4 MiB, 64 MiB that are thrown away, and what fits into the sockets
  }

  void send_split_request() {
    RawClient split{port()};
    for (const char c : post("/v1/default/tasks", R"({"type":"split"})")) ASSERT_TRUE(split.send({&c, 1}));
    EXPECT_EQ(status_of(split.receive()), 201);
  }

  std::atomic<bool> is_over = false;
  std::atomic<int> served = 0;
};

TEST_F(Hostile, ClientsAreRefusedAndTheOthersServed) {
  const auto alone = good_calls();
  const double before = bench::resident("self");
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < kIdle; ++i) idle.push_back(std::make_unique<RawClient>(port()));

  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const std::vector<std::function<void()>> attacks{
      [&] { send_slow_headers(); },
      [&] { send_endless_chunks(); },
      [&] { send_split_request(); },
      [&] {
        EXPECT_EQ(
            refused("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(1U << 20U, 'x') + "\r\n\r\n"),
            431);
      },
      [&] {
        RawClient client{port()};
        (void)client.send(post("/v1/default/tasks", R"({"type":"deep","payload":)" + deep + "}"));
        EXPECT_EQ(status_of(client.receive()), 400);
      },
      [&] {
        EXPECT_EQ(refused("POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                          "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                  400);
      },
      [&] { EXPECT_EQ(refused("GET /healthz HTTP/1.1\nHost: localhost\n\n"), 400); }};
  std::vector<std::thread> threads;
  for (const auto& attack : attacks) {
    threads.emplace_back([this, &attack] {
      stay_out_of_the_way();
      do attack();
      while (!is_over);
    });
  }
  const auto beside = good_calls();
  const double during = bench::resident("self");
  is_over = true;
  ++served;
  served.notify_all();
  for (std::thread& thread : threads) thread.join();
  std::printf("p99 alone %.2f ms, beside hostile clients %.2f ms; memory +%.1f MiB\n",
              alone[kGoodCalls * 99 / 100], beside[kGoodCalls * 99 / 100], during - before);
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(during - before, kMemoryMax);
#endif
}

}  // namespace
}  // namespace pawl::testing
