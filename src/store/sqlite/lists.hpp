#pragma once
// Pages of task ids by filter. Each status has a source, read in id order up to the page limit; the sources
// are merged into the page.

#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] std::vector<core::TaskId> list_task_ids(Connection& connection, const TaskPage& page);

}  // namespace pawl::store::sqlite
