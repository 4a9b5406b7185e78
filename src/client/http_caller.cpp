#include "client/http_caller.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include "client/waiting_stream.hpp"
#include "core/base/ids.hpp"
#include "core/json/json_envelope.hpp"
#include "core/json/json_value.hpp"
#include "runtime/env.hpp"
#include "wire/task_read.hpp"

namespace pawl::client {

namespace {

namespace http = boost::beast::http;
using Error = boost::system::error_code;
using Parser = http::response_parser<http::string_body>;

constexpr std::size_t kReadSize = 16U << 10U;
constexpr std::size_t kHeaderBytesMax = 64U << 10U;  // of all headers, and of the data between chunks

core::Problem unavailable(std::string detail) {
  return {.code = core::ProblemCode::unavailable, .detail = std::move(detail)};
}

bool is_control(char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; }

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

core::Status check_value(const std::string& name, std::string_view value) {
  const auto* const found = std::find_if(value.begin(), value.end(), is_control);
  if (found == value.end()) return core::Done{};
  constexpr std::size_t kShownMax = 100;
  return core::invalid_field(
      name, fmt::format("{} has a control character at byte {}, which a header cannot carry",
                        core::json_quote(value.substr(0, kShownMax)), found - value.begin()));
}

// A server may have supplied any of these values: a line end in one would split the request in two.
core::Status check_lines(const HttpTarget& target, const HttpRequest& request) {
  if (!std::all_of(request.method.begin(), request.method.end(), is_token_character))
    return core::invalid_field("method", core::json_quote(request.method) + " is not a token");
  if (request.path.find(' ') != std::string::npos)
    return core::invalid_field("path", core::json_quote(request.path) + " has a space");
  if (std::any_of(target.token.begin(), target.token.end(), is_control))
    return core::invalid_field("token", "has a control character");  // the secret is not shown
  for (const auto& [name, value] : {std::pair<std::string, std::string_view>{"path", request.path},
                                    {"prefix", target.address.prefix},
                                    {"host", target.address.host}}) {
    if (const core::Status checked = check_value(name, value); !checked) return checked;
  }
  for (const auto& [name, value] : request.headers) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_token_character))
      return core::invalid_field("headers", core::json_quote(name) + " is not a header's name");
    if (const core::Status checked = check_value(name, value); !checked) return checked;
  }
  return core::Done{};
}

bool is_repeatable(const HttpRequest& request) {
  return request.method != "POST" || request.repeatable || request.headers.contains("idempotency-key");
}

HttpHeaders headers_of(const Parser& parser) {
  HttpHeaders headers;
  for (const auto& field : parser.get().base()) {
    std::string name{field.name_string()};
    for (char& c : name) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
    headers[std::move(name)] = std::string{field.value()};
  }
  return headers;
}

}  // namespace

class HttpCaller::Impl {
 public:
  Impl(HttpTarget target, core::Random& random) : target_(std::move(target)), ids_(random) {
    if (target_.address.tls) tls_ = make_tls_context(target_.tls);
  }

  core::Result<HttpAnswer> send(HttpRequest request) {
    if (!tls_) return tls_.problem();
    if (const core::Status checked = check_lines(target_, request); !checked) return checked.problem();
    // Keys that rise with time are stored next to each other in the server's store.
    if (request.method == "POST" && !request.repeatable && !request.headers.contains("idempotency-key"))
      request.headers["idempotency-key"] = to_string(ids_.next(clock_.now()));
    const auto deadline = clock_.monotonic() + request.timeout.value_or(target_.timeout);
    const bool is_kept = stream_.has_value();
    auto answer = exchange(request, deadline);
    const bool died = !answer && lost_connection_;
    if (died && is_kept && is_repeatable(request)) return exchange(request, deadline);
    return answer;
  }

  void cancel() { cancellation_.cancel(); }

 private:
  core::Result<HttpAnswer> exchange(const HttpRequest& request, core::MonotonicTime deadline) {
    lost_connection_ = false;
    if (cancellation_.is_cancelled()) return unavailable("the call was cancelled");
    if (!stream_) {
      if (auto connected = connect(deadline); !connected) {
        stream_.reset();
        return connected.problem();
      }
    }
    stream_->expires_after(deadline - clock_.monotonic());
    Parser parser;
    body_max_ = request.body_max.value_or(target_.body_max);
    parser.body_limit(body_max_);
    auto answer = exchange_on(*stream_, request_text(request), parser);
    if (!answer || !parser.keep_alive()) stream_.reset();
    return answer;
  }

  core::Result<HttpAnswer> exchange_on(WaitingStream& stream, const std::string& request, Parser& parser) {
    if (!stream.write(request)) return lost(stream, true);
    const Error error = read(stream, parser);
    if (error == http::error::body_limit) {
      return core::Problem{.code = core::ProblemCode::payload_too_large,
                           .detail = fmt::format("{} answered with more than {} bytes", where(), body_max_)};
    }
    if (error == http::error::end_of_stream) return lost(stream, !parser.got_some());
    if (error)
      return unavailable(fmt::format("{} sent an invalid HTTP response: {}", where(), error.message()));
    return HttpAnswer{.status = static_cast<int>(parser.get().result_int()),
                      .body = std::move(parser.get().body()),
                      .headers = headers_of(parser)};
  }

