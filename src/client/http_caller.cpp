#include "client/http_caller.hpp"

#include <atomic>
#include <utility>
#include <variant>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <fmt/format.h>

#include "core/json.hpp"
#include "wire/task_read.hpp"

namespace pawl::client {

namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = net::ip::tcp;
using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;
using Parser = http::response_parser<http::string_body>;
using WireRequest = http::request<http::string_body>;

core::Problem unavailable(std::string detail) {
  return {.code = core::ProblemCode::unavailable, .detail = std::move(detail)};
}

bool is_repeatable(const HttpRequest& request) {
  return request.method != "POST" || request.repeatable || request.headers.contains("idempotency-key");
}

HttpHeaders headers_of(const Parser& parser) {
  HttpHeaders headers;
  for (const auto& field : parser.get().base()) {
    std::string name{field.name_string()};
    for (char& c : name) c = beast::detail::ascii_tolower(c);
    headers[std::move(name)] = std::string{field.value()};
  }
  return headers;
}

core::Status show_certificate(net::ssl::context& context, const TlsFiles& files) {
  beast::error_code error;
  context.use_certificate_chain_file(files.cert, error);
  if (error)
    return core::invalid_field("client-cert", files.cert + " has no certificate: " + error.message());
  context.use_private_key_file(files.key, net::ssl::context::pem, error);
  if (!error) return core::Done{};
  return core::invalid_field("client-key",
                             fmt::format("{} has no key for {}: {}", files.key, files.cert, error.message()));
}

core::Status set_up_tls(net::ssl::context& context, const TlsFiles& files) {
  beast::error_code error;
  context.set_verify_mode(net::ssl::verify_peer, error);
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  if (files.ca_cert.empty()) {
    context.set_default_verify_paths(error);  // without them no server is trusted, which the handshake says
  } else {
    context.load_verify_file(files.ca_cert, error);
    if (error)
      return core::invalid_field("ca-cert", files.ca_cert + " has no certificate: " + error.message());
  }
  const bool shows_one = !files.cert.empty() || !files.key.empty();
  return shows_one ? show_certificate(context, files) : core::Status{core::Done{}};
}

}  // namespace

class HttpCaller::Impl {
 public:
  Impl(HttpTarget target, core::Random& random) : target_(std::move(target)), random_(random) {
    if (target_.address.tls) tls_ready_ = set_up_tls(tls_context_, target_.tls);
  }

  core::Result<HttpAnswer> send(HttpRequest request) {
    if (!tls_ready_) return tls_ready_.problem();
    if (request.method == "POST" && !request.repeatable && !request.headers.contains("idempotency-key")) {
      request.headers["idempotency-key"] = fmt::format("{:016x}{:016x}", random_.next(), random_.next());
    }
    const auto timeout = request.timeout.value_or(target_.timeout);
    const bool kept = is_connected();
    auto answer = exchange(request, timeout);
    const bool died = !answer && lost_connection_;
    if (died && kept && is_repeatable(request)) return exchange(request, timeout);
    return answer;
  }

  void cancel() {
    cancelled_ = true;
    net::post(io_, [this] { close(); });
  }

 private:
  [[nodiscard]] bool is_connected() const { return stream_.index() != 0; }

  beast::tcp_stream& lowest() {
    if (auto* plain = std::get_if<PlainStream>(&stream_)) return *plain;
    return beast::get_lowest_layer(std::get<TlsStream>(stream_));
  }

  void close() {
    if (is_connected()) lowest().close();
  }

  // Starts one asynchronous operation and sees it through; `cancel` and the deadline end it early.
  template <typename Start>
  beast::error_code run(const Start& start) {
    beast::error_code outcome = net::error::operation_aborted;
    if (cancelled_) return outcome;
    start([&outcome](beast::error_code error, const auto&...) { outcome = error; });
    io_.restart();
    io_.run();
    return outcome;
  }

  core::Result<HttpAnswer> exchange(const HttpRequest& request, core::Duration timeout) {
    lost_connection_ = false;
    if (cancelled_) return unavailable("the call was cancelled");
    if (!is_connected()) {
      if (auto connected = connect(timeout); !connected) {
        stream_.emplace<std::monostate>();
        return connected.problem();
      }
    }
    auto answer = std::visit([&](auto& stream) { return exchange_on(stream, request, timeout); }, stream_);
    if (!answer) stream_.emplace<std::monostate>();
    return answer;
  }

  core::Result<HttpAnswer> exchange_on(std::monostate&, const HttpRequest&, core::Duration) {
    return unavailable("there is no connection");
  }

