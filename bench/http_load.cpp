#include "bench/http_load.hpp"

#include <array>
#include <charconv>
#include <cstdlib>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
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

class HttpLoad::Connection {
 public:
  Connection(const std::string& host, const std::string& port, const HttpSource& source)
      : host_(host), port_(port), source_(source) {
    open();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { close(fd_); }

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool has_ended() const { return has_ended_; }

  void ask(std::string_view last_body) {
    const HttpRequestText request = source_(last_body);
    has_ended_ = request.path.empty();
    if (has_ended_) return;
    const std::string text = fmt::format("POST {} HTTP/1.1\r\nHost: {}:{}\r\nContent-Length: {}\r\n\r\n{}",
                                         request.path, host_, port_, request.body.size(), request.body);
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = send(fd_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) give_up_on("the connection was lost");
      sent += static_cast<std::size_t>(count);
    }
  }

  // Takes what has come; asks again when the answer is whole.
  void hear(bool is_over) {
    std::array<char, 65'536> buffer{};
    const ssize_t count = recv(fd_, buffer.data(), buffer.size(), 0);
    if (count <= 0) give_up_on("the server closed the connection");
    in_.append(buffer.data(), static_cast<std::size_t>(count));
    const std::size_t end = in_.find("\r\n\r\n");
    if (end == std::string::npos) return;
    const std::string_view head{in_.data(), end};
    const std::size_t whole = end + 4 + content_length(head);
    if (in_.size() < whole) return;
    if (!head.starts_with("HTTP/1.1 2")) give_up_on(in_);
    const bool is_last = head.find("Connection: close") != std::string_view::npos;
    const std::string body = in_.substr(end + 4);
    in_.clear();
    has_ended_ = is_over;
    if (is_over) return;
    if (is_last) open();
    ask(body);
  }

 private:
  void open() {
    if (fd_ >= 0) close(fd_);
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    std::uint16_t port = 0;
    std::from_chars(port_.data(), port_.data() + port_.size(), port);
    to.sin_port = htons(port);
    inet_pton(AF_INET, host_.c_str(), &to.sin_addr);
    if (connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) give_up_on("cannot connect");
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }

  const std::string& host_;
  const std::string& port_;
  const HttpSource& source_;
  int fd_ = -1;
  bool has_ended_ = false;
  std::string in_;
};

HttpLoad::HttpLoad(std::string_view address) {
  const std::string_view rest = address.substr(address.rfind('/') + 1);
  const std::size_t colon = rest.rfind(':');
  host_ = rest.substr(0, colon);
  port_ = rest.substr(colon + 1);
}

void HttpLoad::run(const std::vector<HttpSource>& callers, const std::function<bool()>& is_over) {
  std::vector<std::unique_ptr<Connection>> connections;
  for (const HttpSource& source : callers) {
    connections.push_back(std::make_unique<Connection>(host_, port_, source));
    connections.back()->ask("");
  }
  std::vector<pollfd> waits;
  while (true) {
    std::erase_if(connections, [](const auto& connection) { return connection->has_ended(); });
    if (connections.empty()) return;
    waits.clear();
    for (const auto& connection : connections) waits.push_back({connection->fd(), POLLIN, 0});
    poll(waits.data(), waits.size(), -1);
    const bool over = is_over();
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents != 0) connections[i]->hear(over);
    }
  }
}

}  // namespace pawl::bench
