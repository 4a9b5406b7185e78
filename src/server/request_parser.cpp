#include "server/request_parser.hpp"

#include <algorithm>
#include <functional>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "core/canary.hpp"

namespace pawl::server {

namespace beast = boost::beast;
namespace http = beast::http;
using core::ProblemCode;

namespace {

constexpr std::string_view kLineEnd = "\r\n";

}  // namespace

struct RequestParser::Impl : http::request_parser<http::string_body> {
  explicit Impl(std::size_t extension_bytes_max) : extension_max(extension_bytes_max) {
    on_chunk_header(at_chunk);
  }

  std::size_t extension_max;
  const char* trailer = nullptr;  // where the fields behind the last chunk begin, in what is put just now
  // Beast keeps a reference to it.
  std::function<void(std::uint64_t, beast::string_view, beast::error_code&)> at_chunk =
      [this](std::uint64_t size, beast::string_view extension, beast::error_code& error) {
        if (extension.size() > extension_max) error = http::error::header_limit;
        if (size == 0) trailer = extension.data() + extension.size() + kLineEnd.size();
      };
};

namespace {

bool is_named(const http::fields::value_type& field, std::string_view name) {
  return beast::iequals(field.name_string(), beast::string_view{name.data(), name.size()});
}

bool is_digits(beast::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Where a field is to be found in what is handed on.
std::string* place_of(const http::fields::value_type& field, Incoming& incoming) {
  switch (field.name()) {
    case http::field::host: return &incoming.host;
    case http::field::origin: return &incoming.origin;
    case http::field::authorization: return &incoming.authorization;
    case http::field::accept: return &incoming.accept;
    case http::field::content_type: return &incoming.content_type;
    case http::field::accept_encoding: return &incoming.accept_encoding;
    case http::field::if_none_match: return &incoming.if_none_match;
    case http::field::if_match: return &incoming.if_match;
    case http::field::unknown: break;
    default: return nullptr;
  }
  if (is_named(field, "Idempotency-Key")) return &incoming.idempotency_key;
  if (is_named(field, "X-Request-Id")) return &incoming.request_id;
  if (is_named(field, "Last-Event-ID")) return &incoming.last_event_id;
  if (is_named(field, "traceparent")) return &incoming.traceparent;
  return nullptr;
}

bool is_of_proxies(const http::fields::value_type& field) {
  constexpr std::string_view kForwarded = "X-Forwarded-";
  const auto name = field.name_string();
  return is_named(field, "Forwarded") || is_named(field, "Via") || is_named(field, "X-Real-IP") ||
         beast::iequals(name.substr(0, kForwarded.size()),
                        beast::string_view{kForwarded.data(), kForwarded.size()});
}

Incoming incoming_of(const http::request<http::string_body>& request) {
  Incoming incoming{.method = std::string{request.method_string()}, .target = std::string{request.target()}};
  for (const auto& field : request) {
    std::string* place = place_of(field, incoming);
    if (place != nullptr && place->empty()) *place = std::string{field.value()};
    incoming.is_forwarded = incoming.is_forwarded || (place == nullptr && is_of_proxies(field));
  }
  return incoming;
}

}  // namespace

RequestParser::RequestParser(const HttpLimits& limits)
    : limits_(limits), impl_(std::make_unique<Impl>(limits.chunk_extension_bytes_max)) {
  impl_->header_limit(static_cast<std::uint32_t>(limits.header_bytes_max));
  impl_->body_limit(boost::none);  // until it is known what is asked for
}

RequestParser::~RequestParser() = default;

bool RequestParser::has_header() const { return impl_->is_header_done(); }
bool RequestParser::is_whole() const { return impl_->is_done(); }
std::string_view RequestParser::method() const {
  const auto method = impl_->get().method_string();
  return {method.data(), method.size()};
}
std::string_view RequestParser::target() const {
  const auto target = impl_->get().target();
  return {target.data(), target.size()};
}
bool RequestParser::is_head() const { return impl_->get().method() == http::verb::head; }
bool RequestParser::keeps_alive() const { return impl_->keep_alive(); }
bool RequestParser::expects_continue() const { return impl_->get()[http::field::expect] == "100-continue"; }

void RequestParser::refuse(int status, ProblemCode code, const std::string& detail) {
  refusal_ = {.status = status, .problem = {.code = code, .detail = detail}};
}

std::size_t RequestParser::put(std::string_view bytes) {
  return has_header() ? put_body(bytes) : put_header(bytes);
}

std::size_t RequestParser::feed(std::string_view bytes) {
  beast::error_code error;
  const std::size_t used = impl_->put({bytes.data(), bytes.size()}, error);
  if (error == http::error::header_limit) {
    refuse(431, ProblemCode::invalid_argument,
           has_header() ? "what stands between the chunks is too large" : "the header is too large");
  } else if (error == http::error::body_limit) {
    refuse(413, ProblemCode::payload_too_large, "the body is too large");
  } else if (error && error != http::error::need_more) {
    refuse("the request is not HTTP/1.1: " + error.message());
  }
  return used;
}

// Beast takes it by lines and compares only what it has not taken yet with the limit.
std::size_t RequestParser::put_header(std::string_view bytes) {
  const std::size_t line_max = limits_.request_line_bytes_max + kLineEnd.size();
  const bool is_first_line = header_size_ == 0;
  if (is_first_line && bytes.size() >= line_max && bytes.substr(0, line_max).find(kLineEnd) == bytes.npos) {
    refuse(414, ProblemCode::invalid_argument, "the request line is too long");
    return 0;
  }
  const std::size_t used = feed(bytes);
  header_size_ += used;
  const std::string_view taken = bytes.substr(0, used);
  // Of the first line the length is known to be right.
  if (!refusal_) check_lines(taken.substr(is_first_line ? std::min(taken.find(kLineEnd), used) : 0));
  const std::size_t size = header_size_ + (has_header() ? 0 : bytes.size() - used);
  if (!refusal_ && size > limits_.header_bytes_max)
    refuse(431, ProblemCode::invalid_argument, "the header is too large");
  if (!refusal_ && has_header()) check_header();
  if (has_header()) impl_->eager(true);
  return used;
}

std::size_t RequestParser::put_body(std::string_view bytes) {
  const std::size_t used = feed(bytes);
  body_received_ += used;
  if (refusal_) return used;
  if (!is_whole() && bytes.size() - used > limits_.header_bytes_max)
    refuse(431, ProblemCode::invalid_argument, "what stands between the chunks is too large");
  if (!is_whole() || impl_->trailer == nullptr) return used;
  const char* const end = bytes.data() + used;
  const std::string_view trailer{impl_->trailer, static_cast<std::size_t>(end - impl_->trailer)};
  fields_ = 0;
  check_lines(trailer);
  if (!refusal_ && trailer.size() > limits_.header_bytes_max)
    refuse(431, ProblemCode::invalid_argument, "the fields behind the body are too large");
  return used;
}

void RequestParser::check_lines(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find(kLineEnd));
    lines.remove_prefix(std::min(lines.size(), line.size() + kLineEnd.size()));
    if (line.empty()) continue;
    if (line.front() == ' ' || line.front() == '\t') return refuse("a header field is broken into lines");
    if (line.size() > limits_.field_bytes_max)
      return refuse(431, ProblemCode::invalid_argument, "a header field is too large");
    if (++fields_ > limits_.fields_max && !core::planted(core::Canary::header_bound_ignored))
      return refuse(431, ProblemCode::invalid_argument, "too many header fields");
  }
}

