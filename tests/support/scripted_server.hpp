#pragma once
// An HTTP server whose connections the test scripts one by one.

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pawl::testing {

inline std::string response(int status, const std::string& body, const std::string& header = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + header + "\r\n" + body;
}

// One entry per connection: the responses before it closes.
class ScriptedServer {
 public:
  // `pause`: before each response, unless the client closes the connection earlier.
  explicit ScriptedServer(std::vector<std::vector<std::string>> script, std::chrono::milliseconds pause = {})
      : script_(std::move(script)), pause_(pause) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread{[this] { serve(); }};
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;
  ~ScriptedServer() {
    if (thread_.joinable()) thread_.join();
    close(listener_);
  }

  [[nodiscard]] std::string port() const { return std::to_string(port_); }
  // Available after all connections have ended.
  const std::vector<std::string>& requests() {
    if (thread_.joinable()) thread_.join();
    return requests_;
  }

 private:
  static std::string read_request(int connection) {
    std::string text;
    std::array<char, 4096> buffer{};
    while (!is_whole(text)) {
      const auto count = recv(connection, buffer.data(), buffer.size(), 0);
      if (count <= 0) return "";
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

  static bool is_whole(const std::string& text) {
    const auto end = text.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    const auto at = text.find("Content-Length: ");
    const std::size_t body = at == std::string::npos ? 0 : std::stoul(text.substr(at + 16));
    return text.size() >= end + 4 + body;
  }

  void serve() {
    for (const auto& answers : script_) {
      const int connection = accept(listener_, nullptr, nullptr);
      for (const auto& answer : answers) {
        const auto request = read_request(connection);
        if (request.empty()) break;
        requests_.push_back(request);
        pollfd closed{connection, POLLIN, 0};
        poll(&closed, 1, static_cast<int>(pause_.count()));
        send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
      }
      close(connection);
    }
  }

  std::vector<std::vector<std::string>> script_;
  std::chrono::milliseconds pause_;
  std::vector<std::string> requests_;
  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace pawl::testing
