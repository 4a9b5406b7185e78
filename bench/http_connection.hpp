#pragma once
// A keep-alive connection to a server, for the load generators. Any failure ends the benchmark: a figure that
// includes failures would be misleading.

#include <string>
#include <string_view>

namespace pawl::bench {

struct HttpRequestText {
  std::string path = {};
  std::string body = {};
  std::string method = "POST";
};

// An address with a numeric host.
struct HttpPlace {
  std::string host;
  std::string port;
};
[[nodiscard]] HttpPlace place_of(std::string_view address);  // http://HOST:PORT

class HttpConnection {
 public:
  explicit HttpConnection(const HttpPlace& place);
  HttpConnection(HttpConnection&& other) noexcept;
  HttpConnection& operator=(HttpConnection&&) = delete;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;
  ~HttpConnection();

  [[nodiscard]] int fd() const { return fd_; }
  void send(const HttpRequestText& request);
  // Receives bytes, blocking until some arrive; true when the response is complete. It must be a success.
  [[nodiscard]] bool receive();
  // The body of the complete response; reconnects if the server closes the connection after it.
  [[nodiscard]] std::string take_body();

 private:
  void open();

  const HttpPlace& place_;
  int fd_ = -1;
  std::string in_;
  std::size_t body_at_ = 0;
};

}  // namespace pawl::bench
