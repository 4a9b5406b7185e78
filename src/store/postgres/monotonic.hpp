#pragma once
// Monotonic time, independent of the store's clock: for backoff and for the staleness of caches. Nothing that
// is stored depends on it.

#include "core/base/time.hpp"

namespace pawl::store::postgres {

[[nodiscard]] core::MonotonicTime monotonic_now();
// The same, but it also advances while the machine is suspended.
[[nodiscard]] core::MonotonicTime elapsed_now();
void wait(core::Duration duration);

}  // namespace pawl::store::postgres
