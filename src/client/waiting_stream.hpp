#pragma once
// A connection of a client, plain or TLS, whose calls wait: for the other side, for the deadline, or until
// another thread cancels, whichever comes first.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

#include "core/result.hpp"
#include "core/time.hpp"
#include "net/descriptor.hpp"
#include "net/stream.hpp"

namespace pawl::client {

struct Endpoint {
  sockaddr_storage address = {};
  socklen_t size = 0;

  [[nodiscard]] std::string ip() const;
};

// Where a host is to be found. A problem says why it is not; its detail is the system's reason.
[[nodiscard]] core::Result<std::vector<Endpoint>> resolve(const std::string& host, const std::string& port);

// Ends what waits, from any thread, for good.
class Cancellation {
 public:
  Cancellation();
  void cancel();
  [[nodiscard]] bool is_cancelled() const;
  [[nodiscard]] int descriptor() const { return event_.get(); }  // can be read from then on

 private:
  net::Descriptor event_;
};

class WaitingStream {
 public:
  explicit WaitingStream(const Cancellation& cancellation);

  // For all that follows, until it is set again.
  void expires_after(core::Duration time);
  // To the first that answers. These are false when it is over; then one of the two below says why.
  [[nodiscard]] bool connect(const std::vector<Endpoint>& endpoints);
  [[nodiscard]] bool begin_tls(SSL_CTX* context, const std::string& host);
  [[nodiscard]] bool write(std::string_view bytes);
  // 0: the other side has ended it well (`is_closed`), or it is over.
  [[nodiscard]] std::size_t read(std::span<char> into);

  [[nodiscard]] bool is_closed() const { return is_closed_; }
  [[nodiscard]] bool has_timed_out() const { return has_timed_out_; }
  [[nodiscard]] const std::string& failure() const { return why_; }

 private:
  [[nodiscard]] bool connect_to(const Endpoint& endpoint);
  [[nodiscard]] bool wait(short events);
  [[nodiscard]] bool wait_for(net::Progress wanted);

  const Cancellation& cancellation_;
  net::Descriptor deadline_;  // a timerfd: poll waits for it as for the rest
  net::Descriptor socket_;
  std::optional<net::Stream> stream_;
  std::string why_;
  bool is_closed_ = false;
  bool has_timed_out_ = false;
};

}  // namespace pawl::client
