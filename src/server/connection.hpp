#pragma once
// One connection: reads a request, waits for its answer, writes it, and so on. Requests that come before
// their turn stay in the socket, so that answers keep their order. All of it runs on one network thread.
//
// Beast's parser is fed by hand and the head of an answer is written as text: its composed operations would
// be compiled once for each kind of stream, and took most of the time of a build.

#include <atomic>
#include <optional>
#include <string>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "server/dispatch.hpp"
#include "server/http_server.hpp"
#include "server/transport.hpp"

namespace pawl::server {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `tls`: null for plain TCP. It need not outlive the call.
  Connection(Socket socket, Tls::Context* tls, const HttpLimits& limits, Dispatch& dispatch);

  [[nodiscard]] Executor executor() { return stream_.executor(); }
  [[nodiscard]] Awaitable<void> run();
  // Ends it now if it waits for a request, else after the answer. Any thread.
  void stop();

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  using Error = boost::system::error_code;

  [[nodiscard]] Awaitable<bool> open();
  [[nodiscard]] Awaitable<bool> wait_for_request();
  // The request, or nothing when the connection is over; what is wrong with it is answered here.
  [[nodiscard]] Awaitable<std::optional<Incoming>> read();
  // Both feed the parser with what has come and what comes.
  [[nodiscard]] Awaitable<Error> read_header(Parser& parser);
  // All of it in time, and never too slowly for long.
  [[nodiscard]] Awaitable<Error> read_body(Parser& parser);
  // Puts more into the buffer; false: nothing more comes.
  [[nodiscard]] Awaitable<bool> fill(std::size_t size_max);
  [[nodiscard]] std::optional<Response> refusal_of(const Parser& parser) const;
  [[nodiscard]] Incoming incoming_from(Parser& parser) const;
  [[nodiscard]] Awaitable<Response> answer_of(Incoming incoming);
  // Whether it was handed over.
  [[nodiscard]] Awaitable<bool> write(Response response, bool keep_alive);
  // Until the stream ends, the caller is gone or the server stops; the connection ends with it.
  [[nodiscard]] Awaitable<void> write_events(Response response);
  [[nodiscard]] Awaitable<bool> write_bytes(std::string bytes);
  // Status and fields, without the end of the head.
  [[nodiscard]] std::string head_of(const Response& response, bool keep_alive) const;
  [[nodiscard]] Awaitable<void> refuse(Response response);

  Transport stream_;
  Timer alarm_{stream_.executor()};  // ends the wait for events
  boost::beast::flat_buffer buffer_;
  const HttpLimits& limits_;
  Dispatch& dispatch_;
  std::size_t header_size_ = 0;
  bool is_local_ = false;
  bool keeps_alive_ = true;
  bool is_head_ = false;
  bool is_idle_ = false;
  std::atomic<bool> is_stopping_ = false;
};

}  // namespace pawl::server
