#pragma once
// One kept connection to a server, for the load generators: bytes out, bytes in. Whatever goes wrong ends the
// benchmark: a figure over failures would be a lie.

#include <string>
#include <string_view>

namespace pawl::bench {

struct HttpRequestText {
  std::string path = {};
  std::string body = {};
  std::string method = "POST";
};

// Of a numeric host.
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
  // Takes what has come, waiting for some; true when the answer is whole. It must be a success.
  [[nodiscard]] bool receive();
  // The body of the whole answer; a connection that the server closes with it is opened again.
  [[nodiscard]] std::string take_body();

 private:
  void open();

  const HttpPlace& place_;
  int fd_ = -1;
  std::string in_;
  std::size_t body_at_ = 0;
};

}  // namespace pawl::bench
