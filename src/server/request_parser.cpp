#include "server/request_parser.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <functional>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/string_body.hpp>

#include "core/base/canary.hpp"
#include "server/request_target.hpp"

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
  const char* trailer = nullptr;  // start of the trailer fields within the current input
  // Beast keeps a reference to this function.
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

// How repeated fields are handled. W3C: several traceparent fields count as none, and never cause a
// rejection.
enum class Several : std::uint8_t { refused, one_list, none, the_first };

struct KnownField {
  std::string_view name;
  http::field id;  // unknown: Beast has no id for this name
  std::string Incoming::*place;
  Several several = Several::refused;
  bool may_be_empty = true;
};
constexpr std::array kKnownFields{
    KnownField{"Host", http::field::host, &Incoming::host},
    KnownField{"Origin", http::field::origin, &Incoming::origin},
    // An empty value for the fields with `false` would silently disable their protection.
    KnownField{"Authorization", http::field::authorization, &Incoming::authorization, Several::refused,
               false},
    KnownField{"Accept", http::field::accept, &Incoming::accept, Several::one_list},
    KnownField{"Content-Type", http::field::content_type, &Incoming::content_type},
    KnownField{"Accept-Encoding", http::field::accept_encoding, &Incoming::accept_encoding,
               Several::one_list},
    KnownField{"If-None-Match", http::field::if_none_match, &Incoming::if_none_match, Several::one_list},
    KnownField{"If-Match", http::field::if_match, &Incoming::if_match, Several::refused, false},
    KnownField{"Idempotency-Key", http::field::unknown, &Incoming::idempotency_key, Several::refused, false},
    KnownField{"X-Request-Id", http::field::unknown, &Incoming::request_id, Several::the_first},
    KnownField{"Last-Event-ID", http::field::unknown, &Incoming::last_event_id},
    KnownField{"traceparent", http::field::unknown, &Incoming::traceparent, Several::none},
    KnownField{"tracestate", http::field::unknown, &Incoming::tracestate, Several::one_list},
};
constexpr std::size_t kHost = 0;
static_assert(kKnownFields[kHost].id == http::field::host);

// The field's row, or the number of rows if it has none.
std::size_t row_of(const http::fields::value_type& field) {
  const auto row = std::find_if(kKnownFields.begin(), kKnownFields.end(), [&](const KnownField& known) {
    return known.id == field.name() && (known.id != http::field::unknown || is_named(field, known.name));
  });
  return static_cast<std::size_t>(row - kKnownFields.begin());
}

core::Status take_field(const KnownField& known, std::string_view value, bool is_again, std::string& place) {
  if (is_again && known.several == Several::refused)
    return core::invalid_field(std::string{known.name}, "is given more than once");
  if (!known.may_be_empty && value.empty())
    return core::invalid_field(std::string{known.name}, "is empty: give it a value, or leave it out");
  if (!is_again) {
    place = value;
  } else if (known.several == Several::none) {
    place.clear();
  } else if (known.several == Several::one_list) {
    place += (place.empty() ? "" : ",");
    place += value;
  }
  return core::Done{};
}

bool is_of_proxies(const http::fields::value_type& field) {
  constexpr std::string_view kForwarded = "X-Forwarded-";
  const auto name = field.name_string();
  return is_named(field, "Forwarded") || is_named(field, "Via") || is_named(field, "X-Real-IP") ||
         beast::iequals(name.substr(0, kForwarded.size()),
                        beast::string_view{kForwarded.data(), kForwarded.size()});
}

}  // namespace

RequestParser::RequestParser(const HttpLimits& limits)
    : limits_(limits), impl_(std::make_unique<Impl>(limits.chunk_extension_bytes_max)) {
  impl_->header_limit(static_cast<std::uint32_t>(limits.header_bytes_max));
  impl_->body_limit(boost::none);  // until the route is known
}

RequestParser::~RequestParser() = default;

bool RequestParser::has_header() const { return impl_->is_header_done(); }
bool RequestParser::is_whole() const { return impl_->is_done(); }
std::string_view RequestParser::method() const {
  const auto method = impl_->get().method_string();
  return {method.data(), method.size()};
}
bool RequestParser::is_head() const { return impl_->get().method() == http::verb::head; }
bool RequestParser::is_old() const { return impl_->get().version() == 10; }
// In HTTP/1.0, Beast lets keep-alive win over close.
bool RequestParser::keeps_alive() const {
  return impl_->keep_alive() && !http::token_list{impl_->get()[http::field::connection]}.exists("close");
}
bool RequestParser::expects_continue() const {
  return !is_old() && beast::iequals(impl_->get()[http::field::expect], "100-continue");
}

std::size_t RequestParser::put(std::string_view bytes) {
  return has_header() ? put_body(bytes) : put_header(bytes);
}

std::size_t RequestParser::feed(std::string_view bytes) {
  beast::error_code error;
  const std::size_t used = impl_->put({bytes.data(), bytes.size()}, error);
  if (error == http::error::header_limit) {
    refuse(ProblemCode::header_too_large,
           has_header() ? "a chunk header is too large" : "the header is too large");
  } else if (error == http::error::body_limit) {
    refuse(ProblemCode::payload_too_large, "the body is too large");
  } else if (error && error != http::error::need_more) {
    refuse("the request is not HTTP/1.1: " + error.message());
  }
  return used;
}

