#include "server/connection.hpp"

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

#include "server/pending.hpp"

// GCC 12 sees Asio's operator new of a coroutine inlined and its operator delete not, and takes them for
// strangers.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace pawl::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

constexpr auto kTuple = asio::as_tuple(UseAwaitable{});

constexpr std::size_t kReadSize = 4U << 10U;   // a header with a small body
constexpr std::size_t kBodyReadSize = 64U << 10U;

Response refusal(int status, core::ProblemCode code, const std::string& detail) {
  return problem_response({.code = code, .detail = detail}, "", status);
}

std::string text_of(const http::fields& fields, std::string_view name) {
  const auto field = fields.find(beast::string_view{name.data(), name.size()});
  return field == fields.end() ? std::string{} : std::string{field->value()};
}

// What the parser found wrong, as the status that says so; nothing where there is nobody to tell.
std::optional<Response> refusal_of(const beast::error_code& error) {
  using core::ProblemCode;
  if (error == http::error::header_limit)
    return refusal(431, ProblemCode::invalid_argument, "the header is too large");
  if (error == http::error::body_limit)
    return refusal(413, ProblemCode::payload_too_large, "the body is too large");
  if (error == http::error::end_of_stream || error == http::error::partial_message) return std::nullopt;
  if (error.category() == make_error_code(http::error::bad_method).category())
    return refusal(400, ProblemCode::invalid_argument, "the request is not HTTP/1.1: " + error.message());
  return std::nullopt;
}

}  // namespace

Connection::Connection(Socket socket, Tls::Context* tls, const HttpLimits& limits, Dispatch& dispatch)
    : stream_(std::move(socket), tls),
      limits_(limits),
      dispatch_(dispatch),
      is_local_(stream_.is_peer_local()) {}

void Connection::stop() {
  is_stopping_ = true;
  asio::post(executor(), [self = shared_from_this()] {
    if (self->is_idle_) self->stream_.cancel();
    self->alarm_.cancel();
  });
}

Awaitable<void> Connection::run() {
  keeps_alive_ = co_await open();
  for (int served = 0; keeps_alive_ && !is_stopping_; ++served) {
    if (!co_await wait_for_request()) break;
    auto incoming = co_await read();
    if (!incoming) break;
    keeps_alive_ = keeps_alive_ && served + 1 < limits_.requests_per_connection_max;
    Response response = co_await answer_of(std::move(*incoming));
    if (response.events) {
      co_await write_events(std::move(response));
      break;
    }
    if (!co_await write(std::move(response), keeps_alive_ && !is_stopping_)) break;
  }
  stream_.close();
}

Awaitable<bool> Connection::open() {
  const auto opening = co_await stream_.open(limits_.header_timeout);
  if (opening == Transport::Opening::spoke_plainly)
    co_await refuse(refusal(400, core::ProblemCode::invalid_argument, "this port speaks TLS: use https://"));
  co_return opening == Transport::Opening::ready;
}

// A connection may be idle for long, but a request that has begun must come soon.
Awaitable<bool> Connection::wait_for_request() {
  if (buffer_.size() > 0) {
    co_await stream_.give_way();  // one who sends many ahead must not hold up the others
    co_return true;
  }
  buffer_.shrink_to_fit();  // many connections wait most of the time
  is_idle_ = true;
  stream_.expires_after(limits_.idle_timeout);
  const bool has_come = co_await stream_.wait_for_input();
  is_idle_ = false;
  co_return has_come;
}

Awaitable<bool> Connection::fill(std::size_t size_max) {
  const auto room = buffer_.prepare(size_max);
  const std::size_t size = co_await stream_.read_some({static_cast<char*>(room.data()), room.size()});
  buffer_.commit(size);
  co_return size > 0;
}

Awaitable<std::optional<Incoming>> Connection::read() {
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(limits_.header_bytes_max));
  parser.body_limit(boost::none);
  if (const Error error = co_await read_header(parser)) {
    if (auto response = server::refusal_of(error)) co_await refuse(std::move(*response));
    co_return std::nullopt;
  }
  is_head_ = parser.get().method() == http::verb::head;
  if (auto response = refusal_of(parser)) {
    co_await refuse(std::move(*response));
    co_return std::nullopt;
  }
  const std::size_t body_max =
      dispatch_.body_limit(std::string{parser.get().method_string()}, std::string{parser.get().target()});
  parser.body_limit(
      body_max);  // compared with what comes in chunks; a length that is announced is compared here
  if (parser.content_length().value_or(0) > body_max) {
    co_await refuse(refusal(413, core::ProblemCode::payload_too_large, "the body is too large"));
    co_return std::nullopt;
  }
  if (text_of(parser.get(), "Expect") == "100-continue")
    (void)co_await write_bytes("HTTP/1.1 100 Continue\r\n\r\n");
  if (const Error error = co_await read_body(parser)) {
    if (auto response = server::refusal_of(error)) co_await refuse(std::move(*response));
    co_return std::nullopt;
  }
  keeps_alive_ = parser.keep_alive();
  co_return incoming_from(parser);
}

Awaitable<Connection::Error> Connection::read_header(Parser& parser) {
  header_size_ = 0;
  stream_.expires_after(limits_.header_timeout);
  while (!parser.is_header_done()) {
    Error error;
    const std::size_t used = parser.put(buffer_.data(), error);
    buffer_.consume(used);
    header_size_ += used;
    if (error && error != http::error::need_more) co_return error;
    if (error && !co_await fill(kReadSize)) co_return http::error::end_of_stream;
  }
  co_return Error{};
}

