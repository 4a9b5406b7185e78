#pragma once
// An HTTP server that the test scripts, connection by connection.

#include <array>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pawl::testing {

inline std::string response(int status, const std::string& body, const std::string& header = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + header + "\r\n" + body;
}

// One entry a connection: the answers it gives before it closes.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<std::vector<std::string>> script) : script_(std::move(script)) {
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
  // After all connections have ended.
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
        send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
      }
      close(connection);
    }
  }

  std::vector<std::vector<std::string>> script_;
  std::vector<std::string> requests_;
  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace pawl::testing
