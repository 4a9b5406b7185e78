#pragma once
// HTTP/1.1 over TCP: listens, parses requests strictly and within limits, and writes responses in order.
// Dispatch handles the requests.

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

// How much input, for how long, the server discards from a rejected client. If it closed the connection
// immediately, the client would see a connection error and never read the response.
struct Linger {
  std::size_t bytes_max = 0;
  std::chrono::milliseconds timeout{0};
};

struct HttpLimits {
  std::size_t header_bytes_max = 32U << 10U;       // whole header including the request line
  std::size_t request_line_bytes_max = 8U << 10U;  // line limits exclude the line end
  std::size_t field_bytes_max = 8U << 10U;         // of one field line
  std::size_t fields_max = 100;
  std::size_t chunk_extension_bytes_max = 256;  // of each chunk; trailer fields have the header's limits
  std::int64_t connections_max = 1'024;
  int connections_per_address_max = 64;
  bool spares_loopback = true;  // programs on this machine share one address
  int requests_per_connection_max = 1'000;
  std::chrono::milliseconds header_timeout{5'000};  // also for the first byte of a connection
  std::chrono::milliseconds body_timeout{30'000};
  std::chrono::milliseconds body_grace{5'000};  // after this the body must arrive at the rate below
  std::int64_t body_bytes_per_second_min = 1'024;
  std::chrono::milliseconds idle_timeout{60'000};
  std::chrono::milliseconds write_timeout{10'000};
  std::chrono::milliseconds heartbeat{15'000};  // interval of comments on an idle event stream
  Linger linger{.bytes_max = 64U << 20U, .timeout = std::chrono::milliseconds{5'000}};
  // For clients without a readable header: a well-behaved client sends little more than that.
  Linger unread{.bytes_max = 256U << 10U, .timeout = std::chrono::milliseconds{1'000}};
  // For connections above the limit: they are not counted as connections, so they are few and short. Probes
  // are served on them.
  Linger farewell{.bytes_max = 1U << 20U, .timeout = std::chrono::milliseconds{1'000}};
  std::chrono::milliseconds farewell_header_timeout{1'000};
  int farewells_max = 64;  // at the same time
};

// Time limit for a body of which this much has arrived; slow bodies time out early.
[[nodiscard]] core::Duration time_for_body(const HttpLimits& limits, std::int64_t bytes_received);

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free port
  int threads = 2;
  FairThreads::Caps blocking = {};
  HttpLimits limits = {};
  TlsFiles tls = {};
};

class HttpServer {
 public:
  // `log`: null disables logging.
  HttpServer(const HttpOptions& options, Metrics& metrics, Log* log = nullptr);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // New connections wait until `start`.
  [[nodiscard]] core::Status listen();
  // Reloads the certificate files for new connections. Existing connections continue, and if the files are
  // invalid the old certificate stays in use. Any thread.
  [[nodiscard]] core::Status reload_certificate();
  [[nodiscard]] std::uint16_t port() const;
  // The threads for calls that block.
  [[nodiscard]] Blocking blocking();
  [[nodiscard]] Later later();

  // `dispatch` and everything that it calls must live until `stop` has returned.
  void start(Dispatch& dispatch);
  // Accepts no new connections and closes idle ones; the others end after their response.
  void stop_accepting();
  // Waits until every connection has ended or the time is over. Meanwhile it calls `answer_waiting`
  // repeatedly to answer calls that wait for events that can no longer happen.
  void wait_for_connections(std::chrono::milliseconds at_most, const std::function<void()>& answer_waiting);

  // Ends all threads. Later responses are not sent.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::server
