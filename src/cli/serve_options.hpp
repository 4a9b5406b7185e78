#pragma once
// From the configuration to what a server is started with. Pure.

#include <cstdint>
#include <string>

#include "cli/config.hpp"
#include "server/serve.hpp"

namespace pawl::cli {

struct Endpoint {
  std::string address = {};  // an IP address, without brackets
  std::uint16_t port = 0;
};
// ADDRESS:PORT, as `listen` has it; localhost stands for 127.0.0.1.
[[nodiscard]] core::Result<Endpoint> parse_endpoint(const std::string& text);

// A value that is out of its range is refused by the key's name.
[[nodiscard]] core::Result<server::ServeOptions> serve_options(const Config& config);

}  // namespace pawl::cli
