#pragma once
// Writes problems as application/problem+json.

#include <string>
#include <string_view>

#include "core/base/problem.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

// A problem may quote arbitrary bytes of a request: invalid UTF-8 is replaced.
void write_problem(Writer& out, const core::Problem& problem, std::string_view request_id);
[[nodiscard]] std::string problem_text(const core::Problem& problem, std::string_view request_id);

}  // namespace pawl::wire
