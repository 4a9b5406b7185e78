#pragma once
// Numbers as they are spelled in JSON, compared exactly: 64-bit integers do not pass through a double, 1e400
// is more than 1e399, and 1, 1.0 and 10e-1 are equal.

#include <compare>
#include <string>
#include <string_view>

namespace pawl::core {

// Both are JSON numbers.
[[nodiscard]] std::strong_ordering compare_numbers(std::string_view left, std::string_view right);
// One spelling for all JSON numbers that are equal. It is for comparing, not a JSON number itself.
[[nodiscard]] std::string number_form(std::string_view number);

}  // namespace pawl::core
