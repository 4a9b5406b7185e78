#include "engine/give_turns.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/ensure.hpp"

namespace pawl::engine {

namespace {

struct ByLaneId {
  bool operator()(const core::Lane* a, const core::Lane* b) const { return a->id < b->id; }
};

std::vector<store::TurnsRef> refs_of(const std::vector<core::TaskRecord*>& tasks) {
  std::map<const core::Lane*, std::set<std::string>, ByLaneId> keys;
  for (const core::TaskRecord* task : tasks) {
    PAWL_ENSURE(task->facts.fairness.has_value(), "a task of a fair lane says whose it is");
    keys[task->lane].insert(task->facts.fairness->key);
  }
  std::vector<store::TurnsRef> refs;
  for (const auto& [lane, of_lane] : keys)
    refs.push_back({.lane = lane, .keys = {of_lane.begin(), of_lane.end()}});
  return refs;
}

}  // namespace

std::vector<store::TurnsWrite> give_turns(store::Transaction& tx, std::vector<core::TaskRecord*> tasks) {
  // No task has a turn yet, so this sorts by age: the tasks of a key get their turns in the order of arrival.
  std::sort(tasks.begin(), tasks.end(),
            [](const core::TaskRecord* a, const core::TaskRecord* b) { return core::stands_before(*a, *b); });
  const std::vector<store::TurnsRef> refs = refs_of(tasks);
  std::vector<core::LaneTurns> locked = tx.lock_turns(refs);
  std::map<const core::Lane*, core::LaneTurns*> by_lane;
  for (std::size_t i = 0; i < refs.size(); ++i) by_lane.emplace(refs[i].lane, &locked[i]);
  for (core::TaskRecord* task : tasks) {
    const bool comes_back = task->progress.fence > 0;
    task->turn = core::give_turn(*by_lane.at(task->lane), *task->facts.fairness, comes_back);
  }
  std::vector<store::TurnsWrite> writes;
  for (std::size_t i = 0; i < refs.size(); ++i)
    writes.push_back({.lane = refs[i].lane, .turns = std::move(locked[i])});
  return writes;
}

}  // namespace pawl::engine
