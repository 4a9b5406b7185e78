#include "server/host_names.hpp"

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "core/json/json.hpp"

namespace pawl::server {

namespace {

constexpr std::string_view kLocal = "localhost";
constexpr std::size_t kNameBytesMax = 253;  // DNS limit

bool is_ip_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  if (name.starts_with('[') && name.ends_with(']'))
    return inet_pton(AF_INET6, name.substr(1, name.size() - 2).c_str(), bytes.data()) == 1;
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string copy{text};
  for (char& c : copy) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return copy;
}

bool is_host_name(const std::string& name) {
  if (is_ip_address(name)) return true;
  return !name.empty() && name.size() <= kNameBytesMax &&
         std::all_of(name.begin(), name.end(), is_host_character);
}

bool is_loopback(std::string_view address) { return address.starts_with("127.") || address == "::1"; }

std::string host_name(std::string_view host) {
  if (host.starts_with('[')) return lower_case(host.substr(0, host.find(']') + 1));
  return lower_case(host.substr(0, host.find(':')));
}

bool HostNames::accepts(std::string_view host) const {
  if (names.empty()) return true;
  const std::string name = host_name(host);
  return has(names, name) || (accepts_addresses && is_ip_address(name));
}

bool HostNames::is_unforgeable(std::string_view host) const {
  const std::string name = host_name(host);
  return name == kLocal || has(names, name) || is_ip_address(name);
}

core::Result<std::vector<std::string>> parse_hosts(std::string_view setting) {
  std::vector<std::string> names;
  for (bool has_more = !setting.empty(); has_more;) {
    const std::string_view part = setting.substr(0, setting.find(','));
    has_more = part.size() < setting.size();
    setting.remove_prefix(part.size() + (has_more ? 1 : 0));
    const auto from = std::min(part.find_first_not_of(' '), part.size());
    const auto to = part.find_last_not_of(' ') + 1;
    const std::string name = lower_case(part.substr(from, to - std::min(from, to)));
    if (!is_host_name(name))
      return core::invalid_field("server.hosts", fmt::format("{} is not a host name or IP address; write "
                                                             "names without port, such as pawl.example.com",
                                                             core::json_quote(name)));
    names.push_back(name);
  }
  return names;
}

HostNames host_names(const std::vector<std::string>& configured, const std::string& listen_address) {
  const bool is_local = is_loopback(listen_address);
  if (configured.empty() && !is_local) return {};
  HostNames hosts{.names = configured, .accepts_addresses = !is_local};
  for (const std::string& name :
       {listen_address, std::string{"127.0.0.1"}, std::string{kLocal}, std::string{"[::1]"}})
    hosts.names.push_back(name);
  return hosts;
}

}  // namespace pawl::server
