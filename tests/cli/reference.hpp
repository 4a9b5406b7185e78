#pragma once
// The pages of docs/reference, made from the tables that the program itself is made from.

#include <string>

namespace pawl::testing {

[[nodiscard]] std::string http_reference();
[[nodiscard]] std::string command_line_reference();

}  // namespace pawl::testing
