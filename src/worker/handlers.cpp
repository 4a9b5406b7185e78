#include "worker/handlers.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace pawl::worker {

namespace {

struct Parts {
  std::string_view type;
  std::string_view rest;
};

std::optional<Parts> split(std::string_view rule) {
  const auto equals = rule.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == rule.size()) return std::nullopt;
  return Parts{.type = rule.substr(0, equals), .rest = rule.substr(equals + 1)};
}

}  // namespace

core::Status Handlers::add_shell(std::string_view rule) {
  const auto parts = split(rule);
  if (!parts) return core::invalid_field("handle", fmt::format("must be TYPE=COMMAND, not '{}'", rule));
  return add(parts->type, ShellHandler{.command = std::string{parts->rest}});
}

core::Status Handlers::add_http(std::string_view rule) {
  const auto parts = split(rule);
  if (!parts) return core::invalid_field("handle-http", fmt::format("must be TYPE=URL, not '{}'", rule));
  auto address = client::parse_http_address(parts->rest);
  if (!address) return address.problem();
  return add(parts->type, HttpHandler{.address = *std::move(address)});
}

core::Status Handlers::add(std::string_view type, Handler handler) {
  const bool is_beginning = type.ends_with('*');
  if (is_beginning) type.remove_suffix(1);
  const bool known = std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
    return rule.type == type && rule.is_beginning == is_beginning;
  });
  if (known) return core::invalid_field("handle", fmt::format("'{}' has two handlers", type));
  rules_.push_back({.type = std::string{type}, .is_beginning = is_beginning, .handler = std::move(handler)});
  return core::Done{};
}

const Handler* Handlers::find(std::string_view type) const {
  const Rule* best = nullptr;
  for (const auto& rule : rules_) {
    if (!rule.is_beginning && rule.type == type) return &rule.handler;
    const bool fits = rule.is_beginning && type.starts_with(rule.type);
    if (fits && (best == nullptr || rule.type.size() > best->type.size())) best = &rule;
  }
  return best == nullptr ? nullptr : &best->handler;
}

std::vector<std::string> Handlers::types() const {
  std::vector<std::string> types;
  for (const auto& rule : rules_) types.push_back(rule.is_beginning ? rule.type + "*" : rule.type);
  return types;
}

}  // namespace pawl::worker
