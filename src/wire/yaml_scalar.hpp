#pragma once
// Parses plain YAML scalars by the core schema of YAML 1.2 (chapter 10.3).

#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/json/json.hpp"

namespace pawl::wire {

// Converts a plain scalar to a JSON value; the problem says why it has none. The parser reports null itself.
[[nodiscard]] core::Result<core::RawJson, std::string> json_from_plain_scalar(std::string_view text);

}  // namespace pawl::wire
