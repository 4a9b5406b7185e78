#pragma once
// Where an HTTP server is: "http://host:port/prefix" or "https://…", and which hosts are somebody's inside.
// Pure; any thread.

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "wire/percent.hpp"

namespace pawl::client {

struct HttpAddress {
  bool tls = false;
  std::string host = {};  // without brackets
  std::string port = {};
  std::string prefix = {};  // of every path: empty, or begins with '/' and does not end with one

  bool operator==(const HttpAddress&) const = default;
};

[[nodiscard]] core::Result<HttpAddress> parse_http_address(std::string_view text);
// As the Host header has it: with the port unless it is the scheme's own.
[[nodiscard]] std::string host_header(const HttpAddress& address);

// Private, link-local, shared (RFC 6598) and unspecified addresses; loopback is not one of them. What is no
// IP address is treated as private.
[[nodiscard]] bool is_private_address(const std::string& ip);

// For one segment of a path or one value of a query.
using wire::percent_encoded;

}  // namespace pawl::client
