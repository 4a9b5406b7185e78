#pragma once
// A task put together from the narrow tables. For the transaction and for reads alike: the connection must be
// in a transaction, or a task could move between two of the looks.

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
  // Fills in the facts of a record that is known to exist, and where it is of a run, which.
  void load_facts(core::TaskRecord& record);

 private:
  [[nodiscard]] bool find_place(core::TaskRecord& record);
  [[nodiscard]] bool find_lease(core::TaskRecord& record);
  [[nodiscard]] bool find_finished(core::TaskRecord& record);
  [[nodiscard]] bool find_standing(Statement& statement, core::Place place, core::TaskStatus status,
                                   core::TaskRecord& record);
  void load_key(core::TaskRecord& record);
  // What only tasks of some lanes have: their run, their fairness key.
  void load_asides(core::TaskRecord& record);

  Connection& connection_;
  const LaneCache& lanes_;
  Statement& lease_;
  Statement& facts_;
};

[[nodiscard]] std::vector<core::Attempt> list_attempts(Connection& connection, const core::TaskId& id);

}  // namespace pawl::store::sqlite
