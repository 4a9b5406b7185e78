#pragma once
// State that the transactions and reads of one store share. Thread-safe.

#include <atomic>
#include <span>

#include "store/lanes.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/lanes.hpp"
#include "store/postgres/marks.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/postgres/remembered.hpp"
#include "store/postgres/replication.hpp"
#include "store/postgres/server_clock.hpp"

namespace pawl::store::postgres {

// Whether other nodes have recently written to runs that this node writes to.
class RunRaces {
 public:
  void note(core::MonotonicTime now) { last_ = now.time_since_epoch().count(); }
  [[nodiscard]] bool is_recent(core::MonotonicTime now) const {
    const std::int64_t last = last_;
    return last != 0 && core::Duration{now.time_since_epoch().count() - last} < kRemembered;
  }

 private:
  static constexpr core::Duration kRemembered = std::chrono::minutes{10};
  std::atomic<std::int64_t> last_ = 0;
};

struct Shared {
  explicit Shared(PostgresOptions given)
      : options(std::move(given)),
        server(options.conninfo, options.random, options.silence_max),
        clock(options.clock),
        ready_marks(options.lane_cache_staleness),
        fair_marks(options.lane_cache_staleness),
        lease_mark(options.lane_cache_staleness),
        scheduled_mark(options.lane_cache_staleness),
        leases(options.remembered_leases_max) {}

  const PostgresOptions options;
  Server server;
  ServerClock clock;
  LaneCache lanes;
  ReadyMarks ready_marks;
  ReadyMarks fair_marks;  // for fair lanes, ordered by turn
  DueMark lease_mark;
  DueMark scheduled_mark;
  CountsMark counts_mark;
  RememberedFacts facts;
  RememberedLeases leases;
  RunRaces run_races;
  Replication replication;
  std::atomic<int> schema_found = 0;             // by the last write that began; 0: none yet
  std::atomic<std::int64_t> rows_left_dead = 0;  // by this node, since its last vacuum
  std::atomic<std::int64_t> counts_written = 0;  // by this node, since its last fold

  [[nodiscard]] ReadyMarks& marks_of(const core::Lane& lane) { return lane.fair ? fair_marks : ready_marks; }
  [[nodiscard]] const ReadyMarks& marks_of(const core::Lane& lane) const {
    return lane.fair ? fair_marks : ready_marks;
  }
  // Drops everything that was read or written in earlier lives.
  void begin_life(std::uint64_t life);
};

}  // namespace pawl::store::postgres
