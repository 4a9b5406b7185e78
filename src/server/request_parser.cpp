#include "server/request_parser.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace pawl::server {

namespace beast = boost::beast;
namespace http = beast::http;
using core::ProblemCode;

struct RequestParser::Impl : http::request_parser<http::string_body> {};

namespace {

bool is_named(const http::fields::value_type& field, std::string_view name) {
  return beast::iequals(field.name_string(), beast::string_view{name.data(), name.size()});
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

}  // namespace

RequestParser::RequestParser(const HttpLimits& limits) : limits_(limits), impl_(std::make_unique<Impl>()) {
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
  const bool is_of_header = !has_header();
  beast::error_code error;
  const std::size_t used = impl_->put({bytes.data(), bytes.size()}, error);
  (is_of_header ? header_size_ : body_received_) += used;
  if (error == http::error::header_limit) {
    refuse(431, ProblemCode::invalid_argument, "the header is too large");
  } else if (error == http::error::body_limit) {
    refuse(413, ProblemCode::payload_too_large, "the body is too large");
  } else if (error && error != http::error::need_more) {
    refuse(400, ProblemCode::invalid_argument, "the request is not HTTP/1.1: " + error.message());
  } else if (error && bytes.size() - used > limits_.header_bytes_max) {
    refuse(431, ProblemCode::invalid_argument, "what stands between the chunks is too large");
  } else if (is_of_header && has_header()) {
    check_header();
    impl_->eager(true);
  }
  return used;
}

void RequestParser::check_header() {
  const auto& request = impl_->get();
  if (request.version() != 11 && request.version() != 10)
    return refuse(505, ProblemCode::invalid_argument, "only HTTP/1.1 is spoken here");
  if (request.target().size() > limits_.target_bytes_max)
    return refuse(414, ProblemCode::invalid_argument, "the address is too long");
  if (header_size_ > limits_.header_bytes_max)  // the parser stops only some bytes later
    return refuse(431, ProblemCode::invalid_argument, "the header is too large");
  std::size_t fields = 0;
  std::size_t hosts = 0;
  for (const auto& field : request) {
    ++fields;
    hosts += field.name() == http::field::host ? 1 : 0;
    if (field.name_string().size() + field.value().size() > limits_.field_bytes_max)
      return refuse(431, ProblemCode::invalid_argument, "a header field is too large");
  }
  if (fields > limits_.fields_max)
    return refuse(431, ProblemCode::invalid_argument, "too many header fields");
  if (request.find(http::field::content_encoding) != request.end())
    return refuse(415, ProblemCode::invalid_argument, "a body must not be compressed");
  if (hosts != 1 && request.version() == 11)
    return refuse(400, ProblemCode::invalid_argument, "exactly one Host field is needed");
}

// What comes in chunks is compared as it comes, a length that is announced at once.
void RequestParser::limit_body(std::size_t bytes_max) {
  impl_->body_limit(bytes_max);
  if (impl_->content_length().value_or(0) > bytes_max)
    refuse(413, ProblemCode::payload_too_large, "the body is too large");
}

std::string RequestParser::take_body() {
  std::string body = std::move(impl_->get().body());
  impl_.reset();
  return body;
}

Incoming RequestParser::take_incoming() {
  const auto& request = impl_->get();
  Incoming incoming{.method = std::string{request.method_string()}, .target = std::string{request.target()}};
  for (const auto& field : request) {
    std::string* place = place_of(field, incoming);
    if (place != nullptr && place->empty()) *place = std::string{field.value()};
  }
  return incoming;
}

}  // namespace pawl::server
