#pragma once
// Counters since the start. Any thread may read them: each sum is exact, but they are not one snapshot.

#include <atomic>
#include <cstdint>

namespace pawl::engine {

struct EngineStats {
  std::atomic<std::int64_t> groups = 0;  // committed ones only
  std::atomic<std::int64_t> commands = 0;
  std::atomic<std::int64_t> group_micros =
      0;  // from the first load to the end of the commit, without a separate flush
  std::atomic<std::int64_t> refused_groups = 0;
  // Monotonic clock, in microseconds: the first refusal since the last commit (0: none), and the last one.
  std::atomic<std::int64_t> refused_since = 0;
  std::atomic<std::int64_t> refused_last = 0;
  std::atomic<std::int64_t> leases_expired = 0;
  // What this node's recovery found and handled.
  std::atomic<std::int64_t> deadlines_passed = 0;
  std::atomic<std::int64_t> runs_stuck = 0;
  std::atomic<std::int64_t> workers_lost = 0;
  std::atomic<std::int64_t> tasks_claimed = 0;
  // Effects of reports on tasks; a repeated report counts again.
  std::atomic<std::int64_t> tasks_completed = 0;
  std::atomic<std::int64_t> tasks_retried = 0;
  std::atomic<std::int64_t> tasks_failed = 0;     // permanently
  std::atomic<std::int64_t> erased = 0;           // tasks, runs and audit entries past their retention
  std::atomic<std::int64_t> tasks_set_aside = 0;  // unreadable claimable tasks; counted again each hour
  std::atomic<std::int64_t> runs_parked = 0;      // runs that a timer or deadline could not advance
  // Steps of the store's clock (core/base/store_clock.hpp) that this node observed or another node recorded.
  std::atomic<std::int64_t> clock_steps_forward = 0;
  std::atomic<std::int64_t> clock_steps_back = 0;
};

}  // namespace pawl::engine
