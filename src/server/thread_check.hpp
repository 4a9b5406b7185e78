#pragma once
// Whether the operating system allows the threads that a server needs. Checked before the first one is made:
// a server that has some of its threads and cannot have the others is hard to end in order.

#include "core/result.hpp"

namespace pawl::server {

// Starts so many threads beside each other and ends them. `resource_exhausted` says how many there could be.
[[nodiscard]] core::Status check_threads(int needed);

}  // namespace pawl::server
