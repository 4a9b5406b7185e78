#pragma once
// Clients that mean a server no good, each again and again: headers byte by byte, a body without end, a
// request byte by byte, a header of a megabyte, JSON of great depth, two lengths for one body, lines that end
// wrongly; and connections that say nothing. Each expects to be refused as documented.

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

  // Something good was served: the slowest of them sends its next byte.
  void tick();

 private:
  void repeat(std::function<void()> attack);
  void send_slow_headers();
  void send_endless_chunks();
  void send_split_request();
  // Is answered so, and the connection ends.
  void be_refused(const std::string& request, int status) const;

  const int port_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> ticks_ = 0;
  std::vector<std::unique_ptr<RawClient>> idle_;
  std::vector<std::thread> threads_;
};

}  // namespace pawl::testing
