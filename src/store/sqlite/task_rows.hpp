#pragma once
// Converts rows to core structs. Each function reads the columns of the query in sql/ that its comment names,
// in order.

#include "core/queue/queue.hpp"
#include "core/records/retention.hpp"
#include "core/task/task.hpp"
#include "store/lanes.hpp"
#include "store/sqlite/statement.hpp"

namespace pawl::store::sqlite {

// lane, attempt, fence, budget_from, available_at: the columns of every place. False if the lane does not
// exist, so that the row is unusable.
[[nodiscard]] bool read_standing(Rows& row, const LaneCache& lanes, core::TaskRecord& record);
// find_lease, after the columns of read_standing.
void read_lease(Rows& row, core::TaskRecord& record);
// find_finished, after the columns of read_standing.
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
