#pragma once
// Reads payloads from the command line: JSON text, `-` for standard input, or `@FILE`.

#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace pawl::cli {

// Valid JSON, byte for byte as given except for surrounding space; "null" for an empty word.
[[nodiscard]] core::Result<std::string> read_payload(const std::string& word);

// Reads a file; "-" is standard input.
[[nodiscard]] core::Result<std::string> read_file(const std::string& name);

// Converts NAME=VALUE words to a JSON object.
[[nodiscard]] core::Result<std::string> labels_text(const std::vector<std::string>& labels);
// Converts NAME=VALUE to the name:value form of the API's filters.
[[nodiscard]] std::string label_filter(std::string label);

}  // namespace pawl::cli
