#include "client/http_address.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include <arpa/inet.h>
#include <fmt/format.h>

namespace pawl::client {

namespace {

core::Problem bad_address(std::string_view text, const std::string& why) {
  return core::invalid_field("address", fmt::format("{} in '{}'; write http://HOST:PORT", why, text));
}

struct Scheme {
  std::string_view start;
  bool tls;
  std::string_view port;
};
constexpr std::array kSchemes{Scheme{"http://", false, "80"}, Scheme{"https://", true, "443"}};

bool is_port(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) return false;
  const int port = std::stoi(std::string{text});
  return port > 0 && port <= 65'535;
}

// Characters of names and of IP addresses with a zone ("fe80::1%eth0"). Accepts every non-ASCII byte.
bool is_host_character(char c) {
  constexpr std::string_view kDelimiters = "@?#[]\\/\"<>^`{|}";
  const bool is_control = (c >= 0 && c <= ' ') || c == 0x7f;
  return !is_control && kDelimiters.find(c) == std::string_view::npos;
}

struct HostAndPort {
  std::string_view host;
  std::string_view port;
};

std::optional<HostAndPort> split_authority(std::string_view text, std::string_view default_port) {
  const bool bracketed = text.starts_with('[');
  const auto host_end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && host_end == std::string_view::npos) return std::nullopt;
  const auto host = bracketed ? text.substr(1, host_end - 1) : text.substr(0, host_end);
  if (host_end == std::string_view::npos) return HostAndPort{host, default_port};
  const auto rest = text.substr(bracketed ? host_end + 1 : host_end);
  if (rest.empty()) return HostAndPort{host, default_port};
  if (!rest.starts_with(':')) return std::nullopt;
  return HostAndPort{host, rest.substr(1)};
}

// A network as the first bits of an address.
struct Network4 {
  std::uint32_t base;
  int bits;
};
constexpr std::array kPrivateNetworks{
    Network4{0x00000000, 8},   // this network
    Network4{0x0a000000, 8},   // 10/8
    Network4{0x64400000, 10},  // 100.64/10, shared
    Network4{0xa9fe0000, 16},  // 169.254/16, link-local; clouds serve credentials there
    Network4{0xac100000, 12},  // 172.16/12
    Network4{0xc0a80000, 16},  // 192.168/16
};

bool is_private_v4(std::uint32_t address) {
  return std::any_of(kPrivateNetworks.begin(), kPrivateNetworks.end(), [&](const Network4& network) {
    return ((address ^ network.base) >> (32 - network.bits)) == 0;
  });
}

std::uint32_t v4_at(const std::uint8_t* bytes) {
  std::uint32_t address = 0;
  std::memcpy(&address, bytes, sizeof address);
  return ntohl(address);
}

bool is_private_v6(const std::array<std::uint8_t, 16>& bytes) {
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(kMapped.begin(), kMapped.end(), bytes.begin())) return is_private_v4(v4_at(&bytes[12]));
  const bool unspecified = std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
  const bool unique_local = (bytes[0] & 0xfeU) == 0xfcU;
  const bool link_local = bytes[0] == 0xfeU && (bytes[1] & 0xc0U) == 0x80U;
  return unspecified || unique_local || link_local;
}

}  // namespace

core::Result<HttpAddress> parse_http_address(std::string_view text) {
  const auto* scheme = std::find_if(kSchemes.begin(), kSchemes.end(),
                                    [&](const Scheme& row) { return text.starts_with(row.start); });
  if (scheme == kSchemes.end()) return bad_address(text, "neither http:// nor https://");
  const auto rest = text.substr(scheme->start.size());
  const auto slash = rest.find('/');
  const auto authority = split_authority(rest.substr(0, slash), scheme->port);
  if (!authority || authority->host.empty()) return bad_address(text, "no host");
  if (!std::all_of(authority->host.begin(), authority->host.end(), is_host_character))
    return bad_address(text, "invalid host");
  if (!is_port(authority->port)) return bad_address(text, "invalid port");
  std::string prefix{slash == std::string_view::npos ? std::string_view{} : rest.substr(slash)};
  while (prefix.ends_with('/')) prefix.pop_back();
  return HttpAddress{.tls = scheme->tls,
                     .host = std::string{authority->host},
                     .port = std::string{authority->port},
                     .prefix = std::move(prefix)};
}

std::string host_header(const HttpAddress& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  std::string host = is_v6 ? "[" + address.host + "]" : address.host;
  if (address.port == (address.tls ? "443" : "80")) return host;
  return host + ":" + address.port;
}

bool is_private_address(const std::string& ip) {
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, ip.c_str(), bytes.data()) == 1) return is_private_v4(v4_at(bytes.data()));
  if (inet_pton(AF_INET6, ip.c_str(), bytes.data()) == 1) return is_private_v6(bytes);
  return true;
}

}  // namespace pawl::client
