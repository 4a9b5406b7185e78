#include "tests/support/hostile.hpp"

#include <utility>

#include <gtest/gtest.h>
#include <sched.h>

namespace pawl::testing {

namespace {

// Real attackers have machines of their own. Here they run at idle priority, and get only the CPU time that
// the server and the good clients leave, so that the test measures their effect on the server.
void stay_out_of_the_way() {
  const sched_param none{};
  (void)sched_setscheduler(0, SCHED_IDLE, &none);
}

// Sending a megabyte with one system call would occupy this machine's kernel for as long.
void send_in_pieces(const RawClient& client, std::string_view bytes) {
  constexpr std::size_t kPiece = 16U << 10U;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    if (!client.send(bytes.substr(at, kPiece))) return;
  }
}

}  // namespace

HostileClients::HostileClients(int port, int idle) : port_(port) {
  for (int i = 0; i < idle; ++i) idle_.push_back(std::make_unique<RawClient>(port));
  repeat([this] { send_slow_headers(); });
  repeat([this] { send_endless_chunks(); });
  repeat([this] { send_split_request(); });
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  repeat([this, request = post("/v1/default/tasks", R"({"type":"deep","payload":)" + deep + "}")] {
    RawClient client{port_};
    (void)client.send(request);
    EXPECT_EQ(status_of(client.receive()), 400);
  });
  const std::string large =
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(1U << 20U, 'x') + "\r\n\r\n";
  repeat([this, large] { be_refused(large, 431); });
  repeat([this] {
    be_refused(
        "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        400);
  });
  repeat([this] { be_refused("GET /healthz HTTP/1.1\nHost: localhost\n\n", 400); });
}

HostileClients::~HostileClients() {
  is_over_ = true;
  tick();
  for (std::thread& thread : threads_) thread.join();
}

void HostileClients::repeat(std::function<void()> attack) {
  threads_.emplace_back([this, attack = std::move(attack)] {
    stay_out_of_the_way();
    do attack();
    while (!is_over_);
  });
}

void HostileClients::tick() {
  ++ticks_;
  ticks_.notify_all();
}

void HostileClients::send_slow_headers() {
  const RawClient slow{port_};
  for (const char c : get("/v1/default/tasks")) {
    const int before = ticks_;
    if (is_over_ || !slow.send({&c, 1})) return;
    ticks_.wait(before);
  }
}

void HostileClients::send_endless_chunks() {
  const RawClient endless{port_};
  (void)endless.send(
      "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  std::size_t sent = 0;
  while (!is_over_ && endless.send(chunk)) sent += chunk.size();
  EXPECT_LT(sent, 128U << 20U);  // 4 MiB, 64 MiB that are discarded, and the socket buffers
}

void HostileClients::send_split_request() {
  RawClient split{port_};
  for (const char c : post("/v1/default/tasks", R"({"type":"split"})")) EXPECT_TRUE(split.send({&c, 1}));
  EXPECT_EQ(status_of(split.receive()), 201);
}

void HostileClients::be_refused(const std::string& request, int status) const {
  RawClient client{port_};
  send_in_pieces(client, request);
  EXPECT_EQ(status_of(client.receive()), status);
  EXPECT_TRUE(client.is_closed());
}

}  // namespace pawl::testing
