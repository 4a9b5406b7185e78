#include "wire/yaml_scalar.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "core/json/json.hpp"

namespace pawl::wire {

namespace {

using core::RawJson;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// JSON allows no leading zeros and needs at least one digit.
std::string without_leading_zeros(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? "0" : std::string{digits.substr(first)};
}

// Matches [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? and returns the JSON spelling.
std::optional<std::string> decimal_number(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view whole = take_digits(text);
  std::string number = (is_negative ? "-" : "") + without_leading_zeros(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::string_view fraction = take_digits(text);
    if (whole.empty() && fraction.empty()) return std::nullopt;
    number += fmt::format(".{}", fraction.empty() ? "0" : fraction);
  } else if (whole.empty()) {
    return std::nullopt;
  }
  if (text.empty()) return number;
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  number.push_back('e');
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) {
    number.push_back(text.front());
    text.remove_prefix(1);
  }
  const std::string_view exponent = take_digits(text);
  if (exponent.empty() || !text.empty()) return std::nullopt;
  return number.append(exponent);
}

// The base of 0o17 or 0xff; 0 for other text.
int base_of(std::string_view text) {
  const bool is_octal = text.starts_with("0o");
  if (!is_octal && !text.starts_with("0x")) return 0;
  const std::string_view digits = text.substr(2);
  const std::string_view allowed = is_octal ? "01234567" : "0123456789abcdefABCDEF";
  if (digits.empty() || digits.find_first_not_of(allowed) != std::string_view::npos) return 0;
  return is_octal ? 8 : 16;
}

bool is_infinity_or_nan(std::string_view text) {
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return true;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return is_one_of(text, {".inf", ".Inf", ".INF"});
}

}  // namespace

core::Result<RawJson, std::string> json_from_plain_scalar(std::string_view text) {
  if (is_one_of(text, {"true", "True", "TRUE"})) return RawJson{"true"};
  if (is_one_of(text, {"false", "False", "FALSE"})) return RawJson{"false"};
  if (is_infinity_or_nan(text)) return fmt::format("JSON has no {}: put it in quotes", text);
  if (const int base = base_of(text); base != 0) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number, base);
    if (error != std::errc{}) return fmt::format("{} does not fit in 64 bits", text);
    return RawJson{fmt::format("{}", number)};
  }
  if (auto number = decimal_number(text)) return RawJson{std::move(*number)};
  return RawJson{core::json_quote(text)};
}

}  // namespace pawl::wire
