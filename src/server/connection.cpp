#include "server/connection.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

#include "core/base/low_memory.hpp"
#include "server/pending.hpp"
#include "server/request_target.hpp"

// Caution: GCC 12 loses temporaries in expressions that contain co_await. Awaited values get named variables,
// in statements of their own.
//
// GCC also inlines the operator new of an Asio coroutine but not its operator delete, and reports them as
// mismatched.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace pawl::server {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

// Delay between an early response and the end of its connection. A well-behaved client has read the response
// by its length and has already disconnected; the delay throttles a client that sends one bad request after
// another.
constexpr std::chrono::milliseconds kBeforeClosing{20};

Response named_problem(const core::Problem& problem, const std::string& request_id) {
  Response response = problem_response(problem, request_id);
  response.headers.emplace_back("X-Request-Id", request_id);
  return response;
}

}  // namespace

Connection::Connection(Socket socket, Tls::Context* tls, const HttpLimits& limits, Dispatch& dispatch,
                       std::string network)
    : stream_(std::move(socket), tls),
      limits_(limits),
      dispatch_(dispatch),
      is_local_(stream_.is_peer_local()),
      network_(std::move(network)) {}

void Connection::stop() {
  is_stopping_ = true;
  asio::post(executor(), [self = shared_from_this()] {
    if (self->is_idle_) self->stream_.cancel();
    self->alarm_.cancel();
  });
}

void Connection::displace() {
  is_stopping_ = true;
  asio::post(executor(), [self = shared_from_this()] {
    if (self->is_idle_ || self->is_reading_header_) self->stream_.cancel();
  });
}

// The first request must arrive soon; later requests may use the longer idle timeout.
Awaitable<void> Connection::run() {
  bool goes_on = co_await open(limits_.header_timeout);
  for (int served = 0; goes_on && !is_stopping_; ++served) {
    const auto timeout =
        served == 0 ? std::min(limits_.header_timeout, limits_.idle_timeout) : limits_.idle_timeout;
    if (!co_await wait_for_request(timeout)) break;
    goes_on = co_await serve(served + 1 == limits_.requests_per_connection_max);
  }
  co_await close();
}

Awaitable<void> Connection::turn_away(core::Problem refusal) {
  const bool is_open = co_await open(limits_.farewell_header_timeout);
  RequestParser parser{limits_};
  bool has_header = false;
  if (is_open) has_header = co_await read_header(parser, limits_.farewell_header_timeout);
  const bool is_served = has_header && !parser.refusal() && is_probe(parser.method(), parser.target());
  if (is_served) {
    co_await serve_request(parser, true);
  } else if (is_open) {
    Response response = named_problem(refusal, new_request_id());
    co_await write_early(std::move(response), limits_.farewell);
  }
  co_await close();
}

Awaitable<void> Connection::close() {
  buffer_.clear();
  buffer_.shrink_to_fit();
  if (lingers_ && !is_stopping_) co_await stream_.pause(kBeforeClosing);
  stream_.close();
  if (lingers_ && !is_stopping_) co_await linger();
}

Awaitable<void> Connection::linger() {
  is_idle_ = true;
  stream_.expires_after(lingers_->timeout);
  co_await stream_.drain(lingers_->bytes_max);
  is_idle_ = false;
}

Awaitable<bool> Connection::open(std::chrono::milliseconds timeout) {
  is_reading_header_ = true;
  const auto opening = co_await stream_.open(timeout);
  is_reading_header_ = false;
  if (opening == Transport::Opening::spoke_plainly) {
    const core::Problem problem{.code = core::ProblemCode::invalid_argument,
                                .detail = "this port speaks TLS: use https://"};
    Response response = named_problem(problem, new_request_id());
    co_await write_early(std::move(response), limits_.farewell);
  }
  co_return opening == Transport::Opening::ready;
}

Awaitable<bool> Connection::serve(bool is_last) {
  RequestParser parser{limits_};
  is_head_ = is_http_1_0_ = false;
  const bool has_header = co_await read_header(parser, limits_.header_timeout);
  if (!has_header) co_return false;
  co_return co_await serve_request(parser, is_last);
}

