#pragma once
// The host names that a server accepts. A page whose owner points its domain at this server (DNS rebinding)
// sends that domain as the Host; it cannot send an IP address. Pure; thread-safe.

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace pawl::server {

struct HostNames {
  std::vector<std::string> names = {};  // lower case, without port; empty: any name
  bool accepts_addresses = false;       // also accepts any IP address

  // `host`: a Host header, with or without port.
  [[nodiscard]] bool accepts(std::string_view host) const;
  // Whether no page of another site can make a browser send this Host: a configured name, localhost or an IP
  // address.
  [[nodiscard]] bool is_unforgeable(std::string_view host) const;
};

// Whether only programs on this machine can reach an address.
[[nodiscard]] bool is_loopback(std::string_view address);

// The host in lower case, without port.
[[nodiscard]] std::string host_name(std::string_view host);
// `name`: in lower case.
[[nodiscard]] bool is_host_name(const std::string& name);
[[nodiscard]] std::string lower_case(std::string_view text);

// Parses the setting server.hosts: comma-separated names.
[[nodiscard]] core::Result<std::vector<std::string>> parse_hosts(std::string_view setting);

// `configured`: the names from that setting. On loopback the server always checks names; on other addresses
// it accepts any name unless the setting is given.
[[nodiscard]] HostNames host_names(const std::vector<std::string>& configured,
                                   const std::string& listen_address);

}  // namespace pawl::server
