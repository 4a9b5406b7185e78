#pragma once
// Parses enum values as spelled in JSON and SQL: a table lists the names in the order of the values.

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace pawl::core {

template <typename Enum, std::size_t N>
[[nodiscard]] std::optional<Enum> enum_from(const std::array<std::string_view, N>& names,
                                            std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace pawl::core
