#pragma once
// HTTP/1.1 over TCP: listens, reads requests strictly and within limits, writes answers in order. What a
// request means is left to Dispatch.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/dispatch.hpp"
#include "server/log.hpp"
#include "server/tls.hpp"

namespace pawl::server {

// One who is sent away may go on sending so much for so long, and it is thrown away: were the connection
// closed at once, they would find it broken and never read why.
struct Linger {
  std::size_t bytes_max = 0;
  std::chrono::milliseconds timeout{0};
};

struct HttpLimits {
  std::size_t header_bytes_max = 32U << 10U;       // all of them, with the request line
  std::size_t request_line_bytes_max = 8U << 10U;  // a line has all its bytes but those of its end
  std::size_t field_bytes_max = 8U << 10U;         // of its line
  std::size_t fields_max = 100;
  std::size_t chunk_extension_bytes_max = 256;  // of each chunk; the fields behind the last are as a header
  std::int64_t connections_max = 1'024;
  int connections_per_address_max = 64;
  bool spares_loopback = true;  // the programs of this machine have one address between them
  int requests_per_connection_max = 1'000;
  std::chrono::milliseconds header_timeout{5'000};  // and until the first byte of a connection
  std::chrono::milliseconds body_timeout{30'000};
  std::chrono::milliseconds body_grace{5'000};  // after it a body must have come at this rate
  std::int64_t body_bytes_per_second_min = 1'024;
  std::chrono::milliseconds idle_timeout{60'000};
  std::chrono::milliseconds write_timeout{10'000};
  std::chrono::milliseconds heartbeat{15'000};  // of a stream of events with nothing to tell
  Linger linger{.bytes_max = 64U << 20U, .timeout = std::chrono::milliseconds{5'000}};
  // Of those who sent no header that can be read: nobody who means well has much more of it.
  Linger unread{.bytes_max = 256U << 10U, .timeout = std::chrono::milliseconds{1'000}};
  // Of connections above the limit: they do not count as connections, so there are few and they are short.
  // Probes are served on them.
  Linger farewell{.bytes_max = 1U << 20U, .timeout = std::chrono::milliseconds{1'000}};
  std::chrono::milliseconds farewell_header_timeout{1'000};
  int farewells_max = 64;  // at once
};

// How long a body may take of which so much has come: a slow one is not waited for to the end.
[[nodiscard]] core::Duration time_for_body(const HttpLimits& limits, std::int64_t bytes_received);

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  int threads = 2;
  FairThreads::Caps blocking = {};
  HttpLimits limits = {};
  TlsFiles tls = {};
};

class HttpServer {
 public:
  // `log`: none is written where it is null.
  HttpServer(const HttpOptions& options, Metrics& metrics, Log* log = nullptr);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // A connection made after this waits until `start`.
  [[nodiscard]] core::Status listen();
  // Reads the certificate's files again, for connections to come. Those that there are go on, and where the
  // files are no good so does the old certificate. Any thread.
  [[nodiscard]] core::Status reload_certificate();
  [[nodiscard]] std::uint16_t port() const;
  // The threads for calls that wait.
  [[nodiscard]] Blocking blocking();
  [[nodiscard]] Later later();

  // `dispatch`, and what it calls, must live until `stop` has returned.
  void start(Dispatch& dispatch);
  // No new connections; those that wait for a request are closed, the others after their answer.
  void stop_accepting();
  // Until every connection has ended, or the time is over. Meanwhile `answer_waiting` is called now and then,
  // to answer what waits for something that will not come any more.
  void wait_for_connections(std::chrono::milliseconds at_most, const std::function<void()>& answer_waiting);

  // Ends every thread. What is answered later is not sent any more.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::server