void RequestParser::check_header() {
  const auto& request = impl_->get();
  if (request.version() != 11 && request.version() != 10)
    return refuse(505, ProblemCode::invalid_argument, "only HTTP/1.1 is spoken here");
  if (request.find(http::field::content_encoding) != request.end())
    return refuse(415, ProblemCode::invalid_argument, "a body must not be compressed");
  if (request.count(http::field::host) != 1 && request.version() == 11)
    return refuse("exactly one Host field is needed");
  if (request.count(http::field::authorization) > 1)
    return refuse("there is more than one Authorization field");
  check_framing();
  incoming_ = incoming_of(request);  // before the fields behind the body are among them
}

// Beast takes a Transfer-Encoding that it does not know for none, and the same length twice for one.
void RequestParser::check_framing() {
  const auto& request = impl_->get();
  const std::size_t encodings = request.count(http::field::transfer_encoding);
  const std::size_t lengths = request.count(http::field::content_length);
  if (encodings + lengths > 1 && !core::planted(core::Canary::two_lengths_accepted))
    return refuse("the length of the body is given more than once");
  if (lengths == 1 && !is_digits(request[http::field::content_length]))
    return refuse("Content-Length is no number");
  if (encodings == 0) return;
  if (!beast::iequals(request[http::field::transfer_encoding], "chunked"))
    return refuse("the only Transfer-Encoding here is chunked");
  if (request.version() != 11) return refuse("there are no chunks in HTTP/1.0");
}

// What comes in chunks is compared as it comes, a length that is announced at once.
void RequestParser::limit_body(std::size_t bytes_max) {
  if (core::planted(core::Canary::body_bound_ignored)) return;
  impl_->body_limit(bytes_max);
  if (impl_->content_length().value_or(0) > bytes_max)
    refuse(413, ProblemCode::payload_too_large, "the body is too large");
}

std::string RequestParser::take_body() {
  std::string body = std::move(impl_->get().body());
  impl_.reset();
  return body;
}

}  // namespace pawl::server
