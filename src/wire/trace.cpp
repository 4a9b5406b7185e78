#include "wire/trace.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace pawl::wire {

namespace {

constexpr std::size_t kLength = 55;         // of version 00; later versions may append fields
constexpr std::uint8_t kKnownFlags = 0x03;  // sampled, and random trace id
constexpr std::size_t kMembersMax = 32;
constexpr std::size_t kStateMax = 512;       // minimum that the standard requires to forward
constexpr std::size_t kLongMemberMin = 129;  // longer members are dropped first
constexpr std::size_t kKeyMax = 256;
constexpr std::size_t kTenantMax = 241;
constexpr std::size_t kSystemMax = 14;
constexpr std::size_t kValueMax = 256;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_id(std::string_view id) { return is_hex(id) && id.find_first_not_of('0') != std::string_view::npos; }

int hex_value(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }

bool is_key_part(std::string_view text, std::size_t max, bool may_begin_with_digit) {
  if (text.empty() || text.size() > max) return false;
  if (!is_lower(text.front()) && !(may_begin_with_digit && is_decimal(text.front()))) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_lower(c) || is_decimal(c) || c == '_' || c == '-' || c == '*' || c == '/';
  });
}

// A name, or TENANT@SYSTEM.
bool is_key(std::string_view key) {
  const std::size_t at = key.find('@');
  if (at == std::string_view::npos) return is_key_part(key, kKeyMax, false);
  return is_key_part(key.substr(0, at), kTenantMax, true) &&
         is_key_part(key.substr(at + 1), kSystemMax, false);
}

bool is_value(std::string_view value) {
  return !value.empty() && value.size() <= kValueMax && value.back() != ' ' &&
         std::all_of(value.begin(), value.end(),
                     [](char c) { return c >= ' ' && c < 0x7f && c != ',' && c != '='; });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t from = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(from, text.find_last_not_of(" \t") + 1 - from);
}

std::string_view key_of(std::string_view member) { return member.substr(0, member.find('=')); }

// None if a member is malformed, two have the same key, or there are too many.
std::optional<std::vector<std::string_view>> members_of(std::string_view headers) {
  std::vector<std::string_view> members;
  for (std::size_t from = 0; from <= headers.size();) {
    const std::size_t end = std::min(headers.find(',', from), headers.size());
    const std::string_view member = trimmed(headers.substr(from, end - from));
    from = end + 1;
    if (member.empty()) continue;
    const std::string_view key = key_of(member);
    const bool has_value = key.size() < member.size() && is_value(member.substr(key.size() + 1));
    const bool is_known = std::any_of(members.begin(), members.end(),
                                      [&](std::string_view other) { return key_of(other) == key; });
    if (!has_value || !is_key(key) || is_known || members.size() == kMembersMax) return std::nullopt;
    members.push_back(member);
  }
  return members;
}

std::size_t length_of(const std::vector<std::string_view>& members) {
  std::size_t length = members.empty() ? 0 : members.size() - 1;
  for (const std::string_view member : members) length += member.size();
  return length;
}

// Drops long members first, each time the last one, then other members from the end.
void shorten(std::vector<std::string_view>& members) {
  while (length_of(members) > kStateMax) {
    const auto is_long = [](std::string_view member) { return member.size() >= kLongMemberMin; };
    const auto found = std::find_if(members.rbegin(), members.rend(), is_long);
    members.erase(found == members.rend() ? members.end() - 1 : found.base() - 1);
  }
}

}  // namespace

std::optional<TraceParent> parse_traceparent(std::string_view header) {
  if (header.size() < kLength) return std::nullopt;
  const std::string_view version = header.substr(0, 2);
  const std::string_view flags = header.substr(53, 2);
  const bool has_more = header.size() > kLength;
  if (!is_hex(version) || version == "ff" || !is_hex(flags)) return std::nullopt;
  if (has_more && (version == "00" || header[kLength] != '-')) return std::nullopt;
  if (header[2] != '-' || header[35] != '-' || header[52] != '-') return std::nullopt;
  const std::string_view trace_id = header.substr(3, 32);
  const std::string_view span_id = header.substr(36, 16);
  if (!is_id(trace_id) || !is_id(span_id)) return std::nullopt;
  const int all_flags = hex_value(flags[0]) * 16 + hex_value(flags[1]);
  return TraceParent{.trace_id = std::string{trace_id},
                     .span_id = std::string{span_id},
                     .flags = static_cast<std::uint8_t>(all_flags & kKnownFlags)};
}

std::string parse_tracestate(std::string_view headers) {
  auto members = members_of(headers);
  if (!members) return {};
  shorten(*members);
  return fmt::format("{}", fmt::join(*members, ","));
}

std::optional<core::TraceContext> parse_trace(std::string_view traceparent, std::string_view tracestate) {
  const auto parent = parse_traceparent(traceparent);
  if (!parent) return std::nullopt;
  return core::TraceContext{
      .traceparent = fmt::format("00-{}-{}-{:02x}", parent->trace_id, parent->span_id, parent->flags),
      .tracestate = parse_tracestate(tracestate)};
}

}  // namespace pawl::wire
