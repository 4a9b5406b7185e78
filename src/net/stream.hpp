#pragma once
// A connected socket, plain or with TLS over it. Nothing here waits: each call does what can be done now, and
// says what must come before it is made again. How to wait for that is left to the owner of the socket: the
// server has a loop of events, a client blocks. One thread at a time.

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
  std::size_t bytes = 0;  // more than none where it is done
};

class Stream {
 public:
  enum class Side : std::uint8_t { client, server };

  // The socket does not block, and is open as long as the stream is used. It is not closed here.
  explicit Stream(int socket) : socket_(socket) {}

  // From here on it is TLS, beginning with `shake_hands`.
  void use_tls(SSL_CTX* context, Side side);
  // Plain again: what came was no TLS.
  void drop_tls() { tls_.reset(); }
  // Null where it is plain.
  [[nodiscard]] SSL* tls() const { return tls_.get(); }

  [[nodiscard]] Progress shake_hands();
  [[nodiscard]] Moved read(std::span<char> into);
  // What has come over the socket, as it came: TLS is not undone.
  [[nodiscard]] Moved discard(std::size_t bytes_max);
  [[nodiscard]] Moved write(std::string_view bytes);
  // That nothing more comes, as far as it can be said at once. Does not wait for the other side to say so.
  void say_goodbye();
  // Whether something was received that waiting for the socket would not show.
  [[nodiscard]] bool has_input() const { return tls_ != nullptr && SSL_has_pending(tls_.get()) == 1; }

  // Why it failed last.
  [[nodiscard]] std::string failure() const;
  // The reason in OpenSSL's numbers; 0: it was none of TLS.
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
