#pragma once
// Compares numbers exactly as JSON spells them: 64-bit integers do not pass through a double, 1e400 is
// greater than 1e399, and 1, 1.0 and 10e-1 are equal.

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::core {

inline constexpr int kWholeDigitsMax = 131'072;
inline constexpr int kFractionDigitsMax = 16'383;

// Both arguments must be JSON numbers.
[[nodiscard]] std::strong_ordering compare_numbers(std::string_view left, std::string_view right);
// True for 1.0 and 10e-1, false for 1.5.
[[nodiscard]] bool is_whole(std::string_view number);
// Whether PostgreSQL's numeric can hold the number: at most kWholeDigitsMax digits before the decimal point
// and kFractionDigitsMax after it, counted as they are spelled.
[[nodiscard]] bool is_in_range(std::string_view number);
// The first number of a valid JSON text that is not in range.
[[nodiscard]] std::optional<std::string_view> find_out_of_range(std::string_view json);
// One spelling for all equal JSON numbers. It serves comparisons; it is not a JSON number itself.
[[nodiscard]] std::string number_form(std::string_view number);

}  // namespace pawl::core
