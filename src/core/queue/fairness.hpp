#pragma once
// Shares a lane between tenants by start-time fair queueing. A task with a fairness key is given a turn when
// it becomes claimable, and the tasks of a lane are claimed in the order of their turns. The turns of one key
// are 1/weight apart and begin at the lane's current turn: ten tasks that arrive behind another tenant's
// million are claimed among its first ones. All this is decided when a task becomes claimable, nothing when
// it is claimed.
//
// A returning task (after a retry, a release or a lost lease) does not queue behind the waiting tasks of its
// key: returning tasks have a separate sequence of turns. A key whose tasks all fail therefore gets at most
// twice its share.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pawl::core {

struct TaskRecord;

// The tenant of a task and the tenant's weight.
struct Fairness {
  std::string key = {};
  double weight = 1;

  bool operator==(const Fairness&) const = default;
};

using Turn = std::int64_t;
// The length of a turn of weight 1.
inline constexpr Turn kWholeTurn = 1'000'000;

// The next turns of a key in a lane.
struct KeyTurns {
  Turn next = 0;
  Turn next_return = 0;  // of a returning task

  bool operator==(const KeyTurns&) const = default;
};

struct LaneTurns {
  Turn now = 0;           // the turn of the first claimable task; if there is none, equal to `last`
  Turn last = 0;          // the end of the last turn that was given
  bool is_empty = false;  // nothing is claimable: `keys` is obsolete
  std::map<std::string, KeyTurns> keys = {};
};

[[nodiscard]] Turn give_turn(LaneTurns& lane, const Fairness& fairness, bool comes_back);

// The order in which claimable tasks are claimed, as indexes: by priority. Within a priority, shared lanes
// alternate, each in its own order; all tasks without a fairness key form one more stream, ordered by age. A
// hash of the first ids of the streams selects the stream that begins: no stream is always first, no state is
// kept, and every node and store computes the same order.
[[nodiscard]] std::vector<std::size_t> claim_order(std::span<const TaskRecord* const> tasks);

}  // namespace pawl::core
