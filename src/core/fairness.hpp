#pragma once
// Sharing a lane between tenants. A task with a fairness key is given a turn when it becomes claimable, and
// the tasks of a lane are claimed in the order of their turns. The turns of one key lie 1/weight apart and
// begin where the lane is now: ten tasks that come behind somebody's million stand among its first ones. This
// is start-time fair queueing; all of it is decided when a task becomes claimable, nothing when it is
// claimed.
//
// A task that comes back (a retry, a release, a lost lease) does not stand behind what its key has waiting:
// the ones that come back have turns of their own. So a key whose tasks all fail gets twice its share, never
// more.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pawl::core {

struct TaskRecord;

// Whose task it is, and how large that tenant's share is.
struct Fairness {
  std::string key = {};
  double weight = 1;

  bool operator==(const Fairness&) const = default;
};

using Turn = std::int64_t;
// What a task of weight 1 takes.
inline constexpr Turn kWholeTurn = 1'000'000;

// Where a key goes on in a lane.
struct KeyTurns {
  Turn next = 0;
  Turn next_return = 0;  // of a task that comes back

  bool operator==(const KeyTurns&) const = default;
};

struct LaneTurns {
  Turn now = 0;           // of the first that is claimable; if none is, the same as `last`
  Turn last = 0;          // the end of the last turn that was given
  bool is_empty = false;  // nothing is claimable: what is known of keys means nothing any more
  std::map<std::string, KeyTurns> keys = {};
};

[[nodiscard]] Turn give_turn(LaneTurns& lane, const Fairness& fairness, bool comes_back);

// The order in which claimable tasks are claimed, as indices: by priority; within it lanes that are shared by
// turns take turns themselves, each in its own order, and all tasks without a fairness key are one more that
// does, by age. Who begins is drawn from the ids of those who would: nobody is first for ever, nothing has to
// be remembered, and every node and store comes to the same.
[[nodiscard]] std::vector<std::size_t> claim_order(std::span<const TaskRecord* const> tasks);

}  // namespace pawl::core
