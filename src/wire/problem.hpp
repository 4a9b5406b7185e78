#pragma once
// Problems as application/problem+json.

#include <string>
#include <string_view>

#include "core/problem.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

// `status`: where HTTP has a status of its own for it; 0 takes that of the code.
void write_problem(Writer& out, const core::Problem& problem, std::string_view request_id, int status = 0);
[[nodiscard]] std::string problem_text(const core::Problem& problem, std::string_view request_id,
                                       int status = 0);

}  // namespace pawl::wire
