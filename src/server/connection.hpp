#pragma once
// One HTTP connection: it reads a request, waits for the response, writes it and repeats. Pipelined requests
// stay in the socket until their turn, so responses keep the order of requests. Everything runs on one
// network thread.
//
// Unauthorized requests are rejected after the header, and their body is not read. The client may still be
// sending it and read the response only afterwards, so the connection lingers after an early response.
//
// The connection feeds the parser itself and formats response heads as text: Beast's composed operations
// would be compiled once for each stream type, and took most of the build time.

#include <atomic>
#include <optional>
#include <string>

#include "server/dispatch.hpp"
#include "server/http_server.hpp"
#include "server/request_parser.hpp"
#include "server/transport.hpp"

namespace pawl::server {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `tls`: null for plain TCP. It need not outlive the call. `network`: the client's network, as per-network
  // limits count it (peer_network).
  Connection(Socket socket, Tls::Context* tls, const HttpLimits& limits, Dispatch& dispatch,
             std::string network);

  [[nodiscard]] Executor executor() { return stream_.executor(); }
  [[nodiscard]] Awaitable<void> run();
  // Replaces `run` above the connection limit: serves a probe and answers every other request with the
  // refusal.
  [[nodiscard]] Awaitable<void> turn_away(core::Problem refusal);
  // Ends the connection immediately if it is idle or lingering, otherwise after the current response. Any
  // thread.
  void stop();
  // The same, but also ends it immediately while it reads a header. Any thread.
  void displace();
  // Sets a callback that runs on the connection's thread when a request that needs a role is admitted: for
  // the first such request, and whenever the token differs from the previous one. Set it before `run`.
  void when_admitted(std::function<void(const std::string& token)> admitted) {
    admitted_ = std::move(admitted);
  }
  // Whether the connection waits for a request. Any thread.
  [[nodiscard]] bool is_idle() const { return is_idle_; }

 private:
  [[nodiscard]] Awaitable<bool> open(std::chrono::milliseconds timeout);
  [[nodiscard]] Awaitable<bool> wait_for_request(std::chrono::milliseconds timeout);
  // Handles one request; returns whether the connection stays open.
  [[nodiscard]] Awaitable<bool> serve(bool is_last);
  // The same after the header was read.
  [[nodiscard]] Awaitable<bool> serve_request(RequestParser& parser, bool is_last);
  // Reads until the parser has the header or refuses it; false: no more input arrives.
  [[nodiscard]] Awaitable<bool> read_header(RequestParser& parser, std::chrono::milliseconds timeout);
  // The same for the body, within the time and rate limits.
  [[nodiscard]] Awaitable<bool> read_body(RequestParser& parser);
  void begin_body(RequestParser& parser);
  void note_admitted(const std::string& token);
  // `id`: the request id.
  [[nodiscard]] Awaitable<bool> refuse(RequestParser& parser, std::string id, Linger lingers);
  // An id for a request that never reaches Dispatch, which normally assigns ids.
  [[nodiscard]] std::string new_request_id() const;
  // Passes the buffered input to the parser.
  void feed(RequestParser& parser);
  [[nodiscard]] Awaitable<Admission> admission_of(Incoming incoming);
  [[nodiscard]] Awaitable<Response> answer_of(Request request);
  [[nodiscard]] WhenGone when_gone();
  // Returns whether the connection stays open: `goes_on`, and the whole response was sent.
  Awaitable<bool> write(Response response, bool goes_on);
  // Writes the last response to a client that may still be sending.
  Awaitable<bool> write_early(Response response, Linger lingers);
  [[nodiscard]] Awaitable<void> close();
  [[nodiscard]] Awaitable<void> linger();
  // Writes until the stream ends, the client disconnects or the server stops; then the connection ends too.
  [[nodiscard]] Awaitable<void> write_events(Response response);
  [[nodiscard]] Awaitable<bool> write_bytes(std::string bytes);
  // Status line and fields, without the empty line that ends the head.
  [[nodiscard]] std::string head_of(const Response& response, bool keep_alive) const;
  Transport stream_;
  Timer alarm_{stream_.executor()};  // ends the wait for events
  std::string buffer_;               // received but not yet parsed
  const HttpLimits& limits_;
  Dispatch& dispatch_;
  bool is_local_ = false;
  bool is_head_ = false;
  bool is_http_1_0_ = false;
  std::string network_;
  std::function<void(const std::string& token)> admitted_;
  std::optional<std::string> token_;   // of the last request that needed a role
  std::atomic<bool> is_idle_ = false;  // waits for a request, or lingers
  bool is_reading_header_ = false;
  std::uint64_t requests_ = 0;     // number of requests passed to Dispatch::call
  bool is_answering_ = false;      // the last of them has no response yet
  std::optional<Linger> lingers_;  // set if the last response preceded the end of its request
  std::atomic<bool> is_stopping_ = false;
};

}  // namespace pawl::server
