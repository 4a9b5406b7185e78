#pragma once
// Where a worker is, and when it has no business there.

#include <string>

#include "core/problem.hpp"

namespace pawl::worker {

[[nodiscard]] std::string host_name();
// What will not be better in a second.
[[nodiscard]] bool is_hopeless(core::ProblemCode code);

}  // namespace pawl::worker
