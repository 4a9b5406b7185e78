#pragma once
// Patterns of the types that a claim or a handler accepts: the name of a type, or a prefix with a trailing
// '*'. Pure.

#include <span>
#include <string>
#include <string_view>

namespace pawl::core {

[[nodiscard]] bool is_beginning(std::string_view pattern);
[[nodiscard]] bool matches_type(std::string_view pattern, std::string_view type);
// Without patterns every type matches.
[[nodiscard]] bool matches_any(std::span<const std::string> patterns, std::string_view type);

}  // namespace pawl::core