// Beast consumes whole lines, and compares only the unconsumed input with its header limit.
std::size_t RequestParser::put_header(std::string_view bytes) {
  const std::size_t line_max = limits_.request_line_bytes_max + kLineEnd.size();
  const bool is_first_line = header_size_ == 0;
  if (is_first_line && bytes.size() >= line_max && bytes.substr(0, line_max).find(kLineEnd) == bytes.npos) {
    refuse(ProblemCode::uri_too_long, "the request line is too long");
    return 0;
  }
  const std::size_t used = feed(bytes);
  header_size_ += used;
  const std::string_view taken = bytes.substr(0, used);
  // The length of the first line was already checked.
  if (!refusal_) check_lines(taken.substr(is_first_line ? std::min(taken.find(kLineEnd), used) : 0));
  const std::size_t size = header_size_ + (has_header() ? 0 : bytes.size() - used);
  if (!refusal_ && size > limits_.header_bytes_max)
    refuse(ProblemCode::header_too_large, "the header is too large");
  if (!refusal_ && has_header()) check_header();
  if (has_header()) impl_->eager(true);
  return used;
}

std::size_t RequestParser::put_body(std::string_view bytes) {
  const std::size_t used = feed(bytes);
  body_received_ += used;
  if (refusal_) return used;
  if (!is_whole() && bytes.size() - used > limits_.header_bytes_max)
    refuse(ProblemCode::header_too_large, "a chunk header is too large");
  if (!is_whole() || impl_->trailer == nullptr) return used;
  const char* const end = bytes.data() + used;
  const std::string_view trailer{impl_->trailer, static_cast<std::size_t>(end - impl_->trailer)};
  fields_ = 0;
  check_lines(trailer);
  if (!refusal_ && trailer.size() > limits_.header_bytes_max)
    refuse(ProblemCode::header_too_large, "the trailer fields are too large");
  return used;
}

void RequestParser::check_lines(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find(kLineEnd));
    lines.remove_prefix(std::min(lines.size(), line.size() + kLineEnd.size()));
    if (line.empty()) continue;
    if (line.front() == ' ' || line.front() == '\t') return refuse("header line folding is not allowed");
    if (line.size() > limits_.field_bytes_max)
      return refuse(ProblemCode::header_too_large, "a header field is too large");
    if (++fields_ > limits_.fields_max && !core::planted(core::Canary::header_bound_ignored))
      return refuse(ProblemCode::header_too_large, "too many header fields");
  }
}

void RequestParser::check_header() {
  const auto& request = impl_->get();
  if (request.version() != 11 && request.version() != 10)
    return refuse(ProblemCode::version_not_supported, "the request is neither HTTP/1.1 nor HTTP/1.0");
  if (request.find(http::field::content_encoding) != request.end())
    return refuse(ProblemCode::unsupported_media_type, "a body must not be compressed");
  check_framing();
  if (!refusal_) read_fields();  // before trailer fields are added
}

void RequestParser::read_fields() {
  const auto& request = impl_->get();
  std::bitset<kKnownFields.size()> seen;
  for (const auto& field : request) {
    const std::size_t row = row_of(field);
    if (row == kKnownFields.size()) {
      incoming_.is_forwarded = incoming_.is_forwarded || is_of_proxies(field);
      continue;
    }
    const KnownField& known = kKnownFields[row];
    const std::string_view value{field.value().data(), field.value().size()};
    const core::Status taken = take_field(known, value, seen.test(row), incoming_.*known.place);
    if (!taken) {
      refusal_ = taken.problem();
      return;
    }
    seen.set(row);
  }
  read_addressee(seen.test(kHost));
}

// The authority in the target overrides the Host field, which must still be valid.
void RequestParser::read_addressee(bool has_host) {
  const auto& request = impl_->get();
  incoming_.method = std::string{request.method_string()};
  auto target = read_target(incoming_.method, {request.target().data(), request.target().size()});
  core::Status addressed = core::Done{};
  if (!target) {
    addressed = target.problem();
  } else if (has_host) {
    addressed = check_authority("Host", incoming_.host);
  } else if (!is_old() && !is_probe(incoming_.method, target->path)) {
    addressed = core::invalid_field("Host", "is missing: HTTP/1.1 needs it");
  }
  if (!addressed) {
    refusal_ = addressed.problem();
    return;
  }
  incoming_.target = std::move(target->path);
  if (!target->authority.empty()) incoming_.host = std::move(target->authority);
}

// Beast ignores an unknown Transfer-Encoding, and accepts two equal Content-Length fields as one.
void RequestParser::check_framing() {
  const auto& request = impl_->get();
  const std::size_t encodings = request.count(http::field::transfer_encoding);
  const std::size_t lengths = request.count(http::field::content_length);
  if (encodings + lengths > 1 && !core::planted(core::Canary::two_lengths_accepted))
    return refuse("the length of the body is given more than once");
  if (lengths == 1 && !is_digits(request[http::field::content_length]))
    return refuse("Content-Length is not a number");
  if (encodings == 0) return;
  if (!beast::iequals(request[http::field::transfer_encoding], "chunked"))
    return refuse("the only Transfer-Encoding here is chunked");
  if (request.version() != 11) return refuse("HTTP/1.0 does not allow Transfer-Encoding: chunked");
}

// Chunked bodies are checked as they arrive, an announced length immediately.
void RequestParser::limit_body(std::size_t bytes_max) {
  if (core::planted(core::Canary::body_bound_ignored)) return;
  impl_->body_limit(bytes_max);
  if (impl_->content_length().value_or(0) > bytes_max)
    refuse(ProblemCode::payload_too_large, "the body is too large");
}

std::string RequestParser::take_body() {
  std::string body = std::move(impl_->get().body());
  impl_.reset();
  return body;
}

}  // namespace pawl::server
