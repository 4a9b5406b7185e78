#pragma once
// Converts the configuration to the server's options. Pure.

#include <cstdint>
#include <string>

#include "cli/config.hpp"
#include "server/serve.hpp"

namespace pawl::cli {

struct Endpoint {
  std::string address = {};  // an IP address, without brackets
  std::uint16_t port = 0;
};
// Parses ADDRESS:PORT, the value of `listen`; localhost stands for 127.0.0.1.
[[nodiscard]] core::Result<Endpoint> parse_endpoint(const std::string& text);

// Rejects a value outside of its range; the problem names the key.
[[nodiscard]] core::Result<server::ServeOptions> serve_options(const Config& config);

}  // namespace pawl::cli
