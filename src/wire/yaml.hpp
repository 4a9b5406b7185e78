#pragma once
// Converts YAML to JSON text. Types follow YAML 1.2's core schema: null, true and false, integers and other
// numbers; everything else is a string (including `no`, `on` and `12:30`).
//
// Likely mistakes are rejected with their line: duplicate keys, tags, keys other than plain names, infinity,
// several documents, nesting deeper than 64, and aliases that expand beyond the size limit of definitions.
//
// A value is on the same line of the JSON as of the YAML, so core::line_of works for both.

#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace pawl::wire {

[[nodiscard]] core::Result<std::string> json_from_yaml(std::string_view yaml);

}  // namespace pawl::wire
