#pragma once
// A server with JSON requests and answers.

#include <string>

#include <nlohmann/json.hpp>

#include "tests/server/fixture.hpp"

namespace pawl::testing {

class JsonServerTest : public ServerTest {
 protected:
  using Json = nlohmann::json;

  struct Got {
    int status = 0;
    Json json;
  };
  [[nodiscard]] Got ask(const std::string& bytes) const {
    RawClient client{front.port()};
    client.send(bytes);
    const std::string answer = client.receive();
    return {.status = status_of(answer), .json = Json::parse(body_of(answer), nullptr, false)};
  }
  [[nodiscard]] Got send(const std::string& path, const Json& content) const {
    return ask(post("/v1/default" + path, content.dump()));
  }
  [[nodiscard]] Got read(const std::string& path) const { return ask(get("/v1/default" + path)); }
};

}  // namespace pawl::testing
