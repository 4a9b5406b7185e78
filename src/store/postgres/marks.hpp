#pragma once
// Marks in memory for where live index entries begin. The table of a queue leaves dead entries behind, and no
// vacuum can remove them while any snapshot stays open: reads from the start of the index would scan all of
// them every time.
//
// A forgotten mark or one that is too low only costs time. Entries below a mark are found again: this node's
// writes and rollbacks lower it immediately; for those of other nodes it steps back a little at intervals,
// and is more rarely reset by a read from the start. Thread-safe.

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/time.hpp"

namespace pawl::store::postgres {

// A position in a lane.
struct Position {
  core::TimePoint available_at = core::TimePoint::min();  // in a fair lane the turn, as in core::lane_time
  core::TaskId id = {};

  auto operator<=>(const Position&) const = default;
};

class ReadyMarks {
 public:
  // `staleness`: how long the writes of other nodes may be overlooked; 0 keeps no marks.
  explicit ReadyMarks(core::Duration staleness) : staleness_(staleness) {}

  struct Start {
    Position from = {};
    std::uint64_t generation = 0;
    bool is_empty = false;  // the lane was empty a moment ago, and nothing was added since
  };
  [[nodiscard]] Start start(std::int32_t lane);
  // All live entries from `start` to `last` were taken, except for those added in the meantime.
  void advance(std::int32_t lane, const Start& start, const Position& last);
  // Fewer entries were found than requested.
  void note_empty(std::int32_t lane, const Start& start);
  // A claimable entry exists at `first`: it was written, or taken and put back.
  void lower(std::int32_t lane, const Position& first);

  // Start::is_empty, as `start` would return it.
  [[nodiscard]] bool is_empty(std::int32_t lane) const;
  [[nodiscard]] Position mark_of(std::int32_t lane) const;
  [[nodiscard]] std::vector<std::int32_t> lanes() const;
  void forget();

 private:
  struct LaneMark {
    Position mark = {};
    Position newer = {};                    // the mark at the last step back
    Position older = {};                    // the mark at the step back before
    std::uint64_t generation = 0;           // how many entries `lowered` has had
    std::array<Position, 16> lowered = {};  // a ring of the last ones, which a running read may have missed
    core::MonotonicTime stepped_back_at = {};
    core::MonotonicTime empty_until = {};
  };

  static void note_lowered(LaneMark& entry, const Position& first);

  const core::Duration staleness_;
  mutable std::mutex mutex_;
  std::map<std::int32_t, LaneMark> marks_;
};

// The same for entries that are only written with future times, and are read when the store's time reaches
// them. Reads are frequent: most go back as far as a commit usually takes, some as far as the longest commit
// may take, few to the start. The longer a far read takes, the rarer it becomes.
class DueMark {
 public:
  explicit DueMark(core::Duration staleness) : is_on_(staleness > core::Duration{0}) {}

  enum class Reach : std::uint8_t { usual, far, all };
  struct Look {
    core::TimePoint from = core::TimePoint::min();
    core::MonotonicTime began_at = {};
    Reach reach = Reach::all;
  };
  [[nodiscard]] Look begin(core::TimePoint now);
  // `first`: the first live entry that was found, if any.
  void end(const Look& look, core::TimePoint now, std::optional<core::TimePoint> first);
  void forget();

 private:
  const bool is_on_;
  std::mutex mutex_;
  core::TimePoint mark_ = core::TimePoint::min();
  core::TimePoint last_now_ = core::TimePoint::min();
  core::MonotonicTime next_far_at_ = {};
  core::MonotonicTime next_full_at_ = {};
};

// The same for the changes of lane counts, whose numbers rise. This mark is exact: no number below it can
// become visible later, because all transactions that could have assigned one had ended when the mark was
// set.
class CountsMark {
 public:
  [[nodiscard]] std::int64_t value() const { return mark_.load(); }

  // The results of two statements, `last` first: the last assigned number; the oldest running transaction and
  // the next one; the first existing number from the mark on.
  struct Seen {
    std::int64_t last = 0;
    std::int64_t oldest_transaction = 0;
    std::int64_t next_transaction = 0;
    std::optional<std::int64_t> first = {};
  };
  // One thread at a time. Results of an earlier life are ignored.
  void update(const Seen& seen, std::uint64_t life = 0);
  void begin_life(std::uint64_t life);

 private:
  struct Candidate {
    std::int64_t last = 0;
    std::int64_t next_transaction = 0;
  };

  std::atomic<std::int64_t> mark_ = 0;
  std::mutex mutex_;
  std::optional<Candidate> candidate_;
  std::uint64_t life_ = 0;
};

}  // namespace pawl::store::postgres
