#pragma once
// The baseline of a store: one statement and one commit an operation.

#include "bench/bench.hpp"
#include "core/env.hpp"

namespace pawl::bench {

// Whole lives a second, on as many connections as help it most (4 on PostgreSQL, 1 on SQLite).
[[nodiscard]] double baseline_life(const Options& options, core::Clock& clock);
// Milliseconds that one commit takes on an idle store, the median.
[[nodiscard]] double commit_time(const Options& options, core::Clock& clock);

}  // namespace pawl::bench
