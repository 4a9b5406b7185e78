#pragma once
// A server whose callers have tokens.

#include <string>

#include <fmt/format.h>

#include "tests/server/fixture.hpp"
#include "tests/support/env.hpp"

namespace pawl::testing {

inline std::string text_in(const std::string& answer, const std::string& member) {
  const std::string start = "\"" + member + "\":\"";
  const std::size_t at = answer.find(start);
  if (at == std::string::npos) return "";
  return answer.substr(at + start.size(), answer.find('"', at + start.size()) - at - start.size());
}
inline std::string token_in(const std::string& answer) { return text_in(answer, "token"); }
inline std::string id_in(const std::string& answer) { return text_in(answer, "id"); }

class Auth : public ServerTest {
 protected:
  explicit Auth(const server::HttpOptions& options = {}, const HttpFront::Quotas& quotas = {})
      : ServerTest(options, quotas) {}

  [[nodiscard]] std::string send(const std::string& method, const std::string& path, const std::string& body,
                                 const std::string& token, const std::string& fields = "") const {
    RawClient client{front.port()};
    const std::string authorization = token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
    client.send(fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{}{}\r\n{}", method,
                            path, body.size(), authorization, fields, body));
    return client.receive();
  }
  [[nodiscard]] std::string make(const std::string& role, const std::string& ns, const std::string& by,
                                 const std::string& more = "") const {
    return send("POST", "/v1/admin/tokens",
                fmt::format(R"({{"role":"{}","namespaces":["{}"]{}}})", role, ns, more), by);
  }
};

}  // namespace pawl::testing
