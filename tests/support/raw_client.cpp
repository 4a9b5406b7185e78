#include "tests/support/raw_client.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pawl::testing {

RawClient::RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error{"cannot connect"};
}

RawClient::~RawClient() { close(); }

void RawClient::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void RawClient::shrink_receive_buffer() const {
  const int bytes = 1'024;
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

bool RawClient::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RawClient::fill() {
  std::array<char, 65536> buffer{};
  const auto size = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (size < 0 && errno != ECONNRESET) throw std::runtime_error{"no answer within 20 s"};
  if (size <= 0) return false;
  received_.append(buffer.data(), static_cast<std::size_t>(size));
  return true;
}

std::string RawClient::receive() {
  std::size_t head = std::string::npos;
  while ((head = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return "";
  }
  const std::size_t field = received_.find("Content-Length: ");
  const std::size_t length = field < head ? std::stoul(received_.substr(field + 16)) : 0;
  while (received_.size() < head + 4 + length) {
    if (!fill()) return "";
  }
  std::string answer = received_.substr(0, head + 4 + length);
  received_.erase(0, answer.size());
  return answer;
}

const std::string& RawClient::receive_until(std::string_view text) {
  while (received_.find(text) == std::string::npos && fill()) {
  }
  return received_;
}

std::string RawClient::receive_all() {
  while (fill()) {
  }
  return std::exchange(received_, {});
}

bool RawClient::is_closed() { return received_.empty() && !fill(); }

int status_of(const std::string& answer) { return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3)); }

std::string field_of(const std::string& answer, std::string_view name) {
  const std::string start = fmt::format("\r\n{}: ", name);
  const std::size_t at = answer.find(start);
  if (at >= answer.find("\r\n\r\n")) return {};
  const std::size_t from = at + start.size();
  return answer.substr(from, answer.find("\r\n", from) - from);
}

std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? std::string{} : answer.substr(end + 4);
}

std::string get(std::string_view path, std::string_view fields) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", path, fields);
}

std::string post(std::string_view path, std::string_view body, std::string_view fields) {
  return fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{}\r\n{}", path,
                     body.size(), fields, body);
}

}  // namespace pawl::testing
