#pragma once
// Generates the pages of docs/reference from the program's own tables.

#include <string>

namespace pawl::testing {

[[nodiscard]] std::string http_reference();
[[nodiscard]] std::string command_line_reference();

}  // namespace pawl::testing
