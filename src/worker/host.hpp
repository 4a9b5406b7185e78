#pragma once
// The name of the worker's host, and which errors are permanent.

#include <string>

#include "core/base/problem.hpp"

namespace pawl::worker {

[[nodiscard]] std::string host_name();
// Whether the error is permanent: a retry in a second would not help.
[[nodiscard]] bool is_hopeless(core::ProblemCode code);

}  // namespace pawl::worker
