#pragma once
// Clients that attack a server, each repeatedly: headers byte by byte, an endless body, a request byte by
// byte, a header of a megabyte, deep JSON, two lengths for one body, wrong line ends; and silent connections.
// Each expects to be refused as documented.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/raw_client.hpp"

namespace pawl::testing {

class HostileClients {
 public:
  HostileClients(int port, int idle);
  HostileClients(const HostileClients&) = delete;
  HostileClients& operator=(const HostileClients&) = delete;
  ~HostileClients();

  // Called after each served good request: the slowest client sends its next byte.
  void tick();

 private:
  void repeat(std::function<void()> attack);
  void send_slow_headers();
  void send_endless_chunks();
  void send_split_request();
  // Expects this status, and that the connection is closed.
  void be_refused(const std::string& request, int status) const;

  const int port_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> ticks_ = 0;
  std::vector<std::unique_ptr<RawClient>> idle_;
  std::vector<std::thread> threads_;
};

}  // namespace pawl::testing
