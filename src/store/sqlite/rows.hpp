#pragma once
// How rows read as the structs of core. Each reads the columns that the query beside it in sql/ names, in
// order.

#include "core/queue.hpp"
#include "core/retention.hpp"
#include "core/task.hpp"
#include "store/lanes.hpp"
#include "store/sqlite/statement.hpp"

namespace pawl::store::sqlite {

// lane, attempt, fence, budget_from, available_at: what every place has. False: its lane does not exist, and
// nothing can be done with it.
[[nodiscard]] bool read_standing(Rows& row, const LaneCache& lanes, core::TaskRecord& record);
// find_lease, after the standing.
void read_lease(Rows& row, core::TaskRecord& record);
// find_finished, after the standing.
void read_end(Rows& row, core::TaskRecord& record);
// lock_finished, after the lane.
[[nodiscard]] core::FinishedTask read_finished(Rows& row, const core::TaskId& id, const core::Lane* lane);
// find_task_facts.
void read_facts(Rows& row, core::TaskRecord& record);
// find_attempt.
[[nodiscard]] core::Attempt read_attempt(Rows& row);
// find_queue.
[[nodiscard]] core::QueueSettings read_settings(Rows& row);

}  // namespace pawl::store::sqlite
