#pragma once
// A client's connection, plain or TLS, with blocking calls: each waits for the other side, for the deadline,
// or until another thread cancels, whichever comes first.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "net/descriptor.hpp"
#include "net/stream.hpp"

namespace pawl::client {

struct Endpoint {
  sockaddr_storage address = {};
  socklen_t size = 0;

  [[nodiscard]] std::string ip() const;
};

// Resolves a host. The detail of a problem is the system's reason.
[[nodiscard]] core::Result<std::vector<Endpoint>> resolve(const std::string& host, const std::string& port);

// Ends all waits permanently. Thread-safe.
class Cancellation {
 public:
  Cancellation();
  void cancel();
  [[nodiscard]] bool is_cancelled() const;
  [[nodiscard]] int descriptor() const { return event_.get(); }  // readable after `cancel`

 private:
  net::Descriptor event_;
};

class WaitingStream {
 public:
  explicit WaitingStream(const Cancellation& cancellation);

  // The deadline of all later calls, until it is set again.
  void expires_after(core::Duration time);
  // Connects to the first endpoint that answers. These calls return false if the connection has failed;
  // `has_timed_out` and `failure` give the reason.
  [[nodiscard]] bool connect(const std::vector<Endpoint>& endpoints);
  [[nodiscard]] bool begin_tls(SSL_CTX* context, const std::string& host);
  [[nodiscard]] bool write(std::string_view bytes);
  // 0: the other side has closed it properly (`is_closed`), or the connection has failed.
  [[nodiscard]] std::size_t read(std::span<char> into);

  [[nodiscard]] bool is_closed() const { return is_closed_; }
  [[nodiscard]] bool has_timed_out() const { return has_timed_out_; }
  [[nodiscard]] const std::string& failure() const { return why_; }

 private:
  [[nodiscard]] bool connect_to(const Endpoint& endpoint);
  [[nodiscard]] bool wait(short events);
  [[nodiscard]] bool wait_for(net::Progress wanted);

  const Cancellation& cancellation_;
  net::Descriptor deadline_;  // a timerfd, so that poll waits for it too
  net::Descriptor socket_;
  std::optional<net::Stream> stream_;
  std::string why_;
  bool is_closed_ = false;
  bool has_timed_out_ = false;
};

}  // namespace pawl::client
