#pragma once
// A plain socket that sends exactly the bytes that a test specifies.

#include <string>
#include <string_view>

namespace pawl::testing {

class RawClient {
 public:
  explicit RawClient(int port);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  // Returns false once the peer has closed.
  bool send(std::string_view bytes) const;
  // Receives one response, head and body; empty if the connection is closed instead. Fails the test after 20
  // s of silence.
  std::string receive();
  // Returns the received bytes once they contain `text` or the connection is closed. The bytes stay buffered
  // for `receive`.
  const std::string& receive_until(std::string_view text);
  // All bytes until the connection is closed.
  std::string receive_all();
  // Waits until the peer closes. Returns whether it has.
  bool is_closed();
  void close();
  // Leaves no room for responses that are not read soon.
  void shrink_receive_buffer() const;

 private:
  bool fill();

  int socket_ = -1;
  std::string received_;
};

[[nodiscard]] int status_of(const std::string& answer);
// A field of the head; empty if it is missing.
[[nodiscard]] std::string field_of(const std::string& answer, std::string_view name);
[[nodiscard]] std::string body_of(const std::string& answer);
[[nodiscard]] std::string get(std::string_view path, std::string_view fields = "");
[[nodiscard]] std::string post(std::string_view path, std::string_view body, std::string_view fields = "");

}  // namespace pawl::testing
