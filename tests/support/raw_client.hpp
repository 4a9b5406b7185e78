#pragma once
// A socket and nothing else: sends exactly the bytes that a test wants to send.

#include <string>
#include <string_view>

namespace pawl::testing {

class RawClient {
 public:
  explicit RawClient(int port);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  // False once the other side does not take any more.
  bool send(std::string_view bytes) const;
  // One answer, head and body; empty when the connection is closed instead. Fails the test after 20 s of
  // silence.
  std::string receive();
  // All that has come, once `text` is in it or the connection is closed; it stays to be received.
  const std::string& receive_until(std::string_view text);
  // All that comes until the connection is closed.
  std::string receive_all();
  // Whether the other side has closed, waiting for it.
  bool is_closed();
  void close();
  // So that answers that are not read soon have no room.
  void shrink_receive_buffer() const;

 private:
  bool fill();

  int socket_ = -1;
  std::string received_;
};

[[nodiscard]] int status_of(const std::string& answer);
// Of the head; empty where it is not there.
[[nodiscard]] std::string field_of(const std::string& answer, std::string_view name);
[[nodiscard]] std::string body_of(const std::string& answer);
[[nodiscard]] std::string get(std::string_view path, std::string_view fields = "");
[[nodiscard]] std::string post(std::string_view path, std::string_view body, std::string_view fields = "");

}  // namespace pawl::testing
