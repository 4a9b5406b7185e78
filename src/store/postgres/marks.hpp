#pragma once
// Where live index entries begin, kept in memory. A queue's table leaves dead entries behind, and while
// somebody holds a snapshot open no vacuum can take them away: reading from the start would walk over all of
// them each time.
//
// Always: forgetting a mark, or one that is too low, costs time only. What could stand below a mark is found
// again: this node's own writes and rollbacks lower it at once; those of other nodes are found by looking
// back a little every now and then, and by a look from the very start more rarely. Any thread.

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "core/time.hpp"

namespace pawl::store::postgres {

// A place in a lane.
struct Position {
  core::TimePoint available_at =
      core::TimePoint::min();  // in a fair lane the turn, as core::lane_time has it
  core::TaskId id = {};

  auto operator<=>(const Position&) const = default;
};

class ReadyMarks {
 public:
  // `staleness`: how long what other nodes write may be overlooked; 0 keeps no marks.
  explicit ReadyMarks(core::Duration staleness) : staleness_(staleness) {}

  struct Start {
    Position from = {};
    std::uint64_t generation = 0;
    bool is_empty = false;  // nothing was there a moment ago, and nothing came since
  };
  [[nodiscard]] Start start(std::int32_t lane);
  // All live entries from `start` to `last` were taken, but for those that came meanwhile.
  void advance(std::int32_t lane, const Start& start, const Position& last);
  // Less was found than asked for.
  void note_empty(std::int32_t lane, const Start& start);
  // A claimable entry stands at `first`: written, or taken and put back.
  void lower(std::int32_t lane, const Position& first);

  // As `start` would say.
  [[nodiscard]] bool is_empty(std::int32_t lane) const;
  [[nodiscard]] Position mark_of(std::int32_t lane) const;
  [[nodiscard]] std::vector<std::int32_t> lanes() const;
  void forget();

 private:
  struct LaneMark {
    Position mark = {};
    Position newer = {};                    // what the mark was at the last step back,
    Position older = {};                    // and at the one before
    std::uint64_t generation = 0;           // how many entries `lowered` has had
    std::array<Position, 16> lowered = {};  // the last ones, as a ring: what a look under way may have missed
    core::MonotonicTime stepped_back_at = {};
    core::MonotonicTime empty_until = {};
  };

  static void note_lowered(LaneMark& entry, const Position& first);

  const core::Duration staleness_;
  mutable std::mutex mutex_;
  std::map<std::int32_t, LaneMark> marks_;
};

// The same for entries that are only ever written ahead of the store's time, and looked for when it has come.
// Looks come often: most go back as far as a commit usually takes, some as far as the longest may take, few
// to the very start. The more a far look has to walk over, the rarer it is.
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
  // `first`: the first live entry that the look found, if any.
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

// The same for the changes of lane counts, whose numbers rise. This one is exact: a number below the mark can
// never be seen again, since all transactions that could have been given one had ended when the mark was set.
class CountsMark {
 public:
  [[nodiscard]] std::int64_t value() const { return mark_.load(); }

  // What two statements saw, `last` first: the number given last; the oldest transaction under way and the
  // next one to come; the first number from the mark on that is there.
  struct Seen {
    std::int64_t last = 0;
    std::int64_t oldest_transaction = 0;
    std::int64_t next_transaction = 0;
    std::optional<std::int64_t> first = {};
  };
  // One thread at a time. What was seen in an earlier life changes nothing.
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