Awaitable<bool> Connection::serve_request(RequestParser& parser, bool is_last) {
  if (parser.refusal()) {
    std::string id = new_request_id();
    co_return co_await refuse(parser, std::move(id), parser.has_header() ? limits_.linger : limits_.unread);
  }
  begin_body(parser);
  const bool is_kept = parser.keeps_alive() && !is_last;
  Incoming incoming = parser.take_incoming();
  Admission admission = co_await admission_of(std::move(incoming));
  if (auto* refusal = std::get_if<Response>(&admission)) {
    if (!parser.is_whole()) co_return co_await write_early(std::move(*refusal), limits_.linger);
    co_return co_await write(std::move(*refusal), is_kept && !is_stopping_);
  }
  Request& request = std::get<Request>(admission);
  if (request.route->role && token_ != request.actor.id) note_admitted(request.actor.id);
  const bool has_body = co_await read_body(parser);
  if (!has_body) co_return false;
  if (parser.refusal()) co_return co_await refuse(parser, std::move(request.id), limits_.linger);
  request.body = parser.take_body();
  Response response = co_await answer_of(std::move(request));
  if (response.events) {
    co_await write_events(std::move(response));
    co_return false;
  }
  co_return co_await write(std::move(response), is_kept && !is_stopping_);
}

void Connection::note_admitted(const std::string& token) {
  token_ = token;
  if (admitted_) admitted_(token);
}

// Input after a malformed request cannot be trusted to be another request, so the connection ends.
Awaitable<bool> Connection::refuse(RequestParser& parser, std::string id, Linger lingers) {
  Response response = named_problem(*parser.refusal(), id);
  co_return co_await write_early(std::move(response), lingers);
}

// The time makes the id unique on this node; nothing is stored under it.
std::string Connection::new_request_id() const {
  return fmt::format("{:016x}", dispatch_.monotonic().time_since_epoch().count());
}

// The header determines the body limit; the parser takes the part of the body that has already arrived. An
// oversized body is reported only to authorized clients.
void Connection::begin_body(RequestParser& parser) {
  is_head_ = parser.is_head();
  is_http_1_0_ = parser.is_old();
  parser.limit_body(dispatch_.body_limit(parser.method(), parser.target()));
  if (!parser.refusal() && !parser.is_whole()) feed(parser);
}

// A connection may be idle for long, but once a request begins it must arrive soon.
Awaitable<bool> Connection::wait_for_request(std::chrono::milliseconds timeout) {
  if (!buffer_.empty()) {
    co_await stream_.give_way();  // a client that pipelines many requests must not delay others
    co_return true;
  }
  buffer_.shrink_to_fit();  // most connections are idle most of the time
  is_idle_ = true;
  stream_.expires_after(timeout);
  const bool has_input = co_await stream_.wait_for_input();
  is_idle_ = false;
  co_return has_input;
}

void Connection::feed(RequestParser& parser) {
  if (!core::has_memory_for([&] { buffer_.erase(0, parser.put(buffer_)); }))
    parser.refuse_for_lack_of_memory();
}

Awaitable<bool> Connection::read_header(RequestParser& parser, std::chrono::milliseconds timeout) {
  is_reading_header_ = true;
  stream_.expires_after(timeout);
  feed(parser);
  bool has_more = true;
  while (has_more && !parser.has_header() && !parser.refusal()) {
    has_more = co_await stream_.read_some(buffer_);
    if (has_more) feed(parser);
  }
  is_reading_header_ = false;
  co_return has_more;
}

Awaitable<bool> Connection::read_body(RequestParser& parser) {
  if (!parser.is_whole() && !parser.refusal() && parser.expects_continue()) {
    std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    const bool is_sent = co_await write_bytes(std::move(go_on));
    if (!is_sent) co_return false;
  }
  const auto began_at = dispatch_.monotonic();
  while (!parser.is_whole() && !parser.refusal()) {
    const auto left = time_for_body(limits_, parser.body_received()) - (dispatch_.monotonic() - began_at);
    if (left <= core::Duration{0}) co_return false;
    stream_.expires_after(left);
    const bool has_more = co_await stream_.read_some(buffer_);
    if (!has_more) co_return false;
    feed(parser);
    if (!parser.is_whole()) co_await stream_.give_way();  // a large body must not delay other connections
  }
  co_return true;
}

