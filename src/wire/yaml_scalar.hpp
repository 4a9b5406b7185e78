#pragma once
// Plain scalars of YAML by the core schema of YAML 1.2 (chapter 10.3).

#include <string>
#include <string_view>

#include "core/json.hpp"
#include "core/result.hpp"

namespace pawl::wire {

// A plain scalar as a JSON value; the problem is why it cannot be one. Null is told by the parser itself.
[[nodiscard]] core::Result<core::RawJson, std::string> json_from_plain_scalar(std::string_view text);

}  // namespace pawl::wire
