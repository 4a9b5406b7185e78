#pragma once
// Measures the baseline of a store: one statement and one commit per operation.

#include "bench/bench.hpp"
#include "core/base/env.hpp"
#include "store/baseline.hpp"

namespace pawl::bench {

// Tasks enqueued and completed per second, on the best number of connections (4 on PostgreSQL, 1 on SQLite).
[[nodiscard]] double baseline_life(const Options& options, core::Clock& clock);
// Inserts per second, each with its own commit, on the same connections.
[[nodiscard]] double baseline_enqueue(const Options& options, core::Clock& clock);
// Milliseconds for one insert and its commit.
[[nodiscard]] double one_commit(store::Baseline& baseline, core::Clock& clock);

}  // namespace pawl::bench
