#pragma once
// The payload as a person gives it: JSON text, `-` for standard input, `@file`.

#include <string>
#include <vector>

#include "core/result.hpp"

namespace pawl::cli {

// Valid JSON, byte for byte as it was given but for the space around it; "null" for an empty word.
[[nodiscard]] core::Result<std::string> read_payload(const std::string& word);

// A file, or standard input for "-".
[[nodiscard]] core::Result<std::string> read_file(const std::string& name);

// NAME=VALUE words as an object.
[[nodiscard]] core::Result<std::string> labels_text(const std::vector<std::string>& labels);
// The same as a filter has it: name:value.
[[nodiscard]] std::string label_filter(std::string label);

}  // namespace pawl::cli
