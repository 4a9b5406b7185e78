#pragma once
// Determines the server and path that a request addresses, from its target and Host field (RFC 9112, section
// 3.2). Pure; thread-safe.

#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace pawl::server {

struct RequestTarget {
  std::string path = {};       // with the query; "*" of OPTIONS: the whole server
  std::string authority = {};  // from an absolute target, overrides the Host field; else empty
};

// Accepts origin form, absolute form with http or https, and the asterisk for OPTIONS; rejects other forms.
[[nodiscard]] core::Result<RequestTarget> read_target(std::string_view method, std::string_view target);

// Accepts a host name or IP address, with or without port. The refusal names `field`.
[[nodiscard]] core::Status check_authority(std::string_view field, std::string_view authority);

// Whether a page's origin (scheme and authority) is this host. Case-insensitive; a missing port is the
// scheme's default port.
[[nodiscard]] bool is_same_origin(std::string_view origin, std::string_view host);

// Whether the request is a health check: these are served without Host, and above the connection limit.
[[nodiscard]] bool is_probe(std::string_view method, std::string_view target);

[[nodiscard]] std::string_view path_of(std::string_view target);
[[nodiscard]] std::string_view query_of(std::string_view target);

}  // namespace pawl::server
