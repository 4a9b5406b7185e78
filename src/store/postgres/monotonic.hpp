#pragma once
// Real time that never steps, whatever clock the store was given: for back-off and for how stale memory may
// be. It decides nothing that is stored.

#include "core/time.hpp"

namespace pawl::store::postgres {

[[nodiscard]] core::MonotonicTime monotonic_now();
// The same, and it also runs while the machine is suspended.
[[nodiscard]] core::MonotonicTime elapsed_now();
void wait(core::Duration duration);

}  // namespace pawl::store::postgres
