#include "core/task/type_pattern.hpp"

#include <algorithm>

namespace pawl::core {

bool is_beginning(std::string_view pattern) { return pattern.ends_with('*'); }

bool matches_type(std::string_view pattern, std::string_view type) {
  if (!is_beginning(pattern)) return pattern == type;
  return type.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool matches_any(std::span<const std::string> patterns, std::string_view type) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return matches_type(pattern, type);
         });
}

}  // namespace pawl::core