  // `end_of_stream`: the connection ended before the answer did.
  static Error read(WaitingStream& stream, Parser& parser) {
    parser.eager(true);
    std::string received;     // not parsed yet
    std::size_t headers = 0;  // bytes that the parser consumed before the headers were complete
    std::array<char, kReadSize> buffer{};
    Error error;
    while (!parser.is_done()) {
      const std::size_t size = stream.read(buffer);
      if (size == 0 && (!stream.is_closed() || !parser.got_some())) return http::error::end_of_stream;
      if (size == 0) {
        parser.put_eof(error);
        return error == http::error::partial_message ? http::error::end_of_stream : error;
      }
      received.append(buffer.data(), size);
      const bool is_body = parser.is_header_done();
      const std::size_t parsed = parser.put({received.data(), received.size()}, error);
      received.erase(0, parsed);
      if (error && error != http::error::need_more) return error;
      if (!is_body && !parser.is_header_done()) headers += parsed;
      if (headers + received.size() > kHeaderBytesMax + kReadSize) return http::error::header_limit;
    }
    return {};
  }

  [[nodiscard]] std::string request_text(const HttpRequest& request) const {
    const std::string path = target_.address.prefix + request.path;
    std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: pawl\r\n", request.method,
                                   path.empty() ? "/" : path, host_header(target_.address));
    auto out = std::back_inserter(text);
    const auto add = [&](const char* name, std::string_view value) {
      fmt::format_to(out, "{}: {}\r\n", name, value);
    };
    if (!target_.token.empty()) add("Authorization", "Bearer " + target_.token);
    if (!request.body.empty() && !request.headers.contains("content-type"))
      add("Content-Type", "application/json");
    for (const auto& [name, value] : request.headers) add(name.c_str(), value);
    const bool has_body = !request.body.empty() || request.method == "POST" || request.method == "PUT";
    if (has_body) add("Content-Length", std::to_string(request.body.size()));
    return text + "\r\n" + request.body;
  }

  core::Status connect(core::MonotonicTime deadline) {
    const HttpAddress& address = target_.address;
    const auto found = resolve(address.host, address.port);
    if (!found) return unavailable(fmt::format("cannot find {}: {}", address.host, found.problem().detail));
    const auto endpoints = allowed(*found);
    if (endpoints.empty()) {
      return core::Problem{.code = core::ProblemCode::forbidden,
                           .detail = fmt::format("{} is a private address", address.host)};
    }
    WaitingStream& stream = stream_.emplace(cancellation_);
    stream.expires_after(deadline - clock_.monotonic());
    if (!stream.connect(endpoints))
      return unavailable(fmt::format("cannot connect to {}: {}", where(), stream.failure()));
    if (address.tls && !stream.begin_tls(tls_->get(), address.host))
      return unavailable(fmt::format("TLS handshake with {} failed: {}", where(), stream.failure()));
    return core::Done{};
  }

  [[nodiscard]] std::vector<Endpoint> allowed(std::vector<Endpoint> found) const {
    std::erase_if(found, [this](const Endpoint& endpoint) {
      return target_.refuse_private && is_private_address(endpoint.ip());
    });
    return found;
  }

  // `unanswered`: the server may have closed the connection before it read the request.
  core::Problem lost(const WaitingStream& stream, bool unanswered) {
    if (stream.has_timed_out()) {
      return {.code = core::ProblemCode::timeout,
              .detail = fmt::format("{} did not answer in time", where())};
    }
    lost_connection_ = unanswered && !cancellation_.is_cancelled();
    return unavailable(fmt::format("the connection to {} was lost: {}", where(), stream.failure()));
  }

  [[nodiscard]] std::string where() const { return host_header(target_.address); }

  HttpTarget target_;
  runtime::SystemClock clock_;
  core::IdGenerator ids_;
  core::Result<TlsContext> tls_ = TlsContext{};  // null where the target has no TLS
  Cancellation cancellation_;
  std::optional<WaitingStream> stream_;
  std::size_t body_max_ = 0;  // of the current answer
  bool lost_connection_ = false;
};

HttpCaller::HttpCaller(HttpTarget target, core::Random& random)
    : impl_(std::make_unique<Impl>(std::move(target), random)) {}
HttpCaller::~HttpCaller() = default;

core::Result<HttpAnswer> HttpCaller::send(HttpRequest request) { return impl_->send(std::move(request)); }

core::Result<HttpAnswer> HttpCaller::call(HttpRequest request) {
  auto answer = send(std::move(request));
  if (answer && answer->status >= 300) return problem_of(*answer);
  return answer;
}

void HttpCaller::cancel() { impl_->cancel(); }

namespace {

core::ProblemCode code_for_status(int status) {
  for (const auto& kind : core::kProblemKinds) {
    if (kind.http_status == status) return kind.code;
  }
  return status < 500 ? core::ProblemCode::invalid_argument : core::ProblemCode::internal;
}

}  // namespace

core::Problem problem_of(const HttpAnswer& answer) {
  core::Problem problem{.code = code_for_status(answer.status),
                        .detail = fmt::format("the server answered with status {}", answer.status)};
  if (core::envelope_error(answer.body) || core::kind_of(answer.body) != core::JsonKind::object)
    return problem;
  wire::Mistakes mistakes;  // parts that cannot be read keep the values from the status
  wire::ObjectReader in{answer.body, "", mistakes};
  core::Problem said = wire::read_problem(in);
  if (core::problem_code_from(in.optional_text("code").value_or(""))) problem.code = said.code;
  if (!said.detail.empty()) problem.detail = std::move(said.detail);
  problem.errors = std::move(said.errors);
  return problem;
}

}  // namespace pawl::client
