#pragma once
// The payload as a person gives it: JSON text, `-` for standard input, `@file`.

#include <string>

#include "core/result.hpp"

namespace pawl::cli {

// Valid JSON, byte for byte as it was given but for the space around it; "null" for an empty word.
[[nodiscard]] core::Result<std::string> read_payload(const std::string& word);

}  // namespace pawl::cli
