#pragma once
// YAML as JSON text. Types are those of YAML 1.2's core schema: null, true and false, whole and other
// numbers; all else is a string (so `no`, `on` and `12:30` are).
//
// What a person could not mean is refused with its line: doubled keys, tags, keys that are no plain names,
// infinity, more than one document, a nesting deeper than 64, aliases that grow beyond the limit of
// definitions.
//
// Always: a value stands on the same line of the JSON as of the YAML, so that core::line_of serves both.

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace pawl::wire {

[[nodiscard]] core::Result<std::string> json_from_yaml(std::string_view yaml);

}  // namespace pawl::wire
