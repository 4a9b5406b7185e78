#pragma once
// The baseline of a store: one statement and one commit an operation.

#include "bench/bench.hpp"
#include "core/env.hpp"
#include "store/baseline.hpp"

namespace pawl::bench {

// Whole lives a second, on as many connections as help it most (4 on PostgreSQL, 1 on SQLite).
[[nodiscard]] double baseline_life(const Options& options, core::Clock& clock);
// Inserts a second, a commit each, on the same connections.
[[nodiscard]] double baseline_enqueue(const Options& options, core::Clock& clock);
// Milliseconds that one insert and its commit take.
[[nodiscard]] double one_commit(store::Baseline& baseline, core::Clock& clock);

}  // namespace pawl::bench
