#include "wire/sequence.hpp"

#include <charconv>

#include <fmt/format.h>

namespace pawl::wire {

core::Result<std::int64_t> parse_sequence(std::string_view field, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0)
    return core::invalid_field(std::string{field}, fmt::format("'{}' is not a sequence", text));
  return number;
}

core::Result<std::optional<std::int64_t>> parse_if_match(std::string_view text) {
  if (text.empty() || text == "*") return std::optional<std::int64_t>{};
  if (text.size() > 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  const auto number = parse_sequence("If-Match", text);
  if (!number) return number.problem();
  return std::optional{*number};
}

}  // namespace pawl::wire
