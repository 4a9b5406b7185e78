#include "core/json/decimal.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace pawl::core {

namespace {

// 0.DIGITS times ten to the `exponent`, where DIGITS neither begins nor ends with 0; no digits: zero.
struct Decimal {
  bool is_negative = false;
  std::string digits = {};
  std::int64_t exponent = 0;
};

// Larger exponents are clamped to this one: beyond it, two numbers of one sign compare as equally large. No
// stored text is long enough to spell such a number out.
constexpr std::int64_t kExponentMax = 1'000'000'000'000'000;

std::int64_t exponent_of(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (const char c : text) exponent = std::min(exponent * 10 + (c - '0'), kExponentMax);
  return is_negative ? -exponent : exponent;
}

Decimal decimal_of(std::string_view text) {
  Decimal number{.is_negative = text.starts_with('-')};
  if (number.is_negative) text.remove_prefix(1);
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    number.exponent = exponent_of(text.substr(e + 1));
    text = text.substr(0, e);
  }
  const std::string_view whole = text.substr(0, text.find('.'));
  number.digits = whole;
  if (whole.size() < text.size()) number.digits += text.substr(whole.size() + 1);
  number.exponent += static_cast<std::int64_t>(whole.size());

  const std::size_t leading = std::min(number.digits.find_first_not_of('0'), number.digits.size());
  number.digits.erase(0, leading);
  number.exponent -= static_cast<std::int64_t>(leading);
  while (number.digits.ends_with('0')) number.digits.pop_back();
  return number.digits.empty() ? Decimal{} : number;
}

int sign_of(const Decimal& number) {
  if (number.digits.empty()) return 0;
  return number.is_negative ? -1 : 1;
}

std::strong_ordering compare_sizes(const Decimal& left, const Decimal& right) {
  if (left.exponent != right.exponent) return left.exponent <=> right.exponent;
  return left.digits <=> right.digits;  // as fractions: a prefix is the smaller one
}

}  // namespace

std::strong_ordering compare_numbers(std::string_view left, std::string_view right) {
  const Decimal a = decimal_of(left);
  const Decimal b = decimal_of(right);
  if (sign_of(a) != sign_of(b)) return sign_of(a) <=> sign_of(b);
  return a.is_negative ? compare_sizes(b, a) : compare_sizes(a, b);
}

bool is_whole(std::string_view number) {
  const Decimal decimal = decimal_of(number);
  return decimal.exponent >= static_cast<std::int64_t>(decimal.digits.size());
}

bool is_in_range(std::string_view number) {
  // Digits after the decimal point count even where they are zeros, and even of the number zero.
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::size_t point = std::min(number.substr(0, e).find('.'), e);
  const std::int64_t exponent = e == number.size() ? 0 : exponent_of(number.substr(e + 1));
  constexpr std::int64_t kExponentOfNumericMax = std::numeric_limits<std::int32_t>::max() / 2;
  if (exponent >= kExponentOfNumericMax || exponent <= -kExponentOfNumericMax) return false;
  const auto fraction = static_cast<std::int64_t>(point == e ? 0 : e - point - 1);
  if (fraction - exponent > kFractionDigitsMax) return false;
  return decimal_of(number).exponent <= kWholeDigitsMax;
}

std::optional<std::string_view> find_out_of_range(std::string_view json) {
  constexpr std::string_view kOfNumbers = "+-.0123456789eE";
  constexpr std::size_t kLengthMin = std::string_view{"1e-16384"}.size();  // no shorter one is out of range
  bool is_in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') is_in_string = !is_in_string;
    if (is_in_string && json[i] == '\\') ++i;
    if (is_in_string || (json[i] != '-' && (json[i] < '0' || json[i] > '9'))) continue;
    const std::size_t end = std::min(json.find_first_not_of(kOfNumbers, i), json.size());
    const std::string_view number = json.substr(i, end - i);
    if (number.size() >= kLengthMin && !is_in_range(number)) return number;
    i = end - 1;
  }
  return std::nullopt;
}

std::string number_form(std::string_view number) {
  const Decimal decimal = decimal_of(number);
  return fmt::format("{}.{}e{}", decimal.is_negative ? "-" : "", decimal.digits, decimal.exponent);
}

}  // namespace pawl::core
