#pragma once
// One connection: reads a request, waits for its answer, writes it, and so on. Requests that come before
// their turn stay in the socket, so that answers keep their order. All of it runs on the connection's strand.

#include <atomic>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "server/dispatch.hpp"
#include "server/http_server.hpp"
#include "server/transport.hpp"

namespace pawl::server {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Transport stream, const HttpLimits& limits, Dispatch& dispatch);

  [[nodiscard]] Transport::executor_type executor() { return stream_.get_executor(); }
  [[nodiscard]] boost::asio::awaitable<void> run();
  // Ends it now if it waits for a request, else after the answer. Any thread.
  void stop();

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  [[nodiscard]] boost::asio::awaitable<bool> open();
  [[nodiscard]] boost::asio::awaitable<bool> wait_for_request();
  // The request, or nothing when the connection is over; what is wrong with it is answered here.
  [[nodiscard]] boost::asio::awaitable<std::optional<Incoming>> read();
  // The rest of the request: all of it in time, and never too slowly for long.
  [[nodiscard]] boost::asio::awaitable<boost::system::error_code> read_body(Parser& parser);
  [[nodiscard]] std::optional<Response> refusal_of(const Parser& parser, std::size_t header_size) const;
  [[nodiscard]] Incoming incoming_from(Parser& parser) const;
  [[nodiscard]] boost::asio::awaitable<Response> answer_of(Incoming incoming);
  // Whether it was handed over.
  [[nodiscard]] boost::asio::awaitable<bool> write(Response response, bool keep_alive);
  // Until the stream ends, the caller is gone or the server stops; the connection ends with it.
  [[nodiscard]] boost::asio::awaitable<void> write_events(Response response);
  [[nodiscard]] boost::asio::awaitable<bool> write_bytes(std::string bytes);
  void set_fields(boost::beast::http::fields& out, const Response& response) const;
  [[nodiscard]] boost::asio::awaitable<void> refuse(Response response);

  Transport stream_;
  boost::asio::steady_timer alarm_{stream_.get_executor()};  // ends the wait for events
  boost::beast::flat_buffer buffer_;
  const HttpLimits& limits_;
  Dispatch& dispatch_;
  bool is_local_ = false;
  bool keeps_alive_ = true;
  bool is_head_ = false;
  bool is_idle_ = false;
  std::atomic<bool> is_stopping_ = false;
};

}  // namespace pawl::server