  template <typename Stream>
  core::Result<HttpAnswer> exchange_on(Stream& stream, const HttpRequest& request, core::Duration timeout) {
    lowest().expires_after(timeout);
    WireRequest message = wire_request(request);
    auto error = run([&](auto done) { http::async_write(stream, message, std::move(done)); });
    if (error) return lost(error, true);
    beast::flat_buffer buffer;
    Parser parser;
    parser.body_limit(target_.body_max ? boost::optional<std::uint64_t>{*target_.body_max} : boost::none);
    error = run([&](auto done) { http::async_read(stream, buffer, parser, std::move(done)); });
    if (error == http::error::body_limit) {
      return core::Problem{
          .code = core::ProblemCode::payload_too_large,
          .detail = fmt::format("{} answered with more than {} bytes", where(), *target_.body_max)};
    }
    if (error) return lost(error, !parser.got_some());
    HttpAnswer answer{.status = static_cast<int>(parser.get().result_int()),
                      .body = std::move(parser.get().body()),
                      .headers = headers_of(parser)};
    if (!parser.keep_alive()) stream_.emplace<std::monostate>();
    return answer;
  }

  WireRequest wire_request(const HttpRequest& request) {
    WireRequest message;
    message.version(11);
    message.method_string(request.method);
    const std::string path = target_.address.prefix + request.path;
    message.target(path.empty() ? "/" : path);
    message.set(http::field::host, host_header(target_.address));
    message.set(http::field::user_agent, "pawl");
    if (!target_.token.empty()) message.set(http::field::authorization, "Bearer " + target_.token);
    if (!request.body.empty()) message.set(http::field::content_type, "application/json");
    for (const auto& [name, value] : request.headers) message.set(name, value);
    message.body() = request.body;
    message.prepare_payload();
    return message;
  }

  core::Status connect(core::Duration timeout) {
    Tcp::resolver::results_type found;
    Tcp::resolver resolver{io_};
    auto error = run([&](auto done) {
      resolver.async_resolve(target_.address.host, target_.address.port,
                             [&found, done](auto failed, auto results) {
                               found = std::move(results);
                               done(failed);
                             });
    });
    if (error) return unavailable(fmt::format("cannot find {}: {}", target_.address.host, error.message()));
    auto endpoints = allowed(found);
    if (endpoints.empty()) {
      return core::Problem{.code = core::ProblemCode::forbidden,
                           .detail = fmt::format("{} is a private address", target_.address.host)};
    }
    PlainStream stream{io_};
    stream.expires_after(timeout);
    stream_.emplace<PlainStream>(std::move(stream));  // in its place before, so that `cancel` can close it
    error = run([&](auto done) { lowest().async_connect(endpoints, std::move(done)); });
    if (error) return unavailable(fmt::format("cannot connect to {}: {}", where(), error.message()));
    lowest().socket().set_option(Tcp::no_delay{true}, error);  // only slower without
    return target_.address.tls ? handshake(timeout) : core::Status{core::Done{}};
  }

  core::Status handshake(core::Duration timeout) {
    PlainStream plain = std::move(std::get<PlainStream>(stream_));
    auto& stream = stream_.emplace<TlsStream>(std::move(plain), tls_context_);
    beast::error_code error;
    const bool is_name = (net::ip::make_address(target_.address.host, error), error.failed());
    if (is_name && SSL_set_tlsext_host_name(stream.native_handle(), target_.address.host.c_str()) != 1) {
      return unavailable("the host's name cannot be sent by TLS");
    }
    stream.set_verify_callback(net::ssl::host_name_verification{target_.address.host}, error);
    lowest().expires_after(timeout);
    error = run([&](auto done) { stream.async_handshake(net::ssl::stream_base::client, std::move(done)); });
    if (error) return unavailable(fmt::format("no TLS with {}: {}", where(), error.message()));
    return core::Done{};
  }

  std::vector<Tcp::endpoint> allowed(const Tcp::resolver::results_type& found) const {
    std::vector<Tcp::endpoint> endpoints;
    for (const auto& entry : found) {
      const auto endpoint = entry.endpoint();
      if (target_.refuse_private && is_private_address(endpoint.address().to_string())) continue;
      endpoints.push_back(endpoint);
    }
    return endpoints;
  }

  // `unanswered`: the other side may have closed the connection before it saw the request.
  core::Problem lost(const beast::error_code& error, bool unanswered) {
    if (error == beast::error::timeout) {
      return {.code = core::ProblemCode::timeout,
              .detail = fmt::format("{} did not answer in time", where())};
    }
    lost_connection_ = unanswered && !cancelled_;
    return unavailable(fmt::format("the connection to {} was lost: {}", where(), error.message()));
  }

  [[nodiscard]] std::string where() const { return host_header(target_.address); }

  HttpTarget target_;
  core::Random& random_;
  net::io_context io_;
  net::ssl::context tls_context_{net::ssl::context::tls_client};
  core::Status tls_ready_ = core::Done{};
  std::variant<std::monostate, PlainStream, TlsStream> stream_;
  bool lost_connection_ = false;
  std::atomic<bool> cancelled_ = false;
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
  if (core::json_error(answer.body) || core::kind_of(answer.body) != core::JsonKind::object) return problem;
  wire::Mistakes mistakes;  // what cannot be read is left as it was made of the status
  wire::ObjectReader in{answer.body, "", mistakes};
  core::Problem said = wire::read_problem(in);
  if (core::problem_code_from(in.optional_text("code").value_or(""))) problem.code = said.code;
  if (!said.detail.empty()) problem.detail = std::move(said.detail);
  problem.errors = std::move(said.errors);
  return problem;
}

}  // namespace pawl::client