Awaitable<Connection::Error> Connection::read_body(Parser& parser) {
  parser.eager(true);
  const auto began_at = dispatch_.monotonic();
  std::int64_t received = 0;
  while (!parser.is_done()) {
    Error error;
    const std::size_t used = parser.put(buffer_.data(), error);
    buffer_.consume(used);
    received += static_cast<std::int64_t>(used);
    if (error && error != http::error::need_more) co_return error;
    if (parser.is_done()) break;
    // What stands between chunks is kept until it is whole, and has no other limit.
    if (buffer_.size() > limits_.header_bytes_max) co_return http::error::header_limit;
    const auto left = time_for_body(limits_, received) - (dispatch_.monotonic() - began_at);
    if (left <= core::Duration{0}) co_return beast::error::timeout;
    stream_.expires_after(left);
    if (received > 0) co_await stream_.give_way();  // a large body must not hold up the others
    if (!co_await fill(kBodyReadSize)) co_return http::error::partial_message;
  }
  co_return Error{};
}

std::optional<Response> Connection::refusal_of(const Parser& parser) const {
  using core::ProblemCode;
  const auto& request = parser.get();
  if (request.version() != 11 && request.version() != 10)
    return refusal(505, ProblemCode::invalid_argument, "only HTTP/1.1 is spoken here");
  if (request.target().size() > limits_.target_bytes_max)
    return refusal(414, ProblemCode::invalid_argument, "the address is too long");
  if (header_size_ > limits_.header_bytes_max)  // the parser stops only some bytes later
    return refusal(431, ProblemCode::invalid_argument, "the header is too large");
  std::size_t fields = 0;
  std::size_t hosts = 0;
  for (const auto& field : request) {
    ++fields;
    hosts += field.name() == http::field::host ? 1 : 0;
    if (field.name_string().size() + field.value().size() > limits_.field_bytes_max)
      return refusal(431, ProblemCode::invalid_argument, "a header field is too large");
  }
  if (fields > limits_.fields_max)
    return refusal(431, ProblemCode::invalid_argument, "too many header fields");
  if (request.find(http::field::content_encoding) != request.end())
    return refusal(415, ProblemCode::invalid_argument, "a body must not be compressed");
  if (hosts != 1 && request.version() == 11)
    return refusal(400, ProblemCode::invalid_argument, "exactly one Host field is needed");
  return std::nullopt;
}

Incoming Connection::incoming_from(Parser& parser) const {
  auto request = parser.release();
  return {.method = std::string{request.method_string()},
          .target = std::string{request.target()},
          .host = text_of(request, "Host"),
          .origin = text_of(request, "Origin"),
          .authorization = text_of(request, "Authorization"),
          .idempotency_key = text_of(request, "Idempotency-Key"),
          .request_id = text_of(request, "X-Request-Id"),
          .accept = text_of(request, "Accept"),
          .last_event_id = text_of(request, "Last-Event-ID"),
          .body = std::move(request.body()),
          .is_local = is_local_};
}

Awaitable<Response> Connection::answer_of(Incoming incoming) {
  stream_.expires_never();
  Pending<Response> pending{executor()};
  dispatch_.handle(std::move(incoming), pending.giver());
  co_return co_await Pending<Response>::taken(std::move(pending));
}

std::string Connection::head_of(const Response& response, bool keep_alive) const {
  std::string head;
  head.reserve(512);
  auto out = std::back_inserter(head);
  const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nDate: {}\r\n", response.status,
                 std::string_view{reason.data(), reason.size()}, response.content_type, dispatch_.http_date());
  for (const auto& [name, value] : response.headers) fmt::format_to(out, "{}: {}\r\n", name, value);
  if (!keep_alive) head += "Connection: close\r\n";
  return head;
}

Awaitable<bool> Connection::write(Response response, bool keep_alive) {
  if (response.undelivered && stream_.is_peer_gone()) {
    response.undelivered();
    co_return false;
  }
  std::string bytes = head_of(response, keep_alive);
  fmt::format_to(std::back_inserter(bytes), "Content-Length: {}\r\n\r\n", response.body.size());
  if (!is_head_) bytes += response.body;  // one write, and over TLS one record
  const bool is_sent = co_await write_bytes(std::move(bytes));
  if (!is_sent && response.undelivered) response.undelivered();
  co_return is_sent;
}

Awaitable<bool> Connection::write_bytes(std::string bytes) {
  stream_.expires_after(limits_.write_timeout);
  co_return co_await stream_.write(std::move(bytes));
}

Awaitable<void> Connection::write_events(Response response) {
  const auto events = response.events;
  events->attach([weak = weak_from_this()] {
    if (const auto self = weak.lock()) asio::post(self->executor(), [self] { self->alarm_.cancel(); });
  });
  // The end of the connection is the end of the body.
  bool is_open = co_await write_bytes(head_of(response, false) + "\r\n");
  while (is_open && !is_stopping_ && !stream_.is_peer_gone()) {
    auto taken = events->take();
    if (taken.bytes.empty() && !taken.is_last) {
      alarm_.expires_after(limits_.heartbeat);
      auto [woken] = co_await alarm_.async_wait(kTuple);
      if (woken) continue;
      taken.bytes = ":\n\n";  // a comment, so that both sides see whether the other one is there
    }
    is_open = co_await write_bytes(std::move(taken.bytes)) && !taken.is_last;
  }
  events->close();
}

// What follows a request that was not understood cannot be trusted to be one: the connection ends.
Awaitable<void> Connection::refuse(Response response) {
  keeps_alive_ = false;
  (void)co_await write(std::move(response), false);
}

}  // namespace pawl::server
