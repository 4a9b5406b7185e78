#pragma once
// Finds the lines of mistakes in hand-written text. YAML is converted to JSON on the same lines, so that this
// works for both.

#include <cstddef>
#include <string_view>

#include "core/base/problem.hpp"

namespace pawl::core {

// The line, from 1, of the value that `path` names ("tasks[3].retry.backoff") in valid JSON; if it is absent,
// the line of its nearest parent.
[[nodiscard]] int line_of(std::string_view json, std::string_view path);
[[nodiscard]] int line_at(std::string_view text, std::size_t offset);

// Adds to each field of the problem its line and, after the message, the beginning of the rejected value. The
// detail becomes the first of them and the number of further ones.
[[nodiscard]] Problem with_places(Problem problem, std::string_view json);
inline constexpr std::size_t kQuotedBytesMax = 80;

// An invalid_argument about the text as a whole, at one line.
[[nodiscard]] Problem invalid_line(int line, std::string message);

}  // namespace pawl::core
