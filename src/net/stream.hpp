#pragma once
// A connected socket, plain or with TLS. No call blocks: each does what is possible now, and returns what has
// to happen before it is repeated. Waiting is left to the owner of the socket: the server has an event loop,
// a client blocks. One thread at a time.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <openssl/ssl.h>
#include <sys/types.h>

namespace pawl::net {

enum class Progress : std::uint8_t { done, wants_read, wants_write, closed, failed };

struct Moved {
  Progress progress = Progress::failed;
  std::size_t bytes = 0;  // more than 0 if it is done
};

class Stream {
 public:
  enum class Side : std::uint8_t { client, server };

  // The socket is non-blocking, and stays open while the stream is used. The stream does not close it.
  explicit Stream(int socket) : socket_(socket) {}

  // Switches to TLS, beginning with `shake_hands`.
  void use_tls(SSL_CTX* context, Side side);
  // Switches back to plain: the received data was not TLS.
  void drop_tls() { tls_.reset(); }
  // Null if the stream is plain.
  [[nodiscard]] SSL* tls() const { return tls_.get(); }

  [[nodiscard]] Progress shake_hands();
  [[nodiscard]] Moved read(std::span<char> into);
  // Discards raw bytes of the socket, without decrypting TLS.
  [[nodiscard]] Moved discard(std::size_t bytes_max);
  [[nodiscard]] Moved write(std::string_view bytes);
  // Signals the end of the data, as far as that is possible now. Does not wait for the other side's end.
  void say_goodbye();
  // Whether received data is buffered that waiting for the socket would not show.
  [[nodiscard]] bool has_input() const { return tls_ != nullptr && SSL_has_pending(tls_.get()) == 1; }

  // Why the last call failed.
  [[nodiscard]] std::string failure() const;
  // The reason as OpenSSL's number; 0 if TLS was not the cause.
  [[nodiscard]] int tls_failure() const;

 private:
  struct Free {
    void operator()(SSL* tls) const { SSL_free(tls); }
  };

  [[nodiscard]] Progress progress_of(int result);
  [[nodiscard]] Moved received_plainly(ssize_t received);

  int socket_;
  std::unique_ptr<SSL, Free> tls_;
  unsigned long tls_error_ = 0;
  int system_error_ = 0;
};

}  // namespace pawl::net
