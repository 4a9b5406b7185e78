#pragma once
// Where in a text that a person wrote a mistake stands. YAML is turned into JSON on the same lines, so that
// one way serves both.

#include <string_view>

#include "core/problem.hpp"

namespace pawl::core {

// The line, from 1, on which what `path` names ("tasks[3].retry.backoff") stands in valid JSON; where it is
// absent, the line of what it would stand in.
[[nodiscard]] int line_of(std::string_view json, std::string_view path);
[[nodiscard]] int line_at(std::string_view text, std::size_t offset);

// The problem with the lines of its fields; its detail is the first of them and how many follow.
[[nodiscard]] Problem with_lines(Problem problem, std::string_view json);

// invalid_argument about the text as a whole at one line.
[[nodiscard]] Problem invalid_line(int line, std::string message);

}  // namespace pawl::core
