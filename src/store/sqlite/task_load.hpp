#pragma once
// Assembles a task from the narrow tables, for transactions and reads. The connection must be in a
// transaction, because otherwise a task could move between two queries.

#include <optional>
#include <span>
#include <vector>

#include "store/lanes.hpp"
#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

class TaskLoader {
 public:
  TaskLoader(Connection& connection, const LaneCache& lanes);

  [[nodiscard]] std::optional<core::TaskRecord> load(const LoadTask& wanted);
  // Fills in the facts of an existing record, and its run if it belongs to one.
  void load_facts(core::TaskRecord& record);

 private:
  [[nodiscard]] bool find_place(core::TaskRecord& record);
  [[nodiscard]] bool find_lease(core::TaskRecord& record);
  [[nodiscard]] bool find_finished(core::TaskRecord& record);
  [[nodiscard]] bool find_standing(Statement& statement, core::Place place, core::TaskStatus status,
                                   core::TaskRecord& record);
  void load_key(core::TaskRecord& record);
  // What only tasks of some lanes have: their run or their fairness key.
  void load_asides(core::TaskRecord& record);

  Connection& connection_;
  const LaneCache& lanes_;
  Statement& lease_;
  Statement& facts_;
};

[[nodiscard]] std::vector<core::Attempt> list_attempts(Connection& connection, const core::TaskId& id);

}  // namespace pawl::store::sqlite
