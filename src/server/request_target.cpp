#include "server/request_target.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/json/json.hpp"
#include "server/host_names.hpp"
#include "wire/routes.hpp"

namespace pawl::server {

namespace {

constexpr std::size_t kShownMax = 200;  // of a rejected target in the error
constexpr int kPortMax = 65'535;

struct Origin {
  std::string scheme;
  std::string_view authority;
  std::string_view rest;  // path and query
};

// Splits a URI with an authority: SCHEME://AUTHORITY and the rest.
std::optional<Origin> split(std::string_view uri) {
  const std::size_t colon = uri.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view after = uri.substr(colon + 3);
  const std::size_t end = std::min(after.find_first_of("/?"), after.size());
  return Origin{.scheme = lower_case(uri.substr(0, colon)),
                .authority = after.substr(0, end),
                .rest = after.substr(end)};
}

std::string_view implied_port(std::string_view scheme) {
  if (scheme == "http") return "80";
  return scheme == "https" ? "443" : "";
}

core::Problem bad_target(std::string_view target, std::string_view why) {
  const std::string shown = core::json_quote(target.substr(0, kShownMax));
  return core::invalid_field("target", fmt::format("{} {}", shown, why));
}

core::Result<RequestTarget> read_absolute(std::string_view method, std::string_view target) {
  const auto origin = split(target);
  if (!origin || implied_port(origin->scheme).empty())
    return bad_target(target, "is neither a path that begins with / nor an http or https address");
  if (const core::Status valid = check_authority("target", origin->authority); !valid) return valid.problem();
  if (origin->rest.starts_with('/'))
    return RequestTarget{std::string{origin->rest}, std::string{origin->authority}};
  const bool is_whole_server = method == "OPTIONS" && origin->rest.empty();
  return RequestTarget{is_whole_server ? "*" : "/" + std::string{origin->rest},
                       std::string{origin->authority}};
}

bool is_port(std::string_view text) {
  if (text.size() > 5 || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  int port = 0;
  for (const char digit : text) port = port * 10 + (digit - '0');
  return port <= kPortMax;
}

// The port behind the host name, or the implied one if it is missing.
std::string_view port_of(std::string_view authority, std::string_view implied) {
  const std::string_view rest = authority.substr(host_name(authority).size());
  return rest.size() > 1 ? rest.substr(1) : implied;
}

}  // namespace

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

std::string_view query_of(std::string_view target) {
  const std::size_t mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
}

core::Result<RequestTarget> read_target(std::string_view method, std::string_view target) {
  if (method == "CONNECT") return bad_target(target, "CONNECT is not supported: this server is not a proxy");
  if (target.find('#') != std::string_view::npos) return bad_target(target, "has a fragment");
  if (target.starts_with('/')) return RequestTarget{.path = std::string{target}};
  if (target == "*" && method == "OPTIONS") return RequestTarget{.path = "*"};
  return read_absolute(method, target);
}

core::Status check_authority(std::string_view field, std::string_view authority) {
  const std::string name = host_name(authority);
  const std::string_view rest = authority.substr(name.size());
  const bool is_right =
      is_host_name(name) && (rest.empty() || (rest.starts_with(':') && is_port(rest.substr(1))));
  if (is_right) return core::Done{};
  return core::invalid_field(
      std::string{field},
      fmt::format(
          "{} is not one host name or IP address, with or without port, such as pawl.example.com:7717",
          core::json_quote(authority.substr(0, kShownMax))));
}

bool is_same_origin(std::string_view origin, std::string_view host) {
  const auto page = split(origin);
  if (!page || !page->rest.empty()) return false;
  const std::string_view implied = implied_port(page->scheme);
  return host_name(page->authority) == host_name(host) &&
         port_of(page->authority, implied) == port_of(host, implied);
}

bool is_probe(std::string_view method, std::string_view target) {
  const auto known = wire::method_from(method == "HEAD" ? "GET" : method);
  if (!known) return false;
  const auto found = wire::match(*known, path_of(target));
  return found && (found->route->call == wire::Call::healthz || found->route->call == wire::Call::readyz);
}

}  // namespace pawl::server
