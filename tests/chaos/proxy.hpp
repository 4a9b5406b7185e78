#pragma once
// A TCP proxy between a node and its database that can disturb the connections. It has one thread of its own;
// any thread may call it.

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <thread>

#include "net/descriptor.hpp"

namespace pawl::chaos {

class Proxy {
 public:
  enum class Mode : std::uint8_t {
    pass,
    close,  // closes every connection, and new ones immediately
    stall,  // holds all bytes back; none are lost when the mode is `pass` again
    drop,   // discards all bytes; connections that lost some are closed when the mode ends
  };

  explicit Proxy(int server_port);
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  ~Proxy();

  [[nodiscard]] int port() const { return port_; }
  void set(Mode mode) { mode_ = mode; }
  // The number of connections that a mode has affected: closed, had bytes held back, or lost bytes.
  [[nodiscard]] int hurt(Mode mode) const { return hurt_.at(static_cast<std::size_t>(mode)); }

 private:
  struct Link {
    net::Descriptor client;
    net::Descriptor server;
    bool is_hurt = false;  // by the current mode
  };

  void run();
  void change(Mode to);
  void accept_one();
  // Returns false when the connection has ended.
  bool move(Link& link);
  bool pass_on(const net::Descriptor& from, const net::Descriptor& to, Link& link);
  void note_held_back();
  void note_hurt(Link& link);

  int server_port_;
  int port_ = 0;
  net::Descriptor listener_;
  std::atomic<bool> is_over_ = false;
  std::atomic<Mode> mode_ = Mode::pass;
  Mode now_ = Mode::pass;  // only used by the thread
  std::array<std::atomic<int>, 4> hurt_{};
  std::list<Link> links_;
  std::array<char, 65536> buffer_{};
  std::thread thread_;
};

}  // namespace pawl::chaos
