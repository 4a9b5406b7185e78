#pragma once
// Which names a server answers to. A page whose owner points its name at this server (DNS rebinding) sends
// that name as the Host; an IP address it cannot send. Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace pawl::server {

struct HostNames {
  std::vector<std::string> names = {};  // in lower case, without port; none: every name
  bool accepts_addresses = false;       // any IP address too

  // `host`: a Host header, with or without port.
  [[nodiscard]] bool accepts(std::string_view host) const;
  // Whether no page elsewhere can have made a browser send it: a name that was configured, localhost or an IP
  // address.
  [[nodiscard]] bool is_unforgeable(std::string_view host) const;
};

// Whether only programs of this machine can reach an address.
[[nodiscard]] bool is_loopback(std::string_view address);

// In lower case, without port.
[[nodiscard]] std::string host_name(std::string_view host);

// Of the setting server.hosts: names with commas between them.
[[nodiscard]] core::Result<std::vector<std::string>> parse_hosts(std::string_view setting);

// `configured`: of that setting. On loopback there are always names; beyond it, without the setting, a server
// may have any.
[[nodiscard]] HostNames host_names(const std::vector<std::string>& configured,
                                   const std::string& listen_address);

}  // namespace pawl::server
