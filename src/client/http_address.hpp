#pragma once
// The address of an HTTP server, "http://host:port/prefix" or "https://…", and which IP addresses are
// private. Pure; thread-safe.

#include <string>
#include <string_view>

#include "core/base/result.hpp"
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
// The value of the Host header: with the port unless it is the scheme's default.
[[nodiscard]] std::string host_header(const HttpAddress& address);

// Private, link-local, shared (RFC 6598) and unspecified addresses, but not loopback. Text that is not an IP
// address counts as private.
[[nodiscard]] bool is_private_address(const std::string& ip);

// For one path segment or one query value.
using wire::percent_encoded;

}  // namespace pawl::client
