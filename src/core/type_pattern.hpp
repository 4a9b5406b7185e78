#pragma once
// Which types a claim or a handler is for: a type by its name, or by a trailing '*' all that begin so. Pure.

#include <span>
#include <string>
#include <string_view>

namespace pawl::core {

[[nodiscard]] bool is_beginning(std::string_view pattern);
[[nodiscard]] bool matches_type(std::string_view pattern, std::string_view type);
// No pattern at all: every type.
[[nodiscard]] bool matches_any(std::span<const std::string> patterns, std::string_view type);

}  // namespace pawl::core
