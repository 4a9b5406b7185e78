#include "wire/percent.hpp"

#include <algorithm>

#include "core/json/json.hpp"

namespace pawl::wire {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (!core::utf8_length(out)) return std::nullopt;
  return out;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 15U]);
  }
  return out;
}

core::Result<std::string> query_object(std::string_view query) {
  std::string object = "{";
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    const std::string_view pair = query.substr(at, end - at);
    at = end + 1;
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::string raw{pair.substr(std::min(equals + 1, pair.size()))};
    std::replace(raw.begin(), raw.end(), '+', ' ');
    const auto name = percent_decoded(pair.substr(0, equals));
    const auto value = percent_decoded(raw);
    if (!name || !value)
      return core::invalid_field(std::string{pair.substr(0, equals)}, "is not percent-encoded UTF-8");
    if (object.size() > 1) object += ",";
    object += core::json_quote(*name) + ":" + core::json_quote(*value);
  }
  return object + "}";
}

}  // namespace pawl::wire
