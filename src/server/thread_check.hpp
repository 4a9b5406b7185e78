#pragma once
// Checks that the operating system allows the threads that a server needs, before the first one is started: a
// server with only some of its threads is hard to shut down cleanly.

#include "core/base/result.hpp"

namespace pawl::server {

// Starts this many threads concurrently and ends them. `resource_exhausted` reports how many could be
// started.
[[nodiscard]] core::Status check_threads(int needed);

}  // namespace pawl::server
