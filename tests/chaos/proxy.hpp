#pragma once
// What lies between a node and its database: a relay of bytes that can be told to misbehave. One thread of
// its own; told from any.

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
    close,  // ends every connection, and new ones at once
    stall,  // holds everything back; nothing is lost when it passes again
    drop,   // swallows everything; what lost bytes is ended when it passes again
  };

  explicit Proxy(int server_port);
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  ~Proxy();

  [[nodiscard]] int port() const { return port_; }
  void set(Mode mode) { mode_ = mode; }
  // How many connections a mode has hurt: were closed, had bytes held back, lost some.
  [[nodiscard]] int hurt(Mode mode) const { return hurt_.at(static_cast<std::size_t>(mode)); }

 private:
  struct Link {
    net::Descriptor client;
    net::Descriptor server;
    bool is_hurt = false;  // by the mode of now
  };

  void run();
  void change(Mode to);
  void accept_one();
  // False when it is over.
  bool move(Link& link);
  bool pass_on(const net::Descriptor& from, const net::Descriptor& to, Link& link);
  void note_held_back();
  void note_hurt(Link& link);

  int server_port_;
  int port_ = 0;
  net::Descriptor listener_;
  std::atomic<bool> is_over_ = false;
  std::atomic<Mode> mode_ = Mode::pass;
  Mode now_ = Mode::pass;  // of the thread
  std::array<std::atomic<int>, 4> hurt_{};
  std::list<Link> links_;
  std::array<char, 65536> buffer_{};
  std::thread thread_;
};

}  // namespace pawl::chaos
