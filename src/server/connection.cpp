#include "server/connection.hpp"

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

namespace pawl::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

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

Connection::Connection(Transport stream, const HttpLimits& limits, Dispatch& dispatch)
    : stream_(std::move(stream)), limits_(limits), dispatch_(dispatch) {
  beast::error_code error;
  const auto peer = stream_.socket().remote_endpoint(error);
  is_local_ = !error && peer.address().is_loopback();
}

void Connection::stop() {
  is_stopping_ = true;
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    if (self->is_idle_) self->stream_.cancel();
    self->alarm_.cancel();
  });
}

asio::awaitable<void> Connection::run() {
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
  co_await stream_.close(limits_.write_timeout);
}

asio::awaitable<bool> Connection::open() {
  const auto opening = co_await stream_.open(limits_.header_timeout);
  if (opening == Transport::Opening::spoke_plainly)
    co_await refuse(refusal(400, core::ProblemCode::invalid_argument, "this port speaks TLS: use https://"));
  co_return opening == Transport::Opening::ready;
}

// A connection may be idle for long, but a request that has begun must come soon.
asio::awaitable<bool> Connection::wait_for_request() {
  if (buffer_.size() > 0) co_return true;
  buffer_.shrink_to_fit();  // many connections wait most of the time
  is_idle_ = true;
  stream_.expires_after(limits_.idle_timeout);
  auto [error, size] = co_await stream_.async_read_some(buffer_.prepare(4096), kTuple);
  is_idle_ = false;
  if (error) co_return false;
  buffer_.commit(size);
  co_return true;
}

asio::awaitable<std::optional<Incoming>> Connection::read() {
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(limits_.header_bytes_max));
  parser.body_limit(boost::none);
  stream_.expires_after(limits_.header_timeout);
  auto [header_error, header_size] = co_await http::async_read_header(stream_, buffer_, parser, kTuple);
  if (header_error) {
    if (auto response = server::refusal_of(header_error)) co_await refuse(std::move(*response));
    co_return std::nullopt;
  }
  is_head_ = parser.get().method() == http::verb::head;
  if (auto response = refusal_of(parser, header_size)) {
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
  if (text_of(parser.get(), "Expect") == "100-continue") {
    http::response<http::empty_body> go_on{http::status::continue_, 11};
    stream_.expires_after(limits_.write_timeout);
    co_await http::async_write(stream_, go_on, kTuple);
  }
  if (const auto error = co_await read_body(parser)) {
    if (auto response = server::refusal_of(error)) co_await refuse(std::move(*response));
    co_return std::nullopt;
  }
  keeps_alive_ = parser.get().keep_alive();
  co_return incoming_from(parser);
}

asio::awaitable<beast::error_code> Connection::read_body(Parser& parser) {
  const auto began_at = dispatch_.monotonic();
  std::int64_t received = 0;
  while (!parser.is_done()) {
    const auto left = time_for_body(limits_, received) - (dispatch_.monotonic() - began_at);
    if (left <= core::Duration{0}) co_return beast::error::timeout;
    stream_.expires_after(left);
    auto [error, size] = co_await http::async_read_some(stream_, buffer_, parser, kTuple);
    if (error) co_return error;
    received += static_cast<std::int64_t>(size);
  }
  co_return beast::error_code{};
}

std::optional<Response> Connection::refusal_of(const Parser& parser, std::size_t header_size) const {
  using core::ProblemCode;
  const auto& request = parser.get();
  if (request.version() != 11 && request.version() != 10)
    return refusal(505, ProblemCode::invalid_argument, "only HTTP/1.1 is spoken here");
  if (request.target().size() > limits_.target_bytes_max)
    return refusal(414, ProblemCode::invalid_argument, "the address is too long");
  if (header_size > limits_.header_bytes_max)  // the parser stops only some bytes later
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
          .accept_encoding = text_of(request, "Accept-Encoding"),
          .if_none_match = text_of(request, "If-None-Match"),
          .last_event_id = text_of(request, "Last-Event-ID"),
          .content_type = text_of(request, "Content-Type"),
          .traceparent = text_of(request, "traceparent"),
          .if_match = text_of(request, "If-Match"),
          .body = std::move(request.body()),
          .is_local = is_local_};
}

// The answer may come on any thread; it is taken up again on the strand.
asio::awaitable<Response> Connection::answer_of(Incoming incoming) {
  stream_.expires_never();
  const auto initiate = [this](auto handler, Incoming&& request) {
    auto shared = std::make_shared<decltype(handler)>(std::move(handler));  // an Answer must be copyable
    auto executor = asio::get_associated_executor(*shared, stream_.get_executor());
    dispatch_.handle(std::move(request), [shared, executor](Response response) {
      asio::post(executor, [shared, response = std::move(response)]() mutable {
        auto resume = std::move(*shared);
        resume(std::move(response));
      });
    });
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Response)>(
      initiate, asio::use_awaitable, std::move(incoming));
}

asio::awaitable<bool> Connection::write(Response response, bool keep_alive) {
  if (response.undelivered && stream_.is_peer_gone()) {
    response.undelivered();
    co_return false;
  }
  http::response<http::string_body> out{static_cast<http::status>(response.status), 11};
  set_fields(out, response);
  out.keep_alive(keep_alive);
  const std::size_t size = response.body.size();
  const bool has_body = !is_head_ && response.status != 304;
  if (has_body) out.body() = std::move(response.body);
  out.content_length(size);
  stream_.expires_after(limits_.write_timeout);
  auto [error, sent] = co_await http::async_write(stream_, out, kTuple);
  if (error && response.undelivered) response.undelivered();
  co_return !error;
}

void Connection::set_fields(http::fields& out, const Response& response) const {
  out.set(http::field::content_type, response.content_type);
  out.set(http::field::date, dispatch_.http_date());
  for (const auto& [name, value] : response.headers) out.set(name, value);
}

asio::awaitable<bool> Connection::write_bytes(std::string bytes) {
  stream_.expires_after(limits_.write_timeout);
  auto [error, sent] = co_await asio::async_write(stream_, asio::buffer(bytes), kTuple);
  co_return !error;
}

asio::awaitable<void> Connection::write_events(Response response) {
  const auto events = response.events;
  events->attach([weak = weak_from_this()] {
    if (const auto self = weak.lock()) asio::post(self->executor(), [self] { self->alarm_.cancel(); });
  });
  http::response<http::empty_body> head{http::status::ok, 11};
  set_fields(head, response);
  head.keep_alive(false);  // the end of the connection is the end of the body
  stream_.expires_after(limits_.write_timeout);
  auto [error, sent] = co_await http::async_write(stream_, head, kTuple);
  bool is_open = !error;
  while (is_open && !is_stopping_ && !stream_.is_peer_gone()) {
    auto taken = events->take();
    if (taken.bytes.empty() && !taken.is_last) {
      stream_.expires_never();
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
asio::awaitable<void> Connection::refuse(Response response) {
  keeps_alive_ = false;
  (void)co_await write(std::move(response), false);
}

}  // namespace pawl::server
