#include "bench/http_connection.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pawl::bench {

namespace {

[[noreturn]] void give_up_on(std::string_view what) {
  fmt::print(stderr, "pawl bench: {}\n", what);
  std::exit(1);
}

std::size_t content_length(std::string_view head) {
  constexpr std::string_view kName = "Content-Length: ";
  const std::size_t at = head.find(kName);
  std::size_t length = 0;
  if (at != std::string_view::npos) {
    std::from_chars(head.data() + at + kName.size(), head.data() + head.size(), length);
  }
  return length;
}

}  // namespace

HttpPlace place_of(std::string_view address) {
  const std::string_view rest = address.substr(address.rfind('/') + 1);
  const std::size_t colon = rest.rfind(':');
  return {.host = std::string{rest.substr(0, colon)}, .port = std::string{rest.substr(colon + 1)}};
}

HttpConnection::HttpConnection(const HttpPlace& place) : place_(place) { open(); }

HttpConnection::HttpConnection(HttpConnection&& other) noexcept
    : place_(other.place_),
      fd_(std::exchange(other.fd_, -1)),
      in_(std::move(other.in_)),
      body_at_(other.body_at_) {}

HttpConnection::~HttpConnection() {
  if (fd_ >= 0) close(fd_);
}

void HttpConnection::open() {
  if (fd_ >= 0) close(fd_);
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  std::uint16_t port = 0;
  std::from_chars(place_.port.data(), place_.port.data() + place_.port.size(), port);
  to.sin_port = htons(port);
  inet_pton(AF_INET, place_.host.c_str(), &to.sin_addr);
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) give_up_on("cannot connect");
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void HttpConnection::send(const HttpRequestText& request) {
  const std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: {}:{}\r\nContent-Length: {}\r\n\r\n{}", request.method,
                  request.path, place_.host, place_.port, request.body.size(), request.body);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::send(fd_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) give_up_on("the connection was lost");
    sent += static_cast<std::size_t>(count);
  }
}

bool HttpConnection::receive() {
  std::array<char, 65'536> buffer{};
  const ssize_t count = recv(fd_, buffer.data(), buffer.size(), 0);
  if (count <= 0) give_up_on("the server closed the connection");
  in_.append(buffer.data(), static_cast<std::size_t>(count));
  const std::size_t end = in_.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  body_at_ = end + 4;
  const bool is_whole = in_.size() >= body_at_ + content_length({in_.data(), end});
  if (is_whole && !in_.starts_with("HTTP/1.1 2")) give_up_on(in_);
  return is_whole;
}

std::string HttpConnection::take_body() {
  const std::string_view head{in_.data(), body_at_};
  const bool is_last = head.find("Connection: close") != std::string_view::npos;
  std::string body = in_.substr(body_at_);
  in_.clear();
  if (is_last) open();
  return body;
}

}  // namespace pawl::bench