Awaitable<Admission> Connection::admission_of(Incoming incoming) {
  stream_.expires_never();
  incoming.is_local = is_local_;
  incoming.network = network_;
  incoming.resume = [executor = executor()](std::function<void()> work) {
    asio::post(executor, std::move(work));
  };
  Pending<Admission> pending{executor()};
  dispatch_.admit(std::move(incoming), pending.giver());
  co_return co_await Pending<Admission>::taken(std::move(pending));
}

Awaitable<Response> Connection::answer_of(Request request) {
  stream_.expires_never();
  if (buffer_.empty()) buffer_.shrink_to_fit();  // a claim may wait a long time
  request.when_gone = when_gone();
  Pending<Response> pending{executor()};
  dispatch_.call(std::move(request), pending.giver());
  Response response = co_await Pending<Response>::taken(std::move(pending));
  is_answering_ = false;
  stream_.stop_watching();
  co_return response;
}

// The call may register late, when the request is already answered and the next one is being handled.
WhenGone Connection::when_gone() {
  is_answering_ = true;
  return [weak = weak_from_this(), number = ++requests_](std::function<void()> gone) {
    const auto self = weak.lock();
    if (!self) return;
    asio::post(self->executor(), [self, number, gone = std::move(gone)]() mutable {
      if (self->is_answering_ && self->requests_ == number) self->stream_.watch_peer(std::move(gone));
    });
  };
}

std::string Connection::head_of(const Response& response, bool keep_alive) const {
  std::string head;
  head.reserve(512);
  auto out = std::back_inserter(head);
  const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nDate: {}\r\n", response.status,
                 std::string_view{reason.data(), reason.size()}, response.content_type,
                 dispatch_.http_date());
  // No browser may render a payload as a page, or cache it.
  head += "X-Content-Type-Options: nosniff\r\n";
  bool has_caching = false;
  for (const auto& [name, value] : response.headers) {
    fmt::format_to(out, "{}: {}\r\n", name, value);
    has_caching = has_caching || name == "Cache-Control";
  }
  if (!has_caching) head += "Cache-Control: no-store\r\n";
  if (!keep_alive) head += "Connection: close\r\n";
  if (keep_alive && is_http_1_0_) head += "Connection: keep-alive\r\n";
  return head;
}

Awaitable<bool> Connection::write(Response response, bool goes_on) {
  if (response.undelivered && !response.is_kept && stream_.is_peer_gone()) {
    response.undelivered();
    co_return false;
  }
  std::string bytes = head_of(response, goes_on);
  fmt::format_to(std::back_inserter(bytes), "Content-Length: {}\r\n\r\n", response.body.size());
  if (!is_head_ && response.status != 304) bytes += response.body;  // one write, and over TLS one record
  const bool is_sent = co_await write_bytes(std::move(bytes));
  if (!is_sent) lingers_.reset();  // do not linger for a client that does not read
  if (!is_sent && response.undelivered && !response.is_kept) response.undelivered();
  co_return is_sent&& goes_on;
}

Awaitable<bool> Connection::write_early(Response response, Linger lingers) {
  lingers_ = lingers;
  co_return co_await write(std::move(response), false);
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
  // The body ends with the connection.
  std::string head = head_of(response, false) + "\r\n";
  bool is_open = co_await write_bytes(std::move(head));
  while (is_open && !is_stopping_ && !stream_.is_peer_gone()) {
    auto taken = events->take();
    if (taken.bytes.empty() && !taken.is_last) {
      alarm_.expires_after(limits_.heartbeat);
      auto [woken] = co_await alarm_.async_wait(kTuple);
      if (woken) continue;
      taken.bytes = ":\n\n";  // a comment, so that both sides notice a broken connection
    }
    const bool is_sent = co_await write_bytes(std::move(taken.bytes));
    is_open = is_sent && !taken.is_last;
  }
  events->close();
}

}  // namespace pawl::server
